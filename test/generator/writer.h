// Writes the body of a network statement by statement and remembers what each value is: what kinds of layers build on.
//
//   const Value x = matrix();                                           a value whose last dimension is a feature
//   const Dimension out = output(x);                                    hidden: 5
//   keep("h", "relu(" + dense(x, out) + ")", with_last(x.dimensions, out));        h3 = relu(dense(h1, hidden: 5))
#pragma once

#include "network.h"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace planc::test {

struct Dimension {
    std::string role;
    int extent = 1;
};
using Dimensions = std::vector<Dimension>;

struct Value {
    std::string name;
    Dimensions dimensions;

    [[nodiscard]] const Dimension *find(const std::string &role) const;
};

/// `[batch, hidden]`, roles only.
[[nodiscard]] std::string names(const Dimensions &dimensions);
[[nodiscard]] Dimensions with_last(Dimensions dimensions, const Dimension &last);
[[nodiscard]] Dimensions without(const Dimensions &dimensions, const std::string &role);
/// All but the batch, which need not be the first.
[[nodiscard]] Dimensions features(const Value &x);
[[nodiscard]] int elements(const Dimensions &dimensions);
/// Do equal roles have equal extents?
[[nodiscard]] bool fit(const Value &a, const Value &b);
/// The dimensions of a, then those that only b has.
[[nodiscard]] Dimensions joined(const Value &a, const Value &b);

class Writer {
  protected:
    Writer(Random &random, const NetworkOptions &options);
    /// With other dimensions, of which the first one is that of the samples.
    Writer(Random &random, const NetworkOptions &options, Dimensions defaults);

    int extent();
    /// `hidden`, or `hidden: 5` where that is not what `dim hidden` says.
    [[nodiscard]] std::string word(const Dimension &dimension) const;
    [[nodiscard]] std::string words(const Dimensions &dimensions) const;

    std::string fresh(const std::string &stem);
    /// A statement that binds a new name.
    Value bind(const std::string &stem, const std::string &expression, Dimensions dimensions);
    /// The same, for later layers to take.
    void keep(const std::string &stem, const std::string &expression, const Dimensions &dimensions);
    std::string parameter(const Dimensions &dimensions);

    /// The newest value, or now and then an older one: towers and forks.
    const Value &any();
    /// A value whose last dimension is not the batch; where there is no other, one is made.
    Value matrix();
    Value batch_first(const Value &x);

    /// A dimension for a new layer's output that `x` has not beside its last.
    Dimension output(const Value &x);
    std::string dense(const Value &x, const Dimension &out);
    std::string smooth(const std::string &x);
    std::string unary(const std::string &x);

    /// Writes what stands before the network, and the training behind it.
    void declare(std::vector<std::string> imports);
    void train(const std::string &loss);

    [[nodiscard]] const Dimension &declared(const std::string &role) const;

    Random &random_;
    const NetworkOptions &options_;
    RandomNetwork network_;
    Dimension batch_;
    Dimensions defaults_;       ///< what `dim` declares
    std::vector<Value> values_; ///< that later layers may take
    std::set<std::string> used_;
    std::set<std::string> primed_;
    std::map<std::string, int> numbers_; ///< of names, by stem
};

} // namespace planc::test
