// Attention without a matrix of scores in memory: out = softmax(q kᵀ) v, tile by tile, with the running maximum and sum
// of each query (Milakov, Gimelshein 2018; Dao et al. 2022). Its gradient computes the scores again.
#pragma once

#include <planrt/multiply.h>
#include <planrt/parallel.h>
#include <planrt/vector_math.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>
#include <vector>

namespace planrt {

/// A loop around matrix products: its count and, in elements, the strides of each tensor; 0 where it has no such
/// dimension.
struct AttentionLoop {
    std::int64_t count = 1;
    std::int64_t q = 0;
    std::int64_t k = 0;
    std::int64_t v = 0;
    std::int64_t out = 0;
    std::int64_t sums = 0; ///< what there is once a query: `total`, `delta`
    std::int64_t seen = 0;
};

/// Shapes: q (batch, rows, features), k (batch, keys, features), v (batch, keys, values), out (batch, rows, values), in
/// any order of dimensions except that features and values are the last ones.
struct Attention {
    std::vector<AttentionLoop> batch; ///< loops that q, k and v have
    std::vector<AttentionLoop> rows;  ///< loops that the queries alone have
    std::int64_t keys = 0;
    std::int64_t features = 0;
    std::int64_t values = 0;
    std::int64_t k_stride = 0; ///< from key to key
    std::int64_t v_stride = 0;
    std::int64_t seen_stride = 0;
    int position = -1;       ///< the loop of `rows` that counts queries; -1: each query sees all keys
    std::int64_t ahead = 0;  ///< index of the first query minus that of the first key
    std::int64_t window = 0; ///< a query at p sees the keys p - window + 1 to p; 0: 0 to p
};

template <class T> struct AttentionInputs {
    const T *q = nullptr;
    const T *k = nullptr;
    const T *v = nullptr;
    const std::int32_t *seen = nullptr; ///< 0: this key counts nowhere; null: all count
};

/// What the gradient takes besides: `total` of the forward pass, the gradient of `out`, and delta, the sum of the
/// products of `out` and its gradient over the values.
template <class T> struct AttentionSums {
    const T *total = nullptr;
    const T *gradient = nullptr;
    const T *delta = nullptr;
};

/// Null: not wanted.
template <class T> struct AttentionGradients {
    T *q = nullptr;
    T *k = nullptr;
    T *v = nullptr;
};

namespace attention {

constexpr std::int64_t row_block = 64;
constexpr std::int64_t key_block = 256;

/// Goes through the combinations of loops, the last one fastest, and knows where each begins in every tensor.
class Odometer {
  public:
    explicit Odometer(const std::vector<AttentionLoop> &loops) : loops_(loops), index_(loops.size(), 0) {}
    Odometer(const std::vector<AttentionLoop> &loops, std::int64_t number) : Odometer(loops) {
        for (std::size_t i = loops.size(); i-- > 0; number /= loops[i].count) {
            index_[i] = number % loops[i].count;
            move(loops[i], index_[i]);
        }
    }
    void next() {
        for (std::size_t i = loops_.size(); i-- > 0;) {
            move(loops_[i], 1);
            if (++index_[i] < loops_[i].count)
                return;
            move(loops_[i], -index_[i]);
            index_[i] = 0;
        }
    }
    [[nodiscard]] const AttentionLoop &place() const { return place_; }
    [[nodiscard]] std::int64_t index(int loop) const { return index_[static_cast<std::size_t>(loop)]; }

  private:
    void move(const AttentionLoop &loop, std::int64_t times) {
        place_.q += times * loop.q;
        place_.k += times * loop.k;
        place_.v += times * loop.v;
        place_.out += times * loop.out;
        place_.sums += times * loop.sums;
        place_.seen += times * loop.seen;
    }

