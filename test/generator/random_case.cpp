#include "random_case.h"

#include "network_builder.h"

#include <algorithm>

namespace planc::test {

using sema::Dimension;

namespace {

/// Makes a network layer by layer; `values_` are those that later layers may take, all [batch, …].
class RandomNetwork {
  public:
    RandomNetwork(sema::Train &train, std::mt19937 &random) : train_(train), build_(train.loss), random_(random) {}

    void run() {
        batch_ = {"batch", number(1, 9)};
        build_.layer("");
        values_.push_back(build_.input("x", {batch_, {pick({"pixel", "hidden"}), number(1, 7)}}));
        const int layers = number(1, 5);
        for (int i = 0; i < layers; ++i) {
            build_.layer("l" + std::to_string(i));
            values_.push_back(layer());
        }
        finish();
        optimizer();
    }

  private:
    template <class Number> Number number(Number low, Number high) {
        return std::uniform_int_distribution<Number>(low, high)(random_);
    }
    bool chance(double probability) { return std::bernoulli_distribution(probability)(random_); }
    std::string pick(const std::vector<std::string> &names) { return names[number<std::size_t>(0, names.size() - 1)]; }
    /// The newest value, or now and then an older one: towers and forks.
    Node any() { return chance(0.7) ? values_.back() : values_[number<std::size_t>(0, values_.size() - 1)]; }

    Node layer() {
        switch (number(0, 7)) {
        case 0:
            return residual();
        case 1:
            return two_dimensional();
        case 2:
            return gate();
        case 3:
            return product();
        case 4:
            return shared_weight();
        default:
            return activation(plain_dense(any()));
        }
    }

    Dimension feature() { return {pick({"hidden", "hidden", "wide"}), number<std::int64_t>(1, 8)}; }
    Node plain_dense(const Node &x) { return build_.dense(x, {feature()}, chance(0.6)); }

    Node activation(const Node &x) {
        static const std::vector<std::string> functions{"relu",     "tanh", "sigmoid", "gelu",    "silu",
                                                        "softplus", "abs",  "sin",     "identity"};
        if (chance(0.2))
            return build_.softmax(x, x.dimensions.back().role);
        return build_.pointwise(pick(functions), {x});
    }

    /// Added to a value of the same shape, if there is one.
    Node residual() {
        const Node x = any();
        const std::vector<Dimension> out(x.dimensions.begin() + 1, x.dimensions.end());
        const Node y = activation(build_.dense(x, out, chance(0.5)));
        return build_.pointwise("add", {y, x});
    }

    /// Two feature dimensions, then perhaps a reduction over one of them.
    Node two_dimensional() {
        const std::vector<Dimension> out{{"head", number<std::int64_t>(1, 4)}, {"key", number<std::int64_t>(1, 4)}};
        const Node y = activation(build_.dense(any(), out, chance(0.5)));
        if (chance(0.4))
            return y;
        return build_.reduce(pick({"sum", "mean", "max", "min"}), y, {pick({"head", "key"})});
    }

    /// Each sample scaled by a number made of all of its features.
    Node gate() {
        const Node x = any();
        std::vector<std::string> roles;
        for (std::size_t d = 1; d < x.dimensions.size(); ++d)
            roles.push_back(x.dimensions[d].role);
        const Node scale = build_.pointwise("tanh", {build_.reduce(pick({"mean", "max"}), x, roles)});
        return build_.pointwise("mul", {x, build_.pointwise("mul", {scale, build_.constant(0.5)})});
    }

    /// Two towers joined: their outer product, or its contraction with a weight of three sides.
    Node product() {
        const Node a = build_.pointwise("tanh", {build_.dense(any(), {{"left", number<std::int64_t>(1, 4)}}, false)});
        build_.layer("l" + std::to_string(values_.size()) + ".right");
        const Node b = build_.pointwise("sin", {build_.dense(any(), {{"right", number<std::int64_t>(1, 4)}}, true)});
        build_.layer("l" + std::to_string(values_.size()) + ".joined");
        const std::vector<std::string> left{"batch", "left"};
        const std::vector<std::string> right{"batch", "right"};
        if (chance(0.4))
            return build_.einsum({a, b}, {left, right}, {"batch", "left", "right"}, {"batch", "left", "right"});
        const Dimension out = feature();
        const Node w = build_.parameter("w" + std::to_string(values_.size()), {a.dimensions[1], out, b.dimensions[1]});
        return build_.einsum({a, w, b}, {left, {"left", out.role, "right"}, right}, {"batch", out.role},
                             {"batch", out.role});
    }

    /// The same square weight twice, in two layers.
    Node shared_weight() {
        const std::string name = "l" + std::to_string(values_.size());
        const Node x = any();
        const std::vector<Dimension> out(x.dimensions.begin() + 1, x.dimensions.end());
        const Node first = activation(build_.dense(x, out, chance(0.5)));
        const Node weight = build_.weight();
        build_.layer(name + ".again");
        return activation(build_.dense(first, out, chance(0.5), &weight));
    }

    void finish() {
        build_.layer("logits");
        const Dimension classes{"class", number<std::int64_t>(1, 5)};
        const Node prediction = build_.dense(any(), {classes}, chance(0.7));
        train_.prediction = prediction.id;
        const bool classify = chance(0.7);
        build_.layer("");
        const Node target = classify ? build_.input("label", {batch_}, sema::ElementType::i32)
                                     : build_.input("target", prediction.dimensions);
        build_.layer("loss");
        if (classify) {
            train_.label = target.id;
            train_.class_role = "class";
            train_.loss.result = build_.cross_entropy(prediction, target, "class").id;
        } else {
            train_.loss.result = build_.mean_square_error(prediction, target).id;
        }
        train_.loss.name = "loss";
    }

    void optimizer() {
        sema::Optimizer &optimizer = train_.optimizer;
        optimizer.rate = 0.05;
        optimizer.weight_decay = chance(0.3) ? 0.01 : 0;
        if (chance(0.3))
            optimizer.kind = sema::Optimizer::Kind::adam;
        else
            optimizer.momentum = chance(0.5) ? 0.9 : 0;
    }

    sema::Train &train_;
    NetworkBuilder build_;
    std::mt19937 &random_;
    Dimension batch_;
    std::vector<Node> values_;
};

} // namespace

RandomCase random_case(std::mt19937 &random) {
    RandomCase result;
    result.program.file = "random.plan";
    RandomNetwork(result.train, random).run();
    static const std::vector<std::vector<std::int64_t>> meshes{
        {1},    {2},    {3},    {4},    {5},    {6},       {7},       {8},       {2, 2},
        {2, 3}, {3, 2}, {2, 4}, {4, 2}, {1, 4}, {2, 2, 2}, {2, 1, 3}, {2, 2, 1}, {1, 1, 5}};
    const auto &sizes = meshes[std::uniform_int_distribution<std::size_t>(0, meshes.size() - 1)(random)];
    for (std::size_t i = 0; i < sizes.size(); ++i)
        result.mesh.emplace_back(std::string(1, static_cast<char>('p' + i)), sizes[i]);
    return result;
}

} // namespace planc::test
