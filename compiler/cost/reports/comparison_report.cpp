#include "cost/reports/comparison.h"

#include "cost/reports/report.h"
#include "cost/reports/text_lines.h"
#include "support/json.h"

#include <cmath>
#include <cstdio>

namespace planc::cost {

namespace {

std::string ratio(Seconds a, Seconds b) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.3g x", a.value > 0 ? b / a : 1.0);
    return buffer;
}

class Text {
  public:
    std::string make(const Comparison &comparison, const Sides &sides) {
        std::string head = "a: " + sides.a + "\nb: " + sides.b + "\n";
        if (comparison.equal())
            return head + "nothing differs: " + human_seconds(*comparison.totals.back().seconds_a) + " a step\n";
        lines_.row({"", "phase", "axes", "tensor", "bytes a", "bytes b", "time a", "time b", "b - a"});
        for (const ComparedLayer &layer : comparison.layers)
            add(layer);
        add("reshards between layers", comparison.reshards);
        add("buckets: small tensors in one all-reduce", comparison.buckets);
        add("memory of a rank, about", comparison.memory);
        add("in total", comparison.totals);
        const Compared &step = comparison.totals.back();
        const Seconds a = *step.seconds_a;
        const Seconds b = *step.seconds_b;
        return head + "\n" + lines_.text(4) + "\n" + step.what + ": " + human_seconds(a) + " in a, " +
               human_seconds(b) + " in b: b takes " + ratio(a, b) + "\n";
    }

  private:
    void add(const ComparedLayer &layer) {
        if (!layer.split_a || !layer.split_b) {
            const std::string &split = layer.split_a ? *layer.split_a : *layer.split_b;
            lines_.free(layer.name + ", only in " + (layer.split_a ? "a: " : "b: ") + split);
        } else if (*layer.split_a == *layer.split_b) {
            lines_.free(layer.name + ": " + *layer.split_a);
        } else {
            lines_.free(layer.name);
            lines_.free("    a: " + *layer.split_a);
            lines_.free("    b: " + *layer.split_b);
        }
        for (const Compared &row : layer.rows)
            add(row);
        if (layer.rows.size() > 1)
            add({"total", "", "", layer.split_a ? std::optional(layer.seconds_a) : std::nullopt,
                 layer.split_b ? std::optional(layer.seconds_b) : std::nullopt});
    }

    void add(const char *title, const std::vector<Compared> &rows) {
        if (!rows.empty())
            lines_.free(title);
        for (const Compared &row : rows)
            add(row);
    }

    void add(const Compared &row) {
        const std::string axes = row.axes_a.empty() || row.axes_b.empty() || row.axes_a == row.axes_b
                                     ? (row.axes_a.empty() ? row.axes_b : row.axes_a)
                                     : row.axes_a + " | " + row.axes_b;
        lines_.row({"  " + row.what, row.phase, axes, row.tensor, bytes(row.bytes_a), bytes(row.bytes_b),
                    seconds(row.seconds_a), seconds(row.seconds_b), added(row)});
    }

    static std::string bytes(const std::optional<Bytes> &value) { return value ? grouped(value->value) : ""; }
    static std::string seconds(const std::optional<Seconds> &value) { return value ? human_seconds(*value) : ""; }
    static std::string added(const Compared &row) {
        if (!row.seconds_a && !row.seconds_b)
            return {};
        const Seconds more = row.seconds_b.value_or(Seconds{}) - row.seconds_a.value_or(Seconds{});
        if (more.value == 0)
            return "0";
        return (more.value < 0 ? "-" : "+") + human_seconds(Seconds(std::abs(more.value)));
    }

    Lines lines_;
};

class Json {
  public:
    std::string make(const Comparison &comparison, const Sides &sides) {
        json_.begin_object();
        add("a", *comparison.a, sides.a);
        add("b", *comparison.b, sides.b);
        json_.key("layers").begin_array();
        for (const ComparedLayer &layer : comparison.layers) {
            json_.begin_object().member("name", layer.name);
            if (layer.split_a)
                json_.member("split_a", *layer.split_a).member("seconds_a", layer.seconds_a.value);
            if (layer.split_b)
                json_.member("split_b", *layer.split_b).member("seconds_b", layer.seconds_b.value);
            add("rows", layer.rows);
            json_.end_object();
        }
        json_.end_array();
        add("reshards", comparison.reshards);
        add("buckets", comparison.buckets);
        add("memory", comparison.memory);
        add("totals", comparison.totals);
        return json_.end_object().text();
    }

  private:
    void add(const char *key, const CostTable &table, const std::string &what) {
        json_.key(key).begin_object().member("what", what).member("ranks", table.mesh.ranks());
        write_mesh(json_, table);
        json_.member("seconds", table.seconds().value).end_object();
    }

    void add(const char *key, const std::vector<Compared> &rows) {
        json_.key(key).begin_array();
        for (const Compared &row : rows) {
            json_.begin_object().member("what", row.what);
            text("phase", row.phase);
            text("tensor", row.tensor);
            text("axes_a", row.axes_a);
            text("axes_b", row.axes_b);
            number("bytes_a", row.bytes_a);
            number("bytes_b", row.bytes_b);
            number("seconds_a", row.seconds_a);
            number("seconds_b", row.seconds_b);
            json_.end_object();
        }
        json_.end_array();
    }

    void text(const char *key, const std::string &value) {
        if (!value.empty())
            json_.member(key, value);
    }

    template <class Q> void number(const char *key, const std::optional<Q> &value) {
        if (value)
            json_.member(key, value->value);
    }

    support::JsonWriter json_;
};

} // namespace

std::string text_report(const Comparison &comparison, const Sides &sides) {
    return Text().make(comparison, sides);
}

std::string json_report(const Comparison &comparison, const Sides &sides) {
    return Json().make(comparison, sides);
}

} // namespace planc::cost
