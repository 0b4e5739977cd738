#include "cost/reports/report.h"
#include "support/csv.h"
#include "support/json.h"
#include "support/whole.h"

namespace planc::cost {

namespace {

using support::csv_line;

std::string bytes(Bytes value) {
    return std::to_string(support::whole(value.value));
}

std::string collective(const CollectiveRow &row, const CostTable &table) {
    return csv_line({row.from_layer ? "reshard" : "collective", table.layers[row.layer].name, name_of(row.kind),
                     axes_words(row.axes, table.axes), name(row.phase), row.tensor, bytes(row.payload),
                     std::to_string(row.calls), support::json_number(row.price.seconds().value)});
}

} // namespace

std::string csv_report(const CostTable &table) {
    std::string text = "row,layer,kind,axes,phase,tensor,bytes,messages,seconds\n";
    for (const LayerRow &layer : table.layers) {
        text += csv_line({"compute", layer.name, split_words(layer, table.axes), "-", "-", "-", "0", "0",
                          support::json_number(layer.compute_seconds().value)});
        for (const CollectiveRow &row : layer.collectives)
            text += collective(row, table);
    }
    for (const CollectiveRow &row : table.reshards)
        text += collective(row, table);
    for (const BucketRow &bucket : table.buckets) {
        std::string layers;
        for (const LayerId layer : bucket.layers)
            layers += (layers.empty() ? "" : " ") + table.layers[layer].name;
        text += csv_line({"bucket", layers, "all-reduce", axes_words(bucket.axes, table.axes), name(bucket.phase), "-",
                          "0", std::to_string(bucket.calls), support::json_number(bucket.price.seconds().value)});
    }
    return text + csv_line({"total", "-", mesh_words(table.axes, table.mesh), "-", "-", "-", bytes(table.payload),
                            std::to_string(table.calls), support::json_number(table.seconds().value)});
}

} // namespace planc::cost
