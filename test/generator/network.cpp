#include "network.h"

#include <algorithm>
#include <map>
#include <set>

namespace planc::test {

namespace {

struct Dimension {
    std::string role;
    int extent = 1;
};

struct Value {
    std::string name;
    std::vector<Dimension> dimensions;

    [[nodiscard]] const Dimension *find(const std::string &role) const {
        const auto at = std::find_if(dimensions.begin(), dimensions.end(),
                                     [&](const Dimension &dimension) { return dimension.role == role; });
        return at == dimensions.end() ? nullptr : &*at;
    }
};

using Dimensions = std::vector<Dimension>;

/// Layers of the generated files.
constexpr const char *library = R"(
layer gate(x: [.., in]) -> [.., in] {
    param g: [in] = uniform(0.5, 1.5)
    strength = sigmoid(reduce_mean(x, over = [in]))
    return x * g * strength
}
layer standard(x: [.., in]) -> [.., in] {
    param scale: [in] = ones
    param shift: [in] = uniform(-0.2, 0.2)
    centred = x - reduce_mean(x, over = [in])
    return centred * rsqrt(reduce_mean(square(centred), over = [in]) + 0.1) * scale + shift
}
layer narrow(x: [.., in], inner: dim) -> [.., in] {
    a = relu(dense(x, inner))
    b = dense(a, in, bias = false)
    return x + b
})";

class Writer {
  public:
    Writer(Random &random, const NetworkOptions &options) : random_(random), options_(options) {}

    RandomNetwork write() {
        batch_ = {"batch", extent()};
        defaults_ = {batch_, {"time", random_.whole(1, 4)}};
        for (const char *role : {"pixel", "hidden", "wide", "head", "class"})
            defaults_.push_back({role, extent()});
        inputs();
        for (int layers = random_.whole(1, options_.most_layers); layers > 0; --layers)
            add_layer();
        join_what_is_left();
        finish();
        training();
        declarations();
        return std::move(network_);
    }

  private:
    // --- text -----------------------------------------------------------------------------------------------

    int extent() {
        const int wide = random_.chance(0.1) ? 2 * options_.most_extent : options_.most_extent;
        return random_.whole(options_.least_extent, wide);
    }

    /// `hidden`, or `hidden: 5` where that is not what `dim hidden` says.
    [[nodiscard]] std::string word(const Dimension &dimension) const {
        const auto at = std::find_if(defaults_.begin(), defaults_.end(),
                                     [&](const Dimension &other) { return other.role == dimension.role; });
        return at->extent == dimension.extent ? dimension.role
                                              : dimension.role + ": " + std::to_string(dimension.extent);
    }

    [[nodiscard]] std::string words(const Dimensions &dimensions) const {
        std::string text;
        for (const Dimension &dimension : dimensions)
            text += (text.empty() ? "" : ", ") + word(dimension);
        return "[" + text + "]";
    }

    static std::string names(const Dimensions &dimensions) {
        std::string text;
        for (const Dimension &dimension : dimensions)
            text += (text.empty() ? "" : ", ") + dimension.role;
        return "[" + text + "]";
    }

    std::string fresh(const std::string &stem) { return stem + std::to_string(++numbers_[stem]); }

    Value bind(const std::string &stem, const std::string &expression, Dimensions dimensions) {
        Value value{fresh(stem), std::move(dimensions)};
        network_.file.statements.push_back(value.name + " = " + expression);
        network_.layers.push_back(value.name);
        return value;
    }

    std::string parameter(const Dimensions &dimensions) {
        const std::string name = fresh("w");
        const std::string range = random_.pick<std::string>({"0.3", "0.6", "1.0"});
        const std::string values =
            random_.pick<std::string>({"uniform(-" + range + ", " + range + ")", "normal(0, 0.4)"});
        network_.file.statements.push_back("param " + name + ": " + options_.element + words(dimensions) + " = " +
                                           values);
        network_.layers.push_back(name);
        return name;
    }

    // --- choices --------------------------------------------------------------------------------------------

    void inputs() {
        Dimensions dimensions{batch_};
        if (random_.chance(0.35))
            dimensions.push_back(defaults_[1]);
        dimensions.push_back({random_.pick<std::string>({"pixel", "hidden"}), extent()});
        std::string arguments = "x: " + options_.element + words(dimensions);
        calls_ = "x";
        values_.push_back({"x", dimensions});
        if (random_.chance(0.15)) {
            const Dimensions second{batch_, {"wide", extent()}};
            arguments += ", z: " + options_.element + words(second);
            calls_ += ", z";
            values_.push_back({"z", second});
        }
        network_.file.signature = "network net(" + arguments + ")";
    }

