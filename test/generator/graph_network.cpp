#include "graph_network.h"

#include "edge_layers.h"

#include <algorithm>
#include <map>
#include <regex>

namespace planc::test {

namespace {

class GraphNetwork : private EdgeLayers {
  public:
    GraphNetwork(Random &random, const NetworkOptions &options, bool sampled)
        : EdgeLayers(random, options, sampled, GraphData(random, !sampled)) {}

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
        static const std::vector<Kind> can_be_sampled{
            &GraphNetwork::summed,        &GraphNetwork::propagated,  &GraphNetwork::convolved,
            &GraphNetwork::sampled_means, &GraphNetwork::isomorphism, &GraphNetwork::dense_layer,
            &GraphNetwork::function,      &GraphNetwork::residual,    &GraphNetwork::softmax,
            &GraphNetwork::joined_values, &GraphNetwork::dropped,     &GraphNetwork::normalised,
            &GraphNetwork::activation,    &GraphNetwork::chosen};
        (this->*random_.pick(sampled_ ? can_be_sampled : random_.chance(0.65) ? sparse : others))();
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
        train(loss + sampling());
    }

    /// The settings, behind that of the loss; none without a sparse product, and none where trees would be large.
    std::string sampling() {
        constexpr int most_hops = 3;
        const int hops = sampled_ ? hops_to_inputs() : 0;
        if (hops == 0 || hops > most_hops)
            return "";
        network_.batch = random_.whole(1, data_.extent("vertex"));
        network_.independent_samples = true;
        std::string fanout;
        for (int hop = 0; hop < hops; ++hop)
            fanout += (hop == 0 ? "" : ", ") + std::to_string(random_.whole(1, 3));
        return "\n    batch = " + std::to_string(network_.batch) + "\n    fanout = [" + fanout + "]";
    }

    /// How many sparse products follow one another, at most. A statement has one, of all values that it names.
    [[nodiscard]] int hops_to_inputs() const {
        static const std::regex product(R"(\b(spmm|gcn|sage|gin)\()");
        static const std::regex name(R"(\b[a-z]+\d+\b)");
        std::map<std::string, int> hops;
        for (const std::string &statement : network_.file.statements) {
            int most = 0;
            for (std::sregex_iterator at(statement.begin(), statement.end(), name); at != std::sregex_iterator(); ++at)
                if (const auto known = hops.find(at->str()); known != hops.end())
                    most = std::max(most, known->second);
            const std::string bound = statement.substr(0, statement.find(' '));
            hops[bound] = most + (std::regex_search(statement, product) ? 1 : 0);
        }
        return hops.at("logits1");
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
    const bool sampled = random.chance(0.15);
    return GraphNetwork(random, options, sampled).write();
}

} // namespace planc::test
