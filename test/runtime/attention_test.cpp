// Attention and its gradients against their definition, in double.
#include "kernels/libraries/blas.h"

#include <planrt/attention.h>
#include <planrt/parallel.h>

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

namespace planrt {
namespace {

/// Queries [batch, position, group, head, feature], keys [batch, key, head, feature], values [batch, key, head, value],
/// a mask [key, batch, position]: heads and batch are loops around, positions and groups are rows.
struct Sizes {
    std::int64_t batch = 2;
    std::int64_t heads = 2;
    std::int64_t positions = 9;
    std::int64_t groups = 1;
    std::int64_t keys = 9;
    std::int64_t features = 5;
    std::int64_t values = 7;
    bool causal = false;
    std::int64_t window = 0;
    std::int64_t ahead = 0;
    bool masked = false;
    bool groups_first = false; ///< the order of the rows in the kernel, not that in memory

    [[nodiscard]] std::int64_t queries() const { return batch * positions * groups * heads; }

    [[nodiscard]] Attention shape() const {
        const std::int64_t g = heads;
        const std::int64_t p = groups * g;
        const std::int64_t b = positions * p;
        Attention shape;
        shape.batch = {{batch, b * features, keys * heads * features, keys * heads * values, b * values, b, positions},
                       {heads, features, features, values, values, 1, 0}};
        shape.rows = {{positions, p * features, 0, 0, p * values, p, 1},
                      {groups, g * features, 0, 0, g * values, g, 0}};
        if (groups_first)
            std::swap(shape.rows[0], shape.rows[1]);
        shape.keys = keys;
        shape.features = features;
        shape.values = values;
        shape.k_stride = heads * features;
        shape.v_stride = heads * values;
        shape.seen_stride = batch * positions;
        if (causal)
            shape.position = groups_first ? 1 : 0;
        shape.ahead = ahead;
        shape.window = window;
        return shape;
    }
};

template <class T> std::vector<T> normal(std::int64_t count, std::mt19937_64 &random) {
    std::normal_distribution<double> distribution;
    std::vector<T> values(static_cast<std::size_t>(count));
    for (T &value : values)
        value = static_cast<T>(distribution(random));
    return values;
}

template <class T> struct Operands {
    Operands(const Sizes &sizes, std::uint64_t seed) : Operands(sizes, std::mt19937_64(seed)) {}

    [[nodiscard]] AttentionInputs<T> inputs(const Sizes &sizes) const {
        return {q.data(), k.data(), v.data(), sizes.masked ? seen.data() : nullptr};
    }

    std::vector<T> q;
    std::vector<T> k;
    std::vector<T> v;
    std::vector<T> dy;
    std::vector<std::int32_t> seen;

  private:
    Operands(const Sizes &sizes, std::mt19937_64 random)
        : q(normal<T>(sizes.queries() * sizes.features, random)),
          k(normal<T>(sizes.batch * sizes.keys * sizes.heads * sizes.features, random)),
          v(normal<T>(sizes.batch * sizes.keys * sizes.heads * sizes.values, random)),
          dy(normal<T>(sizes.queries() * sizes.values, random)),
          seen(static_cast<std::size_t>(sizes.keys * sizes.batch * sizes.positions)) {
        for (std::int32_t &each : seen)
            each = random() % 3 == 0 ? 0 : static_cast<std::int32_t>(random() % 5) - 7; // not only 1
    }
};

template <class T> struct Results {
    /// Filled with what no kernel may leave or read.
    explicit Results(const Sizes &sizes)
        : out(filled(sizes.queries() * sizes.values)), total(filled(sizes.queries())),
          dq(filled(sizes.queries() * sizes.features)),
          dk(filled(sizes.batch * sizes.keys * sizes.heads * sizes.features)),
          dv(filled(sizes.batch * sizes.keys * sizes.heads * sizes.values)) {}

    static std::vector<T> filled(std::int64_t count) {
        return std::vector<T>(static_cast<std::size_t>(count), std::numeric_limits<T>::quiet_NaN());
    }

    std::vector<T> out;
    std::vector<T> total;
    std::vector<T> dq;
    std::vector<T> dk;
    std::vector<T> dv;
};

template <class T> T dot(const T *a, const T *b, std::int64_t count) {
    return std::inner_product(a, a + count, b, T{0});
}

/// The definition, query by query.
class Definition {
  public:
    template <class T>
    Definition(const Sizes &sizes, const Operands<T> &of)
        : results(sizes), sizes_(sizes), q_(doubles(of.q)), k_(doubles(of.k)), v_(doubles(of.v)), dy_(doubles(of.dy)),
          seen_(of.seen) {
        for (std::vector<double> *gradient : {&results.dq, &results.dk, &results.dv})
            std::fill(gradient->begin(), gradient->end(), 0.0);
        for (std::int64_t b = 0; b < sizes.batch; ++b)
            for (std::int64_t p = 0; p < sizes.positions; ++p)
                for (std::int64_t g = 0; g < sizes.groups; ++g)
                    for (std::int64_t h = 0; h < sizes.heads; ++h)
                        add(b, p, ((b * sizes.positions + p) * sizes.groups + g) * sizes.heads + h, h);
    }