    /// The newest value, or now and then an older one: towers and forks.
    const Value &any() {
        const Value &value = random_.chance(0.6) ? values_.back() : random_.pick(values_);
        used_.insert(value.name);
        return value;
    }

    std::string smooth(const std::string &x) {
        static const std::vector<std::string> functions{"tanh", "sigmoid", "gelu", "silu", "softplus", "sin", "cos"};
        return random_.pick(functions) + "(" + x + ")";
    }

    std::string unary(const std::string &x) {
        switch (random_.whole(0, 9)) {
        case 0:
        case 1:
        case 2:
            return "relu(" + x + ")";
        case 3:
            return "0.5 * abs(" + x + ")";
        case 4:
            return "exp(-tanh(" + x + "))";
        case 5:
            return "log(square(" + x + ") + 1.5)";
        case 6:
            return random_.pick<std::string>({"sqrt", "reciprocal", "rsqrt"}) + "(square(" + x + ") + 1)";
        case 7:
            return random_.pick<std::string>({"", "-", "0.7 * ", "1 - ", "2 / 3.0 * "}) + x;
        default:
            return smooth(x);
        }
    }

    /// A dimension for a new layer's output that `x` has not beside its last.
    Dimension feature(const Value &x) {
        std::vector<std::string> roles{"hidden", "hidden", "wide", "head"};
        std::erase_if(roles, [&](const std::string &role) {
            const Dimension *own = x.find(role);
            return own != nullptr && own != &x.dimensions.back();
        });
        return {random_.pick(roles), random_.chance(0.5) ? extent() : 0};
    }

    Dimension output(const Value &x) {
        Dimension out = feature(x);
        if (out.extent == 0)
            out.extent = std::find_if(defaults_.begin(), defaults_.end(), [&](const Dimension &other) {
                             return other.role == out.role;
                         })->extent;
        return out;
    }

    std::string dense(const Value &x, const Dimension &out) {
        if (x.dimensions.back().role == out.role)
            primed_.insert(out.role + "'");
        return "dense(" + x.name + ", " + word(out) + (random_.chance(0.35) ? ", bias = false)" : ")");
    }

    static Dimensions with_last(Dimensions dimensions, const Dimension &last) {
        dimensions.back() = last;
        return dimensions;
    }

    /// Do equal roles have equal extents?
    static bool fit(const Value &a, const Value &b) {
        return std::all_of(a.dimensions.begin(), a.dimensions.end(), [&](const Dimension &dimension) {
            const Dimension *other = b.find(dimension.role);
            return other == nullptr || other->extent == dimension.extent;
        });
    }

    /// All but the batch, which need not be the first.
    static Dimensions features(const Value &x) { return without(x.dimensions, "batch"); }

    static int elements(const Dimensions &dimensions) {
        int product = 1;
        for (const Dimension &dimension : dimensions)
            product *= dimension.extent;
        return product;
    }

    static Dimensions joined(const Value &a, const Value &b) {
        Dimensions dimensions = a.dimensions;
        for (const Dimension &dimension : b.dimensions)
            if (a.find(dimension.role) == nullptr)
                dimensions.push_back(dimension);
        return dimensions;
    }

    // --- kinds of layers ------------------------------------------------------------------------------------

    void add_layer() {
        using Kind = void (Writer::*)();
        static const std::vector<Kind> kinds{
            &Writer::dense_layer,       &Writer::dense_layer, &Writer::dense_layer,   &Writer::function,
            &Writer::residual,          &Writer::join,        &Writer::join,          &Writer::softmax,
            &Writer::reduction,         &Writer::centre,      &Writer::tied,          &Writer::product,
            &Writer::own_layer,         &Writer::fold,        &Writer::scaled,        &Writer::two_calls,
            &Writer::over_all,          &Writer::batch_mean,  &Writer::three_factors, &Writer::doubled,
            &Writer::normalised_weight, &Writer::permuted,    &Writer::unused,        &Writer::one_number};
        (this->*random_.pick(kinds))();
    }

    void dense_layer() {
        const Value x = matrix();
        const Dimension out = output(x);
        const std::string y = dense(x, out);
        keep("h", random_.chance(0.3) ? y : unary(y), with_last(x.dimensions, out));
    }

    void keep(const std::string &stem, const std::string &expression, const Dimensions &dimensions) {
        values_.push_back(bind(stem, expression, dimensions));
    }

