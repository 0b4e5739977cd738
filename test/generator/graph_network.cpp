#include "graph_network.h"

#include "edge_layers.h"

#include <algorithm>

namespace planc::test {

namespace {

class GraphNetwork : private EdgeLayers {
  public:
    GraphNetwork(Random &random, const NetworkOptions &options) : EdgeLayers(random, options, GraphData(random)) {}

    RandomNetwork write() {
        network_.graph = true;
        choose_samples();
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
    void choose_samples() {
        std::vector<std::string> kinds{"vertex", "vertex", "vertex"};
        for (const char *kind : {"word", "edge", "group"})
            if (data_.has(kind))
                kinds.insert(kinds.end(), 2, kind);
        samples_ = random_.pick(kinds);
        network_.batch = data_.extent(samples_);
    }

    void inputs() {
        std::string arguments;
        for (const GraphMatrix &matrix : data_.matrices()) {
            arguments += matrix.name + ": sparse[" + matrix.rows + ", " + matrix.columns +
                         (matrix.is_square() ? "'" : "") + ", " + options_.element + "], ";
            calls_ += matrix.name + ", ";
        }
        add_input("x", "vertex", "feature", arguments);
        if (data_.has("edge") && random_.chance(0.5))
            add_input("y", "edge", "wide", arguments);
        if (data_.has("group") && random_.chance(0.3))
            add_input("z", "group", "wide", arguments);
        arguments.resize(arguments.size() - 2);
        calls_.resize(calls_.size() - 2);
        network_.file.signature = "network net(" + arguments + ")";
    }

    void add_input(const std::string &name, const std::string &rows, const std::string &role, std::string &arguments) {
        const Dimensions dimensions = shape(rows, features(role));
        arguments += name + ": " + options_.element + words(dimensions) + ", ";
        calls_ += name + ", ";
        values_.push_back({name, dimensions});
        fields_.push_back({name, rows, dimensions.back().extent});
    }

    void add_layer() {
        using Kind = void (GraphNetwork::*)();
        static const std::vector<Kind> sparse{
            &GraphNetwork::summed,          &GraphNetwork::summed,          &GraphNetwork::propagated,
            &GraphNetwork::convolved,       &GraphNetwork::convolved,       &GraphNetwork::sampled_means,
            &GraphNetwork::largest,         &GraphNetwork::isomorphism,     &GraphNetwork::spread,
            &GraphNetwork::attended_heads,  &GraphNetwork::attended_heads,  &GraphNetwork::pooled,
            &GraphNetwork::messages,        &GraphNetwork::scores_of_links, &GraphNetwork::turned,
            &GraphNetwork::attended,        &GraphNetwork::attended,        &GraphNetwork::weighted_largest,
            &GraphNetwork::looked_up_words, &GraphNetwork::sums_of_entries};
        static const std::vector<Kind> others{
            &GraphNetwork::dense_layer,   &GraphNetwork::function,   &GraphNetwork::residual,
            &GraphNetwork::places,        &GraphNetwork::softmax,    &GraphNetwork::joined_values,
            &GraphNetwork::dropped,       &GraphNetwork::normalised, &GraphNetwork::activation,
            &GraphNetwork::joined_values, &GraphNetwork::chosen,     &GraphNetwork::centred_rows};
        (this->*random_.pick(random_.chance(0.65) ? sparse : others))();
    }

    /// What nobody has used yet is added to the newest value, as a number for each row.
    void join_what_is_left() {
        const std::size_t count = values_.size() - 1;
        for (std::size_t i = 0; i < count; ++i) {
            if (used_.contains(values_[i].name))
                continue;
            const Value last = values_.back();
            const Value left = at(values_[i], rows_of(last));
            keep("j", last.name + " + reduce_mean(" + left.name + ", over = [" + left.dimensions.back().role + "])",
                 last.dimensions);
        }
    }

    void finish() {
        used_.insert(values_.back().name);
        const Value x = at(values_.back(), samples_);
        const Dimension classes{"class", random_.whole(2, 5)};
        prediction_ = with_last(x.dimensions, classes);
        const bool sparse = samples_ == "vertex" && random_.chance(0.5);
        const std::string logits =
            sparse ? imported("graph", "gcn(" + square_matrix() + ", " + x.name + ", " + word(classes) + ")")
                   : dense(x, classes);
        if (x.dimensions.back().role == "class")
            primed_.insert("class'");
        bind("logits", logits, prediction_);
        network_.file.statements.push_back("return logits1");
        network_.file.signature += " -> " + options_.element + words(prediction_);
    }

    void training() {
        const std::string call = "net(" + calls_ + ")";
        const bool labels = random_.chance(0.6);
        const std::string loss =
            labels ? random_.pick<std::string>(
                         {"cross_entropy(" + call + ", label)", "0.5 * cross_entropy(tanh(" + call + "), label)"})
                   : random_.pick<std::string>({"mean_square_error(" + call + ", target)",
                                                "0.1 + mean_square_error(softmax(" + call + "), target) * 2"});
        const int classes = prediction_.back().extent;
        fields_.push_back({labels ? "label" : "target", samples_, labels ? 1 : classes, labels ? classes : 0});
        network_.file.data = data_.declaration(samples_, fields_, network_.file.files);
        train(loss);
    }

    void declarations() {
        declare(imports());
        network_.frequent_roles = {"vertex", "vertex'", "hidden", "vertex", "vertex'", samples_};
    }

    std::string samples_; ///< the kind of rows with labels
    std::string calls_;   ///< arguments of the network's call
    std::vector<GraphField> fields_;
    Dimensions prediction_;
};

} // namespace

RandomNetwork random_graph_network(Random &random, const NetworkOptions &options) {
    return GraphNetwork(random, options).write();
}

} // namespace planc::test
