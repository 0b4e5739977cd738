#include "schedule/matrix_product.h"

#include <algorithm>

namespace planc::schedule {

namespace {

using Extent = std::function<std::int64_t(const std::string &)>;

/// Shorter rows or columns are not worth a separate matrix product: a copy is cheaper.
constexpr std::int64_t shortest_block = 16;

bool has(const Loops &loops, const std::string &loop) {
    return std::find(loops.begin(), loops.end(), loop) != loops.end();
}

/// Whether the loops are adjacent in this order.
bool neighbours(const Loops &group, const Loops &tensor) {
    return group.empty() || std::search(tensor.begin(), tensor.end(), group.begin(), group.end()) != tensor.end();
}

bool innermost(const Loops &group, const Loops &tensor) {
    return !group.empty() && !tensor.empty() && group.back() == tensor.back();
}

/// The longest end of a group that runs as one index in both tensors; the loops before it run outside.
Loops joined_end(const Loops &group, const Loops &first, const Loops &second, Loops &outside) {
    Loops end = group;
    while (!neighbours(end, first) || !neighbours(end, second)) {
        outside.push_back(end.front());
        end.erase(end.begin());
    }
    return end;
}

class Matching {
  public:
    Matching(const Loops &a, const Loops &b, const Loops &c, const Extent &extent)
        : a_(a), b_(b), c_(c), extent_(extent) {}

    std::optional<MatrixProduct> run() {
        Loops outside;
        MatrixProduct product;
        Loops rows;
        Loops columns;
        for (const std::string &loop : c_)
            (!has(a_, loop) ? columns : !has(b_, loop) ? rows : outside).push_back(loop);
        for (const std::string &loop : a_)
            if (!has(c_, loop))
                product.summed.push_back(loop);
        if (!neighbours(product.summed, a_) || !neighbours(product.summed, b_))
            return std::nullopt;
        product.rows = joined_end(rows, a_, c_, outside);
        product.columns = joined_end(columns, b_, c_, outside);
        if (too_short(product.rows, rows) || too_short(product.columns, columns) || !strides_fit(product))
            return std::nullopt;
        join_outer(outside, product);
        return product;
    }

  private:
    bool too_short(const Loops &kept, const Loops &all) const {
        std::int64_t block = 1;
        for (const std::string &loop : kept)
            block *= extent_(loop);
        return kept.size() != all.size() && block < shortest_block;
    }

    /// One of the two indices of each matrix must have stride 1; a single row or column may have any stride.
    bool strides_fit(MatrixProduct &product) const {
        const auto plain = [](const Loops &second, const Loops &tensor) {
            return second.empty() || innermost(second, tensor);
        };
        product.transpose_a = !plain(product.summed, a_);
        product.transpose_b = !plain(product.columns, b_);
        return plain(product.columns, c_) && (!product.transpose_a || plain(product.rows, a_)) &&
               (!product.transpose_b || plain(product.summed, b_));
    }

    /// Outer loops in the order of the result. Loops that are neighbours in every tensor that has them run as one.
    void join_outer(const Loops &outside, MatrixProduct &product) const {
        for (const std::string &loop : c_) {
            if (!has(outside, loop))
                continue;
            if (!product.outer.empty()) {
                Loops group = product.outer.back();
                group.push_back(loop);
                const bool joins = std::ranges::all_of(std::vector<Loops>{a_, b_, c_}, [&](const Loops &tensor) {
                    return neighbours(group, tensor) ||
                           std::ranges::none_of(group, [&](const std::string &l) { return has(tensor, l); });
                });
                if (joins) {
                    product.outer.back() = group;
                    continue;
                }
            }
            product.outer.push_back({loop});
        }
    }

    const Loops &a_;
    const Loops &b_;
    const Loops &c_;
    const Extent &extent_;
};

} // namespace

std::optional<MatrixProduct> matrix_product(const ir::Subscripts &subscripts, const Extent &extent) {
    const Loops &a = subscripts.operands[0];
    const Loops &b = subscripts.operands[1];
    if (auto product = Matching(a, b, subscripts.result, extent).run())
        return product;
    auto product = Matching(b, a, subscripts.result, extent).run();
    if (product)
        product->swapped = true;
    return product;
}

} // namespace planc::schedule