    const std::vector<AttentionLoop> &loops_;
    std::vector<std::int64_t> index_;
    AttentionLoop place_;
};

inline std::int64_t count(const std::vector<AttentionLoop> &loops) {
    std::int64_t product = 1;
    for (const AttentionLoop &loop : loops)
        product *= loop.count;
    return product;
}

/// Some queries of one combination of the batch's loops, and the keys that they see.
class Rows {
  public:
    Rows(const Attention &shape, const AttentionLoop &batch, std::int64_t first)
        : size_(std::min(row_block, count(shape.rows) - first)) {
        Odometer odometer(shape.rows, first);
        for (std::int64_t r = 0; r < size_; ++r, odometer.next()) {
            AttentionLoop place = odometer.place();
            place.q += batch.q;
            place.out += batch.out;
            place.sums += batch.sums;
            place.seen += batch.seen;
            places_[r] = place;
            const std::int64_t behind =
                shape.position < 0 ? shape.keys : odometer.index(shape.position) + shape.ahead + 1;
            end_[r] = std::clamp<std::int64_t>(behind, 0, shape.keys);
            begin_[r] = shape.position < 0 || shape.window == 0
                            ? 0
                            : std::clamp<std::int64_t>(behind - shape.window, 0, end_[r]);
        }
    }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] const AttentionLoop &place(std::int64_t row) const { return places_[row]; }
    [[nodiscard]] std::int64_t begin(std::int64_t row) const { return begin_[row]; }
    [[nodiscard]] std::int64_t end(std::int64_t row) const { return end_[row]; }
    /// The keys that any of them sees.
    [[nodiscard]] std::int64_t first_key() const { return *std::min_element(begin_, begin_ + size_); }
    [[nodiscard]] std::int64_t last_key() const { return *std::max_element(end_, end_ + size_); }

    template <class T>
    void read(const T *from, std::int64_t AttentionLoop::*stride, std::int64_t width, std::vector<T> &to) const {
        for (std::int64_t r = 0; r < size_; ++r)
            std::copy_n(from + places_[r].*stride, width, to.data() + r * width);
    }