    Results<double> results;

  private:
    template <class T> static std::vector<double> doubles(const std::vector<T> &values) {
        return {values.begin(), values.end()};
    }

    [[nodiscard]] bool sees(std::int64_t b, std::int64_t p, std::int64_t key) const {
        const std::int64_t behind = p + sizes_.ahead - key;
        return (!sizes_.causal || (behind >= 0 && (sizes_.window == 0 || behind < sizes_.window))) &&
               (!sizes_.masked ||
                seen_[static_cast<std::size_t>((key * sizes_.batch + b) * sizes_.positions + p)] != 0);
    }

    void add(std::int64_t b, std::int64_t p, std::int64_t query, std::int64_t h) {
        const std::int64_t features = sizes_.features;
        const std::int64_t values = sizes_.values;
        const double *q = q_.data() + query * features;
        const double *dy = dy_.data() + query * values;
        double *out = results.out.data() + query * values;
        std::vector<std::int64_t> rows; // of the keys that it sees
        std::vector<double> weights;
        for (std::int64_t key = 0; key < sizes_.keys; ++key)
            if (sees(b, p, key)) {
                rows.push_back((b * sizes_.keys + key) * sizes_.heads + h);
                weights.push_back(dot(q, k_.data() + rows.back() * features, features));
            }
        double largest = -std::numeric_limits<double>::infinity();
        for (const double score : weights)
            largest = std::max(largest, score);
        double sum = 0;
        for (double &weight : weights) {
            weight = std::exp(weight - largest);
            sum += weight;
        }
        results.total[static_cast<std::size_t>(query)] = largest + std::log(sum);
        std::fill_n(out, values, 0.0);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            weights[i] /= sum;
            for (std::int64_t e = 0; e < values; ++e)
                out[e] += weights[i] * v_[static_cast<std::size_t>(rows[i] * values + e)];
        }
        const double delta = dot(out, dy, values);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            const double *k = k_.data() + rows[i] * features;
            const double change = weights[i] * (dot(dy, v_.data() + rows[i] * values, values) - delta);
            for (std::int64_t e = 0; e < values; ++e)
                results.dv[static_cast<std::size_t>(rows[i] * values + e)] += weights[i] * dy[e];
            for (std::int64_t d = 0; d < features; ++d) {
                results.dq[static_cast<std::size_t>(query * features + d)] += change * k[d];
                results.dk[static_cast<std::size_t>(rows[i] * features + d)] += change * q[d];
            }
        }
    }

    Sizes sizes_;
    std::vector<double> q_;
    std::vector<double> k_;
    std::vector<double> v_;
    std::vector<double> dy_;
    std::vector<std::int32_t> seen_;
};

template <class T> std::vector<T> delta_of(const Sizes &sizes, const Operands<T> &of, const Results<T> &results) {
    std::vector<T> delta(results.total.size());
    for (std::size_t i = 0; i < delta.size(); ++i) {
        const std::int64_t at = static_cast<std::int64_t>(i) * sizes.values;
        delta[i] = dot(results.out.data() + at, of.dy.data() + at, sizes.values);
    }
    return delta;
}

/// As programs do: what the forward pass gives goes into the gradients.
template <class T> Results<T> compute(const Sizes &sizes, const Operands<T> &of) {
    const Attention shape = sizes.shape();
    Results<T> results(sizes);
    attention_forward(shape, of.inputs(sizes), results.out.data(), results.total.data());
    const std::vector<T> delta = delta_of(sizes, of, results);
    attention_backward(shape, of.inputs(sizes), AttentionSums<T>{results.total.data(), of.dy.data(), delta.data()},
                       AttentionGradients<T>{results.dq.data(), results.dk.data(), results.dv.data()});
    return results;
}

/// Relative to the largest element.
template <class T>
void expect_near(const char *name, const std::vector<T> &got, const std::vector<double> &wanted, double tolerance) {
    ASSERT_EQ(got.size(), wanted.size()) << name;
    double scale = 1;
    for (const double value : wanted)
        scale = std::isfinite(value) ? std::max(scale, std::abs(value)) : scale;
    for (std::size_t i = 0; i < got.size(); ++i)
        ASSERT_TRUE(static_cast<double>(got[i]) == wanted[i] ||
                    std::abs(static_cast<double>(got[i]) - wanted[i]) <= tolerance * scale)
            << name << "[" << i << "] is " << got[i] << ", not " << wanted[i];
}