    void function() {
        const Value x = any();
        keep("f", unary(x.name), x.dimensions);
    }

    void residual() {
        const Value x = matrix();
        const std::string y = smooth(dense(x, x.dimensions.back()));
        keep("r", random_.chance(0.5) ? x.name + " + " + y : y + " - " + x.name, x.dimensions);
    }

    void join() {
        const Value a = any();
        const Value b = any();
        const Dimensions dimensions = joined(a, b);
        if (!fit(a, b) || dimensions.size() > 3 || elements(dimensions) > most_elements)
            return;
        switch (random_.whole(0, 4)) {
        case 0:
            return keep("j", "tanh(" + a.name + ") * " + b.name, dimensions);
        case 1:
            return keep("j", a.name + " / (1 + square(" + b.name + "))", dimensions);
        case 2:
            return keep("j", random_.pick<std::string>({"maximum(", "minimum("}) + a.name + ", " + b.name + ")",
                        dimensions);
        default:
            return keep("j", a.name + random_.pick<std::string>({" + ", " - "}) + b.name, dimensions);
        }
    }

    void softmax() {
        const Value x = any();
        const Dimension &over = random_.pick(x.dimensions);
        if (over.role == "batch")
            return;
        const bool log = random_.chance(0.3);
        keep("s", (log ? "0.3 * log_softmax(" : "softmax(") + x.name + ", over = " + over.role + ")", x.dimensions);
    }

    void reduction() {
        const Value x = any();
        if (x.dimensions.size() < 2)
            return;
        const Dimension over = random_.pick(features(x));
        const Dimensions rest = without(x.dimensions, over.role);
        const std::string kind = random_.pick<std::string>({"sum", "mean", "max", "min"});
        keep("m", "tanh(reduce_" + kind + "(" + x.name + ", over = [" + over.role + "]))", rest);
    }

    void centre() {
        const Value x = matrix();
        const std::string over = ", over = [" + x.dimensions.back().role + "])";
        keep("c",
             random_.chance(0.5) ? x.name + " - reduce_mean(" + x.name + over
                                 : x.name + " * rsqrt(reduce_mean(square(" + x.name + ")" + over + " + 0.1)",
             x.dimensions);
    }

    /// One weight there and back, as in an autoencoder.
    void tied() {
        const Value x = matrix();
        Dimension inner = output(x);
        if (inner.role == x.dimensions.back().role)
            return;
        const std::string w = parameter({x.dimensions.back(), inner});
        const Dimensions hidden = with_last(x.dimensions, inner);
        const Value h = bind("t", "tanh(einsum(" + x.name + ", " + w + " -> " + names(hidden) + "))", hidden);
        keep("t", "einsum(" + h.name + ", " + w + " -> " + names(x.dimensions) + ")", x.dimensions);
    }

    /// A product of two values that keeps the batch and some of the rest.
    void product() {
        const Value a = any();
        const Value b = any();
        const Dimensions all = joined(a, b);
        if (!fit(a, b) || a.name == b.name || elements(all) > most_elements)
            return;
        Dimensions kept;
        for (const Dimension &dimension : all)
            if (dimension.role == "batch" || (kept.size() < 3 && random_.chance(0.6)))
                kept.push_back(dimension);
        if (kept.size() > 1 && random_.chance(0.5))
            std::rotate(kept.begin() + 1, kept.begin() + 2, kept.end());
        keep("p", "tanh(einsum(" + a.name + ", " + b.name + " -> " + names(kept) + "))", kept);
    }

    void three_factors() {
        const Value a = matrix();
        const Value b = any();
        const Dimension out{"class", random_.whole(1, 3)};
        const Dimensions all = joined(a, b);
        if (!fit(a, b) || a.find("class") != nullptr || b.find("class") != nullptr || a.name == b.name ||
            elements(all) * out.extent > most_elements)
            return;
        const std::string w = parameter({a.dimensions.back(), out});
        const Dimensions kept{batch_, out};
        keep("p", "tanh(einsum(" + a.name + ", " + b.name + ", " + w + " -> " + names(kept) + "))", kept);
    }

    void own_layer() {
        const Value x = matrix();
        const std::string kind = random_.pick<std::string>({"gate", "standard", "narrow"});
        std::string more;
        if (kind == "narrow") {
            const Dimension inner = output(x);
            if (inner.role == x.dimensions.back().role)
                primed_.insert(inner.role + "'");
            more = ", " + word(inner);
        }
        with_library_ = true;
        keep("o", kind + "(" + x.name + more + ")", x.dimensions);
    }