  private:
    std::int64_t size_;
    AttentionLoop places_[row_block];
    std::int64_t begin_[row_block];
    std::int64_t end_[row_block];
};

/// The keys [first, first + size) under the eyes of a block of queries.
template <class T> class Tile {
  public:
    Tile(const Attention &shape, const AttentionInputs<T> &in, const AttentionLoop &batch)
        : shape_(shape), in_(in), k_(in.k + batch.k), v_(in.v + batch.v) {}

    void move(std::int64_t first, std::int64_t size) {
        first_ = first;
        size_ = size;
    }
    [[nodiscard]] std::int64_t size() const { return size_; }
    [[nodiscard]] std::int64_t k_offset() const { return first_ * shape_.k_stride; }
    [[nodiscard]] std::int64_t v_offset() const { return first_ * shape_.v_stride; }
    [[nodiscard]] const T *k() const { return k_ + k_offset(); }
    [[nodiscard]] const T *v() const { return v_ + v_offset(); }

    /// scores (row_block, key_block) = q kᵀ, where the row sees the key; elsewhere `hidden`.
    void scores(const Rows &rows, const T *q, T hidden, T *scores) const {
        multiply(Op::plain, Op::transposed, rows.size(), size_, shape_.features, T{1}, q, shape_.features, k(),
                 shape_.k_stride, T{0}, scores, key_block);
        for (std::int64_t r = 0; r < rows.size(); ++r) {
            T *row = scores + r * key_block;
            const std::int64_t begin = std::clamp<std::int64_t>(rows.begin(r) - first_, 0, size_);
            const std::int64_t end = std::clamp<std::int64_t>(rows.end(r) - first_, begin, size_);
            std::fill(row, row + begin, hidden);
            std::fill(row + end, row + size_, hidden);
            if (in_.seen == nullptr)
                continue;
            const std::int32_t *seen = in_.seen + rows.place(r).seen + first_ * shape_.seen_stride;
            for (std::int64_t j = begin; j < end; ++j)
                row[j] = seen[j * shape_.seen_stride] != 0 ? row[j] : hidden;
        }
    }

  private:
    const Attention &shape_;
    const AttentionInputs<T> &in_;
    const T *k_;
    const T *v_;
    std::int64_t first_ = 0;
    std::int64_t size_ = 0;
};

/// What is no number is no maximum. In lanes, because compilers do not vectorise a maximum that might meet one.
template <class T> T largest_of(const T *row, std::int64_t size, T least) {
    constexpr std::int64_t lanes = 64 / sizeof(T);
    T largest[lanes];
    std::fill_n(largest, lanes, least);
    std::int64_t j = 0;
    for (; j + lanes <= size; j += lanes)
        for (std::int64_t lane = 0; lane < lanes; ++lane)
            largest[lane] = row[j + lane] > largest[lane] ? row[j + lane] : largest[lane];
    for (; j < size; ++j)
        largest[0] = std::max(largest[0], row[j]);
    return *std::max_element(largest, largest + lanes);
}

/// Turns a row of scores into weights relative to the new maximum. Returns the factor of what was summed before.
template <class T> T weigh(T *row, std::int64_t size, T &maximum, T &sum) {
    const T largest = largest_of(row, size, maximum);
    // 0 if no key has been seen so far: the weights are 0 then, and what is no number stays so.
    const T shift = largest == -std::numeric_limits<T>::infinity() ? T{0} : largest;
    T added{0};
#pragma omp simd reduction(+ : added)
    for (std::int64_t j = 0; j < size; ++j) {
        row[j] = planrt::exp(row[j] - shift);
        added += row[j];
    }
    const T factor = planrt::exp(maximum - shift);
    maximum = largest;
    sum = sum * factor + added;
    return factor;
}

/// One block of queries of the forward pass.
template <class T> class Forward {
  public:
    Forward(const Attention &shape, const AttentionInputs<T> &in)
        : shape_(shape), in_(in), q_(row_block * shape.features), out_(row_block * shape.values),
          scores_(row_block * key_block) {}

    void run(const AttentionLoop &batch, std::int64_t first, T *out, T *total) {
        const Rows rows(shape_, batch, first);
        rows.read(in_.q, &AttentionLoop::q, shape_.features, q_);
        std::fill(out_.begin(), out_.end(), T{0});
        std::fill_n(maximum_, row_block, -std::numeric_limits<T>::infinity());
        std::fill_n(sum_, row_block, T{0});
        Tile<T> tile(shape_, in_, batch);
        for (std::int64_t key = rows.first_key(); key < rows.last_key(); key += key_block) {
            tile.move(key, std::min(key_block, rows.last_key() - key));
            add(rows, tile);
        }
        for (std::int64_t r = 0; r < rows.size(); ++r) {
            const T inverse = sum_[r] > 0 ? T{1} / sum_[r] : T{0};
            for (std::int64_t j = 0; out != nullptr && j < shape_.values; ++j)
                out[rows.place(r).out + j] = out_[r * shape_.values + j] * inverse;
            if (total != nullptr)
                total[rows.place(r).sums] = maximum_[r] + std::log(sum_[r]);
        }
    }

  private:
    void add(const Rows &rows, const Tile<T> &tile) {
        tile.scores(rows, q_.data(), -std::numeric_limits<T>::infinity(), scores_.data());
        for (std::int64_t r = 0; r < rows.size(); ++r) {
            const T factor = weigh(scores_.data() + r * key_block, tile.size(), maximum_[r], sum_[r]);
            T *row = out_.data() + r * shape_.values;
            for (std::int64_t j = 0; factor != T{1} && j < shape_.values; ++j)
                row[j] *= factor;
        }
        multiply(Op::plain, Op::plain, rows.size(), shape_.values, tile.size(), T{1}, scores_.data(), key_block,
                 tile.v(), shape_.v_stride, T{1}, out_.data(), shape_.values);
    }

    const Attention &shape_;
    const AttentionInputs<T> &in_;
    std::vector<T> q_;
    std::vector<T> out_;
    std::vector<T> scores_;
    T maximum_[row_block];
    T sum_[row_block];
};

/// The gradients of one combination of the batch's loops.
template <class T> class Backward {
  public:
    Backward(const Attention &shape, const AttentionInputs<T> &in, const AttentionSums<T> &sums,
             const AttentionGradients<T> &to)
        : shape_(shape), in_(in), sums_(sums), to_(to), q_(row_block * shape.features), dq_(q_.size()),
          dout_(row_block * shape.values), weights_(row_block * key_block), changes_(weights_.size()) {}

    void run(const AttentionLoop &batch) {
        dk_ = clear(to_.k, batch.k, shape_.k_stride, shape_.features);
        dv_ = clear(to_.v, batch.v, shape_.v_stride, shape_.values);
        for (std::int64_t first = 0; first < count(shape_.rows); first += row_block) {
            const Rows rows(shape_, batch, first);
            rows.read(in_.q, &AttentionLoop::q, shape_.features, q_);
            rows.read(sums_.gradient, &AttentionLoop::out, shape_.values, dout_);
            std::fill(dq_.begin(), dq_.end(), T{0});
            Tile<T> tile(shape_, in_, batch);
            for (std::int64_t key = rows.first_key(); key < rows.last_key(); key += key_block) {
                tile.move(key, std::min(key_block, rows.last_key() - key));
                add(rows, tile);
            }
            for (std::int64_t r = 0; to_.q != nullptr && r < rows.size(); ++r)
                std::copy_n(dq_.data() + r * shape_.features, shape_.features, to_.q + rows.place(r).q);
        }
    }

  private:
    T *clear(T *to, std::int64_t begin, std::int64_t stride, std::int64_t width) const {
        for (std::int64_t key = 0; to != nullptr && key < shape_.keys; ++key)
            std::fill_n(to + begin + key * stride, width, T{0});
        return to == nullptr ? nullptr : to + begin;
    }

    void add(const Rows &rows, const Tile<T> &tile) {
        tile.scores(rows, q_.data(), -std::numeric_limits<T>::infinity(), weights_.data());
        for (std::int64_t r = 0; r < rows.size(); ++r) {
            T *row = weights_.data() + r * key_block;
            const T total = sums_.total[rows.place(r).sums];
            if (total == -std::numeric_limits<T>::infinity()) // sees no key
                std::fill_n(row, tile.size(), T{0});
            else
#pragma omp simd
                for (std::int64_t j = 0; j < tile.size(); ++j)
                    row[j] = planrt::exp(row[j] - total);
        }
        if (dv_ != nullptr)
            multiply(Op::transposed, Op::plain, tile.size(), shape_.values, rows.size(), T{1}, weights_.data(),
                     key_block, dout_.data(), shape_.values, T{1}, dv_ + tile.v_offset(), shape_.v_stride);
        if (to_.q == nullptr && dk_ == nullptr)
            return;
        multiply(Op::plain, Op::transposed, rows.size(), tile.size(), shape_.values, T{1}, dout_.data(), shape_.values,
                 tile.v(), shape_.v_stride, T{0}, changes_.data(), key_block);
        for (std::int64_t r = 0; r < rows.size(); ++r) {
            const T *weights = weights_.data() + r * key_block;
            T *changes = changes_.data() + r * key_block;
            const T delta = sums_.delta[rows.place(r).sums];
#pragma omp simd
            for (std::int64_t j = 0; j < tile.size(); ++j)
                changes[j] = weights[j] * (changes[j] - delta);
        }
        if (dk_ != nullptr)
            multiply(Op::transposed, Op::plain, tile.size(), shape_.features, rows.size(), T{1}, changes_.data(),
                     key_block, q_.data(), shape_.features, T{1}, dk_ + tile.k_offset(), shape_.k_stride);
        if (to_.q != nullptr)
            multiply(Op::plain, Op::plain, rows.size(), shape_.features, tile.size(), T{1}, changes_.data(), key_block,
                     tile.k(), shape_.k_stride, T{1}, dq_.data(), shape_.features);
    }

    const Attention &shape_;
    const AttentionInputs<T> &in_;
    const AttentionSums<T> &sums_;
    const AttentionGradients<T> &to_;
    std::vector<T> q_;
    std::vector<T> dq_;
    std::vector<T> dout_;
    std::vector<T> weights_;
    std::vector<T> changes_;
    T *dk_ = nullptr;
    T *dv_ = nullptr;
};

} // namespace attention