template <class T> void expect_defined(const Sizes &sizes, const Operands<T> &of, double tolerance) {
    const Definition definition(sizes, of);
    const Results<T> results = compute(sizes, of);
    expect_near("out", results.out, definition.results.out, tolerance);
    expect_near("total", results.total, definition.results.total, tolerance);
    expect_near("dq", results.dq, definition.results.dq, tolerance);
    expect_near("dk", results.dk, definition.results.dk, tolerance);
    expect_near("dv", results.dv, definition.results.dv, tolerance);
}

void expect_defined(const Sizes &sizes) {
    expect_defined(sizes, Operands<double>(sizes, 1), 1e-12);
    expect_defined(sizes, Operands<float>(sizes, 1), 1e-5);
}

/// Beyond one block of rows and one tile of keys, neither a multiple of them.
const Sizes large{.positions = 150, .groups = 2, .keys = 530};

class Attends : public testing::Test {
  protected:
    static void SetUpTestSuite() { load_blas(1); }
};

} // namespace

TEST_F(Attends, ToAllKeys) {
    expect_defined({});
    expect_defined({.positions = 1, .keys = 1});
    expect_defined({.positions = 3, .keys = 20, .features = 1, .values = 1});
    expect_defined({.positions = 64, .keys = 256, .features = 16, .values = 16}); // one whole block and tile
    expect_defined(large);
}

TEST_F(Attends, ToKeysUpToTheQuery) {
    expect_defined({.causal = true});
    expect_defined({.positions = 5, .keys = 12, .causal = true});
    expect_defined({.positions = 12, .keys = 5, .causal = true});
    Sizes sizes = large;
    sizes.causal = true;
    expect_defined(sizes);
    sizes.positions = 600;
    sizes.groups = 1;
    sizes.batch = 1;
    expect_defined(sizes);
}

TEST_F(Attends, ToKeysWithinAWindow) {
    for (const std::int64_t window : {1, 4, 100})
        expect_defined({.causal = true, .window = window});
    Sizes sizes = large;
    sizes.causal = true;
    sizes.positions = 600;
    sizes.groups = 1;
    sizes.batch = 1;
    for (const std::int64_t window : {1, 5, 300, 1000}) {
        sizes.window = window;
        expect_defined(sizes);
    }
    expect_defined({.positions = 40, .keys = 9, .causal = true, .window = 6}); // the last queries see none
}

// Parts of the queries, or of the keys, of other ranks.
TEST_F(Attends, ToKeysThatBeginElsewhere) {
    for (const std::int64_t ahead : {-20, -4, -1, 3, 8, 30})
        for (const std::int64_t window : {0, 1, 6})
            expect_defined({.causal = true, .window = window, .ahead = ahead});
    Sizes sizes = large;
    sizes.causal = true;
    for (const std::int64_t ahead : {-70, 280, 400, 900})
        for (const std::int64_t window : {0, 200}) {
            sizes.ahead = ahead;
            sizes.window = window;
            expect_defined(sizes);
        }
}

TEST_F(Attends, ToKeysOfAMask) {
    expect_defined({.masked = true});
    expect_defined({.positions = 40, .groups = 2, .causal = true, .window = 3, .masked = true}); // some see no key
    Sizes sizes = large;
    sizes.masked = true;
    expect_defined(sizes);
    sizes.causal = true;
    sizes.window = 270;
    expect_defined(sizes);
}

// As many queries for each key: groups stand inside the position, or outside.
TEST_F(Attends, WithQueriesInGroups) {
    for (const bool first : {false, true})
        for (const std::int64_t groups : {3, 70}) {
            expect_defined({.groups = groups, .groups_first = first});
            expect_defined({.groups = groups, .causal = true, .window = 4, .masked = true, .groups_first = first});
        }
}

TEST_F(Attends, OnThreads) {
    Sizes sizes = large;
    sizes.batch = 3;
    sizes.causal = true;
    sizes.masked = true;
    set_thread_count(3);
    expect_defined(sizes);
    set_thread_count(1);
}