    void fold() {
        const Value x = matrix();
        const Value inner{"grow", with_last(x.dimensions, output(x))};
        const Value y{"y", x.dimensions};
        const Value value{fresh("b"), x.dimensions};
        const std::string times = std::to_string(random_.whole(1, 3));
        network_.file.statements.push_back(
            value.name + " = fold y = " + x.name + " for i in 0.." + times + " as " + value.name +
            "_block {\n        grow = " + smooth(dense(y, inner.dimensions.back())) +
            "\n        shrink = " + dense(inner, x.dimensions.back()) + "\n        yield " +
            random_.pick<std::string>({"y + tanh(shrink)", "shrink", "y + 0.5 * shrink"}) + "\n    }");
        network_.layers.push_back(value.name + "_block[*].grow");
        network_.layers.push_back(value.name + "_block[0]");
        values_.push_back(value);
    }

    void scaled() {
        const Value x = any();
        const Dimension &along = random_.pick(x.dimensions);
        if (along.role == "batch")
            return;
        const std::string w = parameter({along});
        keep("g", x.name + random_.pick<std::string>({" * ", " + ", " - "}) + w, x.dimensions);
    }

    void two_calls() {
        const Value x = matrix();
        const Dimension out = output(x);
        const Value same{x.name, x.dimensions};
        keep("d", smooth(dense(x, out)) + random_.pick<std::string>({" + ", " * ", " - "}) + dense(same, out),
             with_last(x.dimensions, out));
    }

    /// A value with itself: used several times by one operation.
    void doubled() {
        const Value x = any();
        keep("q",
             random_.pick<std::string>({"tanh(" + x.name + " * " + x.name + ")", x.name + " + " + x.name + " * 0.5",
                                        "maximum(" + x.name + ", 0.1) - " + x.name}),
             x.dimensions);
    }

    /// A weight made of weights: computed, but from no data.
    void normalised_weight() {
        const Value x = matrix();
        const Dimension out = output(x);
        const Dimension in = x.dimensions.back();
        if (in.role == out.role)
            return;
        const std::string w = parameter({in, out});
        const std::string over = random_.pick<std::string>({in.role, out.role});
        const Value u =
            bind("u",
                 random_.chance(0.3) ? "softmax(" + w + ", over = " + over + ")"
                                     : w + " * rsqrt(reduce_sum(square(" + w + "), over = [" + over + "]) + 0.1)",
                 {in, out});
        const Dimensions dimensions = with_last(x.dimensions, out);
        keep("h", "einsum(" + x.name + ", " + u.name + " -> " + names(dimensions) + ")", dimensions);
    }

    /// The same value with its dimensions in another order; the last is never the batch.
    void permuted() {
        const Value x = matrix();
        Dimensions dimensions = x.dimensions;
        std::rotate(dimensions.begin(), dimensions.begin() + 1, dimensions.end());
        if (dimensions.back().role == "batch")
            std::swap(dimensions.front(), dimensions.back());
        keep("v", "einsum(" + x.name + " -> " + names(dimensions) + ")", dimensions);
    }

    /// A layer whose result nobody takes.
    void unused() {
        const Value x = matrix();
        const Dimension out = output(x);
        bind("a", dense(x, out), with_last(x.dimensions, out));
    }

    /// A value scaled by a number that is made of all of it.
    void one_number() {
        const Value x = any();
        if (options_.independent_samples)
            return;
        const std::string kind = random_.pick<std::string>({"sum", "mean", "max", "min"});
        keep("n", x.name + " * tanh(reduce_" + kind + "(" + x.name + "))", x.dimensions);
    }

    void over_all() {
        const Value x = any();
        if (x.dimensions.size() < 3)
            return dense_layer();
        const Dimension out = output({"", {batch_, {"batch", 0}}});
        const Dimensions rest = features(x);
        for (const Dimension &dimension : rest)
            if (dimension.role == out.role)
                primed_.insert(out.role + "'");
        keep("h", "relu(dense(" + x.name + ", " + word(out) + ", over = " + names(rest) + "))", {batch_, out});
    }

    void batch_mean() {
        const Value x = any();
        if (options_.independent_samples)
            return;
        const std::string kind = random_.pick<std::string>({"mean", "mean", "max"});
        keep("n", x.name + " - reduce_" + kind + "(" + x.name + ", over = [batch])", x.dimensions);
    }

