#include "cost/reports/comparison.h"

#include "cost/reports/report.h"

#include <algorithm>
#include <cmath>

namespace planc::cost {

namespace {

/// Fills the fields of one side of a row.
struct Side {
    std::optional<Seconds> Compared::*seconds;
    std::optional<Bytes> Compared::*bytes;
    std::string Compared::*axes;
};
constexpr Side side_a{&Compared::seconds_a, &Compared::bytes_a, &Compared::axes_a};
constexpr Side side_b{&Compared::seconds_b, &Compared::bytes_b, &Compared::axes_b};

template <class Q> bool unlike(const std::optional<Q> &a, const std::optional<Q> &b) {
    constexpr double rounding = 1e-12;
    if (a.has_value() != b.has_value())
        return true;
    return a && std::abs(a->value - b->value) > rounding * std::max(std::abs(a->value), std::abs(b->value));
}

/// Rows by what they are, in the order in which they came.
class Rows {
  public:
    void add(const Side &side, const std::string &what, const std::string &phase, const std::string &tensor,
             Seconds seconds, std::optional<Bytes> bytes = {}, const std::string &axes = {}) {
        auto row = std::find_if(rows_.begin(), rows_.end(), [&](const Compared &other) {
            return other.what == what && other.phase == phase && other.tensor == tensor;
        });
        if (row == rows_.end())
            row = rows_.insert(rows_.end(), {what, phase, tensor});
        (*row).*side.seconds = ((*row).*side.seconds).value_or(Seconds{}) + seconds;
        if (bytes)
            (*row).*side.bytes = ((*row).*side.bytes).value_or(Bytes{}) + *bytes;
        if (std::string &words = (*row).*side.axes; words.find(axes) == std::string::npos)
            words += (words.empty() ? "" : ", ") + axes;
    }

    void add(const Side &side, const CollectiveRow &row, const CostTable &table) {
        std::string tensor = row.tensor;
        if (row.from_layer)
            tensor += " (" + table.layers[row.from_layer].name + " to " + table.layers[row.layer].name + ")";
        add(side, name_of(row.kind), name(row.phase), tensor, row.price.seconds(), row.payload,
            axes_words(row.axes, table.axes));
    }

    std::vector<Compared> different() {
        std::erase_if(rows_, [](const Compared &row) { return !row.differs(); });
        return std::move(rows_);
    }

  private:
    std::vector<Compared> rows_;
};

void add(Rows &rows, const Side &side, const LayerRow &layer, const CostTable &table) {
    for (int phase = 0; phase < phases; ++phase)
        if (const Seconds seconds = layer.compute[static_cast<std::size_t>(phase)]; seconds.value > 0)
            rows.add(side, "compute", name(static_cast<Phase>(phase)), "", seconds);
    for (const CollectiveRow &row : layer.collectives)
        rows.add(side, row, table);
}

ComparedLayer compare(const LayerRow *a, const LayerRow *b, const CostTable &table_a, const CostTable &table_b) {
    ComparedLayer layer;
    Rows rows;
    if (a != nullptr) {
        layer.split_a = split_words(*a, table_a.axes);
        layer.seconds_a = a->seconds();
        add(rows, side_a, *a, table_a);
    }
    if (b != nullptr) {
        layer.split_b = split_words(*b, table_b.axes);
        layer.seconds_b = b->seconds();
        add(rows, side_b, *b, table_b);
    }
    layer.name = a != nullptr ? a->name : b->name;
    layer.rows = rows.different();
    return layer;
}

const LayerRow *find(const CostTable &table, const std::string &name) {
    const auto at = std::find_if(table.layers.begin(), table.layers.end(),
                                 [&](const LayerRow &layer) { return layer.name == name; });
    return at == table.layers.end() ? nullptr : &*at;
}

std::vector<ComparedLayer> compare_layers(const CostTable &a, const CostTable &b) {
    std::vector<ComparedLayer> layers;
    for (const LayerRow &layer : a.layers)
        layers.push_back(compare(&layer, find(b, layer.name), a, b));
    for (const LayerRow &layer : b.layers)
        if (find(a, layer.name) == nullptr)
            layers.push_back(compare(nullptr, &layer, a, b));
    std::erase_if(layers,
                  [](const ComparedLayer &layer) { return layer.rows.empty() && layer.split_a == layer.split_b; });
    return layers;
}

std::vector<Compared> compare_memory(const Memory &a, const Memory &b) {
    const std::vector<std::pair<const char *, Bytes Memory::*>> kinds{{"parameters", &Memory::parameters},
                                                                      {"gradients", &Memory::gradients},
                                                                      {"optimizer state", &Memory::optimizer_state},
                                                                      {"activations", &Memory::activations},
                                                                      {"inputs", &Memory::inputs},
                                                                      {"buffers", &Memory::buffers},
                                                                      {"passing", &Memory::passing}};
    std::vector<Compared> rows;
    for (const auto &[what, kind] : kinds)
        rows.push_back({what, "", "", {}, {}, a.*kind, b.*kind});
    rows.push_back({"memory", "", "", {}, {}, a.total(), b.total()});
    std::erase_if(rows, [](const Compared &row) { return !row.differs(); });
    return rows;
}

} // namespace

bool Compared::differs() const {
    return unlike(seconds_a, seconds_b) || unlike(bytes_a, bytes_b) || axes_a != axes_b;
}

Comparison compare(const CostTable &a, const CostTable &b, std::optional<Seconds> overlap_a,
                   std::optional<Seconds> overlap_b) {
    Rows reshards;
    Rows buckets;
    for (const auto &[side, table] : {std::pair{&side_a, &a}, std::pair{&side_b, &b}}) {
        for (const CollectiveRow &row : table->reshards)
            reshards.add(*side, row, *table);
        for (const BucketRow &bucket : table->buckets)
            buckets.add(*side, "buckets", name(bucket.phase), "", bucket.price.seconds(), {},
                        axes_words(bucket.axes, table->axes));
    }
    Comparison comparison{
        &a, &b, compare_layers(a, b), reshards.different(), buckets.different(), compare_memory(a.memory, b.memory),
        {}};
    comparison.totals = {{"compute", "", "", a.compute, b.compute},
                         {"communication", "", "", a.communication, b.communication, a.payload, b.payload},
                         {"step", "", "", a.seconds(), b.seconds()}};
    if (overlap_a && overlap_b)
        comparison.totals.push_back({"step with overlap", "", "", overlap_a, overlap_b});
    return comparison;
}

} // namespace planc::cost