template <class T> void expect_nothing_where_nothing_is_seen() {
    Sizes sizes{.positions = 70, .keys = 300, .causal = true, .masked = true};
    Operands<T> of(sizes, 2);
    for (std::int64_t key = 0; key < sizes.keys; ++key)
        for (std::int64_t p = 0; p < sizes.positions; ++p) {
            std::int32_t *seen = of.seen.data() + key * sizes.batch * sizes.positions + p;
            if (p % 3 == 0) // of the first sample
                seen[0] = 0;
            seen[sizes.positions] = 0; // the second one
        }
    expect_defined(sizes, of, 1e-5);
    const Results<T> results = compute(sizes, of);
    const std::int64_t sample = sizes.queries() / 2;
    for (std::int64_t query = 0; query < sizes.queries(); ++query) {
        if (query < sample && query / sizes.heads % 3 != 0)
            continue;
        EXPECT_EQ(results.total[static_cast<std::size_t>(query)], -std::numeric_limits<T>::infinity()) << query;
        for (std::int64_t e = 0; e < sizes.values; ++e)
            EXPECT_EQ(results.out[static_cast<std::size_t>(query * sizes.values + e)], 0) << query;
        for (std::int64_t d = 0; d < sizes.features; ++d)
            EXPECT_EQ(results.dq[static_cast<std::size_t>(query * sizes.features + d)], 0) << query;
    }
    for (const std::vector<T> *gradient : {&results.dk, &results.dv})
        EXPECT_TRUE(std::all_of(gradient->begin() + static_cast<std::ptrdiff_t>(gradient->size() / 2), gradient->end(),
                                [](T value) { return value == 0; }));
}

TEST_F(Attends, ToNothingWhereNothingIsSeen) {
    expect_nothing_where_nothing_is_seen<double>();
    expect_nothing_where_nothing_is_seen<float>();
}

// A rank may have no keys, no queries or no sample.
TEST_F(Attends, ToNoKeys) {
    for (const bool causal : {false, true}) {
        const Sizes sizes{.positions = 70, .keys = 0, .causal = causal, .masked = causal};
        expect_defined(sizes);
        const Results<float> results = compute(sizes, Operands<float>(sizes, 1));
        EXPECT_EQ(results.out, std::vector<float>(results.out.size(), 0.0F));
        EXPECT_EQ(results.total, std::vector<float>(results.total.size(), -std::numeric_limits<float>::infinity()));
        EXPECT_EQ(results.dq, std::vector<float>(results.dq.size(), 0.0F));
        expect_defined({.positions = 0, .causal = causal});
        expect_defined({.batch = 0, .causal = causal});
    }
}

// Scores beyond the range of exp, of either sign, and weights that leave one key.
TEST_F(Attends, WithLargeScores) {
    for (const double factor : {30.0, -30.0, 1000.0}) {
        const Sizes sizes{.positions = 20, .keys = 300, .causal = true};
        Operands<double> of(sizes, 3);
        for (double &value : of.q)
            value *= factor;
        expect_defined(sizes, of, 1e-9);
    }
}

// What is not wanted is not written; the rest is the same.
TEST_F(Attends, WithSomeResultsOnly) {
    const Sizes sizes{.positions = 70, .groups = 2, .keys = 300, .causal = true};
    const Operands<float> of(sizes, 4);
    const Results<float> all = compute(sizes, of);
    const std::vector<float> delta = delta_of(sizes, of, all);
    const Attention shape = sizes.shape();
    Results<float> part(sizes);
    attention_forward<float>(shape, of.inputs(sizes), part.out.data(), nullptr);
    attention_forward<float>(shape, of.inputs(sizes), nullptr, part.total.data());
    EXPECT_EQ(part.out, all.out);
    EXPECT_EQ(part.total, all.total);
    const AttentionSums<float> sums{all.total.data(), of.dy.data(), delta.data()};
    attention_backward<float>(shape, of.inputs(sizes), sums, {part.dq.data(), nullptr, nullptr});
    attention_backward<float>(shape, of.inputs(sizes), sums, {nullptr, part.dk.data(), nullptr});
    attention_backward<float>(shape, of.inputs(sizes), sums, {nullptr, nullptr, part.dv.data()});
    EXPECT_EQ(part.dq, all.dq);
    EXPECT_EQ(part.dk, all.dk);
    EXPECT_EQ(part.dv, all.dv);
}

// Not a query that sees no key: divergence stays seen.
TEST_F(Attends, WithWhatIsNoNumber) {
    const Sizes sizes{.batch = 1, .heads = 1, .positions = 3, .keys = 300};
    Operands<float> of(sizes, 5);
    of.q[static_cast<std::size_t>(sizes.features)] = std::numeric_limits<float>::quiet_NaN(); // of query 1
    const Results<float> results = compute(sizes, of);
    EXPECT_TRUE(std::isnan(results.total[1]));
    EXPECT_TRUE(std::isnan(results.out[static_cast<std::size_t>(sizes.values)]));
    EXPECT_TRUE(std::isnan(results.dq[static_cast<std::size_t>(sizes.features)]));
    EXPECT_TRUE(std::isfinite(results.total[0]) && std::isfinite(results.total[2]));
}

} // namespace planrt
