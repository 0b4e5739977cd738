#include "interpret/edges.h"

#include "ir/edge_steps.h"
#include "ir/nest.h"
#include "ir/pointwise.h"

#include <planrt/random.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace planc::interpret {

namespace {

using Kind = ir::EdgeStep::Kind;

class Entries {
  public:
    Entries(ir::EdgeReduceOp op, const planrt::Box &space, const std::vector<const Local *> &operands, Local &result,
            const Moment &moment)
        : op_(op), nest_(op.nest()), steps_(ir::steps_of(op)), space_(space), operands_(operands), result_(result),
          moment_(moment), matrix_(moment.matrices->at(op.getMatrix().str())), index_(space.size()) {
        for (const ir::EdgeStep &step : steps_) {
            loops_.emplace_back();
            for (const std::string &name : step.loops) {
                const auto at = std::ranges::find(nest_.loops, name, &sharding::Loop::name);
                loops_.back().push_back(static_cast<int>(at - nest_.loops.begin()));
            }
        }
    }

    void run() {
        std::ranges::fill(result_.elements, op_.getInitial().convertToDouble());
        rows_ = op_.isTransposed() ? nest_.sparse->inner : nest_.sparse->outer;
        columns_ = op_.isTransposed() ? nest_.sparse->outer : nest_.sparse->inner;
        std::vector<int> loops; // without those of inner sums
        for (int loop = 0; std::cmp_less(loop, nest_.loops.size()); ++loop)
            if (std::ranges::none_of(steps_, [&](const ir::EdgeStep &step) {
                    return step.kind == Kind::sum &&
                           std::ranges::find(step.loops, nest_.loops[static_cast<std::size_t>(loop)].name) !=
                               step.loops.end();
                }))
                loops.push_back(loop);
        over(loops, 0, [&] {
            if (value_of_matrix() != 0)
                reduce();
        });
    }

  private:
    std::int64_t &index(int loop) { return index_[static_cast<std::size_t>(loop)]; }

    void over(const std::vector<int> &loops, std::size_t from, const std::function<void()> &visit) {
        if (from == loops.size())
            return visit();
        const planrt::Range range = space_[static_cast<std::size_t>(loops[from])];
        for (std::int64_t i = 0; i < range.size(); ++i) {
            index(loops[from]) = range.index(i);
            over(loops, from + 1, visit);
        }
    }

    double value_of_matrix() {
        return matrix_.elements[static_cast<std::size_t>(index(rows_) * matrix_.extents[1] + index(columns_))];
    }

    std::size_t offset(const std::vector<int> &loops, const planrt::Box &box) {
        std::int64_t offset = 0;
        for (std::size_t d = 0; d < loops.size(); ++d)
            offset = offset * box[d].size() + box[d].position(index(loops[d]));
        return static_cast<std::size_t>(offset);
    }

    void reduce() {
        double &result = result_.at(offset(nest_.results[0], result_.box));
        const double value = step(static_cast<int>(steps_.size()) - 1);
        result = op_.getReduction() == "max" ? std::fmax(result, value) : result + value;
    }

    double step(int number) {
        const ir::EdgeStep &step = steps_[static_cast<std::size_t>(number)];
        const std::vector<int> &loops = loops_[static_cast<std::size_t>(number)];
        std::vector<double> arguments;
        if (step.kind != Kind::sum)
            for (const int argument : step.arguments)
                arguments.push_back(this->step(argument));
        switch (step.kind) {
        case Kind::operand: {
            const auto operand = static_cast<std::size_t>(step.operand);
            return operands_[operand]->at(offset(nest_.operands[operand], operands_[operand]->box));
        }
        case Kind::matrix:
            return value_of_matrix();
        case Kind::number:
            return step.number;
        case Kind::random:
            return random(step, loops);
        case Kind::call:
            return ir::find_pointwise(step.text)->value(arguments.data());
        case Kind::product:
            return std::accumulate(arguments.begin(), arguments.end(), 1.0, std::multiplies<>());
        case Kind::sum: {
            double sum = 0;
            over(loops, 0, [&] { sum += this->step(step.arguments[0]); });
            return sum;
        }
        }
        return 0;
    }

    double random(const ir::EdgeStep &step, const std::vector<int> &loops) {
        std::int64_t element = 0;
        std::int64_t sample = 0;
        for (std::size_t d = 0; d < loops.size(); ++d)
            if (std::cmp_equal(d, step.samples))
                sample = moment_.first_sample + index(loops[d]);
            else
                element = element * nest_.loops[static_cast<std::size_t>(loops[d])].extent + index(loops[d]);
        return planrt::uniform(planrt::key_of(moment_.seed, step.text, moment_.step), sample, element);
    }

    ir::EdgeReduceOp op_;
    sharding::Nest nest_;
    std::vector<ir::EdgeStep> steps_;
    std::vector<std::vector<int>> loops_; ///< of steps
    const planrt::Box &space_;
    const std::vector<const Local *> &operands_;
    Local &result_;
    const Moment &moment_;
    const Array &matrix_;
    std::vector<std::int64_t> index_;
    int rows_ = 0;
    int columns_ = 0;
};

} // namespace

void evaluate_edges(ir::EdgeReduceOp op, const planrt::Box &space, const std::vector<const Local *> &operands,
                    Local &result, const Moment &moment) {
    Entries(op, space, operands, result, moment).run();
}

} // namespace planc::interpret