    Value batch_first(const Value &x) {
        Dimensions dimensions = features(x);
        dimensions.insert(dimensions.begin(), batch_);
        return bind("v", "einsum(" + x.name + " -> " + names(dimensions) + ")", dimensions);
    }

    /// A value whose last dimension is not the batch; where there is no other, one is made.
    Value matrix() {
        const Value x = any();
        if (x.dimensions.back().role != "batch")
            return x;
        if (x.dimensions.size() > 1)
            return batch_first(x);
        const Dimension out = output({"", {batch_, {"batch", 0}}});
        const std::string w = parameter({out});
        values_.push_back(bind("e", "tanh(" + x.name + " * " + w + ")", {batch_, out}));
        used_.insert(values_.back().name);
        return values_.back();
    }

    // --- the end --------------------------------------------------------------------------------------------

    /// What nobody has used yet is added to the newest value, as a number per sample.
    void join_what_is_left() {
        const std::size_t count = values_.size() - 1;
        for (std::size_t i = 0; i < count; ++i) {
            const Value left = values_[i];
            if (used_.contains(left.name))
                continue;
            const Dimensions rest = features(left);
            const std::string sum =
                rest.empty() ? left.name : "reduce_mean(" + left.name + ", over = " + names(rest) + ")";
            keep("j", values_.back().name + " + " + sum, values_.back().dimensions);
        }
    }

    void finish() {
        used_.insert(values_.back().name);
        const Value &last = values_.back();
        Value x = last;
        if (x.dimensions.size() < 2) {
            const std::string w = parameter({{"wide", defaults_[4].extent}});
            x = bind("e", "tanh(" + last.name + " * " + w + ")", {batch_, defaults_[4]});
        }
        const Dimension *own = x.find("class");
        if (own != nullptr && own != &x.dimensions.back())
            x = bind("m", "reduce_mean(" + x.name + ", over = [class])", without(x.dimensions, "class"));
        if (x.dimensions.front().role != "batch") // as fields have it
            x = batch_first(x);
        const Dimension classes{"class", std::max(2, extent())};
        prediction_ = with_last(x.dimensions, classes);
        bind("logits", dense(x, classes), prediction_);
        network_.file.statements.push_back("return logits1");
        network_.file.signature += " -> " + options_.element + words(prediction_);
    }

    static Dimensions without(const Dimensions &dimensions, const std::string &role) {
        Dimensions rest;
        for (const Dimension &dimension : dimensions)
            if (dimension.role != role)
                rest.push_back(dimension);
        return rest;
    }

    void training() {
        const std::string call = "net(" + calls_ + ")";
        const std::string loss = random_.pick<std::string>(
            {"cross_entropy(" + call + ", label)", "cross_entropy(" + call + ", label)",
             "mean_square_error(" + call + ", target)", "mean_square_error(softmax(" + call + "), target)",
             "0.5 * cross_entropy(tanh(" + call + "), label)", "0.1 + mean_square_error(" + call + ", target) * 2"});
        const std::string decay = random_.chance(0.3) ? ", weight_decay = 0.01" : "";
        const std::string optimizer = random_.pick<std::string>(
            {"sgd(rate = 0.05", "sgd(rate = 0.05, momentum = 0.9", "adam(rate = 0.01, epsilon = 0.001"});
        network_.file.training = "train net on fields {\n    loss = " + loss + "\n    optimizer = " + optimizer +
                                 decay + ")\n    steps = 3\n    layout = rules\n}\n";
    }

    void declarations() {
        for (const Dimension &dimension : defaults_) {
            network_.file.declarations.push_back("dim " + dimension.role + " = " + std::to_string(dimension.extent));
            network_.roles.push_back(dimension.role);
        }
        network_.roles.insert(network_.roles.end(), primed_.begin(), primed_.end());
        if (with_library_)
            network_.file.declarations.emplace_back(library);
    }

    static constexpr int most_elements = 1500;

    Random &random_;
    const NetworkOptions &options_;
    RandomNetwork network_;
    Dimension batch_;
    Dimensions defaults_;       ///< what `dim` declares
    std::vector<Value> values_; ///< that later layers may take
    std::set<std::string> used_;
    std::set<std::string> primed_;
    std::map<std::string, int> numbers_; ///< of names, by stem
    std::string calls_;                  ///< arguments of the network's call
    Dimensions prediction_;
    bool with_library_ = false;
};

} // namespace

RandomNetwork random_network(Random &random, const NetworkOptions &options) {
    return Writer(random, options).write();
}

} // namespace planc::test
