#include "collectives/combine.h"

namespace planrt {

namespace {

struct Sum {
    template <class T> static T of(T a, T b) { return a + b; }
};
struct Max {
    template <class T> static T of(T a, T b) { return a < b ? b : a; }
};
struct Min {
    template <class T> static T of(T a, T b) { return b < a ? b : a; }
};

template <class T, class Operator>
void combine(std::byte *values, const std::byte *received, std::int64_t count, bool received_first) {
    T *to = reinterpret_cast<T *>(values);
    const T *from = reinterpret_cast<const T *>(received);
    if (received_first) {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = Operator::of(from[i], to[i]);
    } else {
#pragma omp simd
        for (std::int64_t i = 0; i < count; ++i)
            to[i] = Operator::of(to[i], from[i]);
    }
}

template <class T> Combine combine_by(Reduction reduction) {
    switch (reduction) {
    case Reduction::max:
        return combine<T, Max>;
    case Reduction::min:
        return combine<T, Min>;
    case Reduction::sum:
        break;
    }
    return combine<T, Sum>;
}

} // namespace

Combine combine_of(Type type, Reduction reduction) {
    switch (type) {
    case Type::f64:
        return combine_by<double>(reduction);
    case Type::i32:
        return combine_by<std::int32_t>(reduction);
    case Type::f32:
        break;
    }
    return combine_by<float>(reduction);
}

} // namespace planrt
