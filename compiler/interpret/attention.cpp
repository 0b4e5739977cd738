#include "interpret/attention.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>

namespace planc::interpret {

namespace {

using Loops = std::vector<int>;

class Points {
  public:
    Points(ir::AttentionOp op, const planrt::Box &space, const std::vector<const Local *> &operands,
           std::vector<Local> &results)
        : op_(op), nest_(op.nest()), space_(space), operands_(operands), results_(results), index_(space.size()),
          feature_(loop(0, op.queries(), op.getFeature())), key_(loop(1, op.keys(), op.getKey())),
          masked_(op.getMasked()), window_(static_cast<std::int64_t>(op.getWindow())) {
        std::ranges::copy_if(nest_.operands[0], std::back_inserter(queries_),
                             [&](int each) { return each != feature_; });
        for (const mlir::StringAttr role : op.valueRoles())
            own_.push_back(loop(2, op.values(), role));
        if (op.getPosition())
            position_ = loop(0, op.queries(), *op.getPosition());
    }

    void run() {
        for (Local &result : results_)
            std::ranges::fill(result.elements, 0.0);
        over(queries_, [&] { op_.isGradient() ? backward() : forward(); });
    }

  private:
    int loop(std::size_t operand, ir::TensorType type, llvm::StringRef role) {
        return nest_.operands[operand][static_cast<std::size_t>(type.find(role))];
    }

    void over(const Loops &loops, const std::function<void()> &visit, std::size_t from = 0) {
        if (from == loops.size())
            return visit();
        const auto at = static_cast<std::size_t>(loops[from]);
        for (std::int64_t i = 0; i < space_[at].size(); ++i) {
            index_[at] = space_[at].index(i);
            over(loops, visit, from + 1);
        }
    }

    [[nodiscard]] std::size_t offset(const Loops &loops, const planrt::Box &box) const {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < loops.size(); ++d)
            offset = offset * box[d].size() + box[d].position(index_[static_cast<std::size_t>(loops[d])]);
        return static_cast<std::size_t>(offset);
    }
    [[nodiscard]] double operand(std::size_t number) const {
        return operands_[number]->at(offset(nest_.operands[number], operands_[number]->box));
    }
    /// Null: not wanted.
    double *result(llvm::StringRef kind) {
        const int number = op_.find(kind);
        if (number < 0)
            return nullptr;
        const auto at = static_cast<std::size_t>(number);
        return &results_[at].at(offset(nest_.results[at], results_[at].box));
    }
    void add(llvm::StringRef kind, double value) {
        if (double *to = result(kind))
            *to += value;
    }

    [[nodiscard]] bool sees() const {
        if (masked_ && operand(operands_.size() - 1) == 0)
            return false;
        if (position_ < 0)
            return true;
        const std::int64_t behind =
            index_[static_cast<std::size_t>(position_)] - index_[static_cast<std::size_t>(key_)];
        return behind >= 0 && (window_ == 0 || behind < window_);
    }
    /// Calls visit(score) for each key that the query sees.
    void over_keys(const std::function<void(double)> &visit) {
        over({key_}, [&] {
            if (!sees())
                return;
            double score = 0;
            over({feature_}, [&] { score += operand(0) * operand(1); });
            visit(score);
        });
    }

    void forward() {
        double largest = -std::numeric_limits<double>::infinity();
        over_keys([&](double score) { largest = std::max(largest, score); });
        double sum = 0;
        over_keys([&](double score) { sum += std::exp(score - largest); });
        if (double *total = result("total"))
            *total = largest + std::log(sum);
        over_keys(
            [&](double score) { over(own_, [&] { add("output", std::exp(score - largest) / sum * operand(2)); }); });
    }

    void backward() {
        over_keys([&](double score) {
            const double weight = std::exp(score - operand(3));
            double change = -operand(5);
            over(own_, [&] {
                change += operand(4) * operand(2);
                add("value_gradient", weight * operand(4));
            });
            over({feature_}, [&] {
                add("query_gradient", weight * change * operand(1));
                add("key_gradient", weight * change * operand(0));
            });
        });
    }

    ir::AttentionOp op_;
    sharding::Nest nest_;
    const planrt::Box &space_;
    const std::vector<const Local *> &operands_;
    std::vector<Local> &results_;
    std::vector<std::int64_t> index_;
    int feature_;
    int key_;
    int position_ = -1;
    bool masked_;
    std::int64_t window_;
    Loops queries_;
    Loops own_;
};

} // namespace

void evaluate_attention(ir::AttentionOp op, const planrt::Box &space, const std::vector<const Local *> &operands,
                        std::vector<Local> &results) {
    Points(op, space, operands, results).run();
}

} // namespace planc::interpret