/// out = the mean of v, weighted by the softmax of q kᵀ over the keys that a query sees; 0 if it sees none. total = the
/// logarithm of the sum of exp(q kᵀ); -∞ if it sees none. Either may be null.
template <class T> void attention_forward(const Attention &shape, const AttentionInputs<T> &in, T *out, T *total) {
    const std::int64_t blocks = (attention::count(shape.rows) + attention::row_block - 1) / attention::row_block;
    parallel(0, attention::count(shape.batch) * blocks,
             grain(attention::row_block * shape.keys * (shape.features + shape.values)),
             [&](std::int64_t begin, std::int64_t end) {
                 attention::Forward<T> forward(shape, in);
                 for (std::int64_t i = begin; i < end; ++i)
                     forward.run(attention::Odometer(shape.batch, i / blocks).place(),
                                 i % blocks * attention::row_block, out, total);
             });
}

template <class T>
void attention_backward(const Attention &shape, const AttentionInputs<T> &in, const AttentionSums<T> &sums,
                        const AttentionGradients<T> &to) {
    parallel(0, attention::count(shape.batch),
             grain(attention::count(shape.rows) * shape.keys * (shape.features + shape.values)),
             [&](std::int64_t begin, std::int64_t end) {
                 attention::Backward<T> backward(shape, in, sums, to);
                 for (std::int64_t i = begin; i < end; ++i)
                     backward.run(attention::Odometer(shape.batch, i).place());
             });
}

} // namespace planrt
