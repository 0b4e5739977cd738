#include "network.h"

#include "convolution_layers.h"

#include <algorithm>

namespace planc::test {

namespace {

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
}
layer both(x: [.., in]) -> ([.., in], [.., in]) {
    param g: [in] = uniform(0.5, 1.5)
    scaled = x * g
    return (tanh(scaled), x - 0.5 * scaled)
})";

class Layers : private ConvolutionLayers {
  public:
    Layers(Random &random, const NetworkOptions &options) : ConvolutionLayers(random, options) {}

    RandomNetwork write() {
        network_.batch = batch_.extent;
        network_.independent_samples = options_.independent_samples;
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
    void inputs() {
        Dimensions dimensions{batch_};
        if (random_.chance(0.35))
            dimensions.push_back(defaults_[1]);
        dimensions.push_back({random_.pick<std::string>({"pixel", "hidden"}), extent()});
        has_image_ = options_.convolutions && random_.chance(0.4);
        if (has_image_)
            dimensions = image();
        std::string arguments = "x: " + options_.element + words(dimensions);
        calls_ = "x";
        values_.push_back({"x", dimensions});
        if (random_.chance(0.15)) {
            const Dimensions second{batch_, {"wide", extent()}};
            arguments += ", z: " + options_.element + words(second);
            calls_ += ", z";
            values_.push_back({"z", second});
        }
        if (random_.chance(0.2))
            indices(arguments, calls_);
        network_.file.signature = "network net(" + arguments + ")";
    }

    // --- kinds of layers ------------------------------------------------------------------------------------

    void add_layer() {
        using Kind = void (Layers::*)();
        static const std::vector<Kind> kinds{&Layers::dense_layer,
                                             &Layers::dense_layer,
                                             &Layers::dense_layer,
                                             &Layers::function,
                                             &Layers::residual,
                                             &Layers::join,
                                             &Layers::join,
                                             &Layers::softmax,
                                             &Layers::reduction,
                                             &Layers::centre,
                                             &Layers::tied,
                                             &Layers::product,
                                             &Layers::own_layer,
                                             &Layers::fold,
                                             &Layers::scaled,
                                             &Layers::two_calls,
                                             &Layers::normalised_batch,
                                             &Layers::over_all,
                                             &Layers::batch_mean,
                                             &Layers::three_factors,
                                             &Layers::doubled,
                                             &Layers::normalised_weight,
                                             &Layers::permuted,
                                             &Layers::unused,
                                             &Layers::one_number,
                                             &Layers::two_results,
                                             &Layers::carried,
                                             &Layers::shared,
                                             &Layers::shared_statistics,
                                             &Layers::expanded};
        static const std::vector<Kind> others{
            &Layers::normalised, &Layers::activation, &Layers::dropped,  &Layers::chosen,
            &Layers::masked,     &Layers::positions,  &Layers::attended, &Layers::looked_up_by_position,
            &Layers::block,      &Layers::attended,   &Layers::sliced,   &Layers::concatenated,
            &Layers::reshaped,   &Layers::transposed, &Layers::renamed,  &Layers::dropped};
        if (has_image_ && random_.chance(0.5))
            return random_.chance(0.1)    ? tied_windows()
                   : random_.chance(0.35) ? pooled()
                   : random_.chance(0.25) ? transposed()
                                          : convolved();
        (this->*random_.pick(random_.chance(0.5) ? kinds : others))();
    }

    void dense_layer() {
        const Value x = matrix();
        const Dimension out = output(x);
        const std::string y = dense(x, out);
        keep("h", random_.chance(0.3) ? y : unary(y), with_last(x.dimensions, out));
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

    void two_results() {
        const Value x = matrix();
        const Value a{fresh("w"), x.dimensions};
        const Value b{fresh("w"), x.dimensions};
        with_library_ = true;
        network_.file.statements.push_back(a.name + ", " + b.name + " = both(" + x.name + ")");
        network_.layers.push_back(a.name);
        values_.push_back(a);
        if (random_.chance(0.7))
            values_.push_back(b);
    }

    /// A fold whose state is two values, over two lists.
    void carried() {
        const Value x = matrix();
        const Value a{fresh("s"), x.dimensions};
        const Value b{fresh("s"), x.dimensions};
        network_.file.statements.push_back(
            a.name + ", " + b.name + " = fold (y, z) = (" + x.name + ", tanh(" + x.name +
            ")) for (i, scale) in zip(0..2, [0.5, 2]) as " + a.name +
            "_step {\n        next = " + smooth(dense({"y", x.dimensions}, x.dimensions.back())) +
            "\n        yield (next + scale * z, y - 0.1 * i * next)\n    }");
        network_.layers.push_back(a.name + "_step[*].next");
        values_.push_back(a);
        values_.push_back(b);
    }

    /// One dense layer with several calls, in a fold too.
    void shared() {
        const Value x = matrix();
        const Dimension same = x.dimensions.back();
        const std::string layer = fresh("l");
        network_.file.statements.push_back("shared " + layer + " = dense(" + word(same) + ")");
        primed_.insert(same.role + "'");
        network_.layers.push_back(layer);
        const Value first = bind("h", smooth(layer + "(" + x.name + ")"), x.dimensions);
        const Value last{fresh("b"), x.dimensions};
        network_.file.statements.push_back(last.name + " = fold y = " + first.name + " for i in 0.." +
                                           std::to_string(random_.whole(1, 3)) + " as " + last.name +
                                           "_call {\n        yield " + smooth(layer + "(y)") + " - 0.5 * y\n    }");
        network_.layers.push_back(last.name + "_call[*]");
        values_.push_back(first);
        values_.push_back(last);
    }

    /// Running statistics that each call changes.
    void shared_statistics() {
        const Value x = matrix();
        if ((options_.independent_samples && !options_.normalised_parts) ||
            elements(x.dimensions) / x.dimensions.back().extent < 2)
            return;
        const std::string layer = fresh("l");
        network_.file.statements.push_back("shared " + layer + " = " +
                                           imported("norm", "batch_norm(0.1, momentum = 0.3)"));
        const Value first = bind("n", layer + "(" + x.name + ")", x.dimensions);
        keep("n", layer + "(tanh(0.7 * " + first.name + "))", x.dimensions);
    }

    void expanded() {
        const Value x = any();
        if (features(x).empty())
            return;
        const Dimension over = random_.pick(features(x));
        const std::string mean = "reduce_mean(" + x.name + ", over = [" + over.role + "])";
        keep("e",
             random_.chance(0.5) ? x.name + " * expand(sigmoid(" + mean + "), " + names(x.dimensions) + ")"
                                 : "expand(" + std::string(random_.chance(0.3) ? "0.5" : mean) + ", " +
                                       names(x.dimensions) + ") + stop_gradient(tanh(" + x.name + ")) * " + x.name,
             x.dimensions);
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

    /// By the statistics of the batch, for each element of one dimension.
    void normalised_batch() {
        const Value x = any();
        const Dimensions rest = features(x);
        if ((options_.independent_samples && !options_.normalised_parts) || rest.empty())
            return;
        const Dimension &over = random_.pick(rest);
        if (elements(x.dimensions) / over.extent < 2)
            return;
        keep("b",
             imported("norm", "batch_norm(" + x.name + random_.pick<std::string>({", 0.1", ", 0.1, momentum = 0.3"}) +
                                  ", over = [" + over.role + "])"),
             x.dimensions);
    }

    void batch_mean() {
        const Value x = any();
        if (options_.independent_samples)
            return;
        const std::string kind = random_.pick<std::string>({"mean", "mean", "max"});
        keep("n", x.name + " - reduce_" + kind + "(" + x.name + ", over = [batch])", x.dimensions);
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
        const std::string type = options_.element + words(prediction_);
        two_heads_ = random_.chance(0.1);
        network_.file.statements.push_back(two_heads_ ? "return (logits1, tanh(logits1))" : "return logits1");
        network_.file.signature += " -> " + (two_heads_ ? "(" + type + ", " + type + ")" : type);
    }

    void training() {
        const std::string call = "net(" + calls_ + ")" + (two_heads_ ? "[0]" : "");
        std::string loss = random_.pick<std::string>(
            {"cross_entropy(" + call + ", label)", "cross_entropy(" + call + ", label" + options_of_labels() + ")",
             "mean_square_error(" + call + ", target)", "mean_square_error(softmax(" + call + "), target)",
             "0.5 * cross_entropy(tanh(" + call + "), label)", "0.1 + mean_square_error(" + call + ", target) * 2"});
        if (two_heads_)
            loss += " + 0.3 * mean_square_error(net(" + calls_ + ")[1], second)";
        train(loss);
    }

    std::string options_of_labels() {
        std::string options = random_.chance(0.5) ? ", smoothing = 0.2" : "";
        if (two_heads_) // a ratio and another mean have no micro-batches
            return options;
        const int labels = elements(prediction_) / prediction_.back().extent;
        if (random_.chance(0.3)) // where it is unlikely that none is left
            options += labels >= 16 && random_.chance(0.5) ? ", ignore = 0" : ", ignore = -1";
        if (random_.chance(0.3)) {
            std::string weights;
            for (int i = 0; i < prediction_.back().extent; ++i)
                weights += (i > 0 ? ", 0." : "0.") + std::to_string(random_.whole(1, 9));
            options += ", weights = [" + weights + "]";
        }
        return options;
    }

    void declarations() {
        declare(imports());
        if (with_library_)
            network_.file.declarations.emplace_back(library);
    }

    static constexpr int most_elements = 1500;

    std::string calls_; ///< arguments of the network's call
    Dimensions prediction_;
    bool with_library_ = false;
    bool has_image_ = false;
    bool two_heads_ = false; ///< the network has a second result, with a term of its own in the loss
};

} // namespace

RandomNetwork random_network(Random &random, const NetworkOptions &options) {
    return Layers(random, options).write();
}

} // namespace planc::test
