// A fused loop as C++. Its operations run in sweeps (schedule/loop_nest.h):
//
//   for each iteration of the outer loops
//     for each sweep: values of the row; the inner loops: values, sums of the row, stores
//
// Loads come before stores, so that a result may lie where an operand did.

#include "emit/functions/expression.h"
#include "emit/functions/kernels.h"
#include "emit/functions/loop_indices.h"
#include "emit/functions/random_numbers.h"
#include "emit/names/text.h"
#include "ir/pointwise.h"
#include "schedule/functions.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <map>

namespace planc::emit {

namespace {

using mlir::Value;
using schedule::LoopMember;
using schedule::LoopNest;
using schedule::LoopRole;

/// The number of elements from which a loop is worth threads, and its tensors may be in memory instead of a cache.
constexpr int64_t large_loop = 32768;

class LoopWriter {
  public:
    LoopWriter(Body &body, ir::LoopsOp loops)
        : body_(body), loops_(loops), nest_(schedule::analyze_loops(loops)), indices_(nest_, loops, body),
          randoms_(body, indices_) {
        mlir::Operation *yield = loops.getBody().front().getTerminator();
        for (auto [inside, outside] : llvm::zip(yield->getOperands(), loops.getResults()))
            stored_[inside] = outside;
        for (const LoopMember &member : nest_.members)
            for (auto [number, operand] : llvm::enumerate(member.op->getOperands()))
                uses_[operand] += weight(member, static_cast<unsigned>(number), operand);
    }

    void write() {
        clear_accumulators();
        randoms_.declare_keys(loops_);
        Loop *shared = loop_for_threads();
        if (shared != nullptr)
            share(*shared);
        for (const Loop &loop : indices_.outer())
            body_.open(loop.head());
        for (sweep_ = 0; sweep_ <= nest_.sweeps; ++sweep_) {
            write_row_members();
            write_sweep();
        }
        for (size_t i = 0; i < indices_.outer().size(); ++i)
            body_.close();
        if (shared != nullptr)
            body_.close("});");
        store_totals();
    }

  private:
    // --- threads ------------------------------------------------------------------------------------------------

    bool is_large() const {
        double elements = 1; // of a nest, which may have more than any tensor
        for (const schedule::LoopDimension &dimension : nest_.space)
            elements *= static_cast<double>(dimension.extent);
        return elements >= large_loop;
    }

    /// The outermost loop whose iterations may run at the same time; null if there is none, or too little work. If
    /// threads share an inner loop, each of them runs the outer loops, so nothing else may be done there.
    Loop *loop_for_threads() {
        if (!is_large())
            return nullptr;
        const bool by_rows = llvm::any_of(nest_.members, [](const LoopMember &member) {
            return !member.inner || member.role == LoopRole::reduces_row;
        });
        for (Loop &loop : indices_.outer())
            if (sums_move(loop))
                return &loop;
        for (Loop &loop : indices_.inner())
            if (!by_rows && sums_move(loop))
                return &loop;
        return nullptr;
    }

    /// Whether each iteration of the loop adds to separate sums.
    bool sums_move(const Loop &loop) const {
        return llvm::all_of(nest_.members, [&](const LoopMember &member) {
            return member.role != LoopRole::accumulates ||
                   indices_.moves(schedule::tensor(member.op->getResult(0)), loop);
        });
    }

    void share(Loop &loop) {
        std::string others = "1";
        for (const std::vector<Loop> *loops : {&indices_.outer(), &indices_.inner()})
            for (const Loop &other : *loops)
                if (&other != &loop)
                    others = others == "1" ? other.extent : others + " * " + other.extent;
        loop.from = body_.local("begin");
        loop.to = body_.local("end");
        body_.open("planrt::parallel(0, " + loop.extent + ", planrt::grain(" + others + "), [=](int64_t " + loop.from +
                   ", int64_t " + loop.to + ") {");
    }
    /// 1 where the value can be written in place of its name; more where it needs a name.
    int weight(const LoopMember &member, unsigned number, Value operand) const {
        const LoopMember *producer = nest_.producer(operand);
        auto function = mlir::dyn_cast<ir::PointwiseOp>(member.op);
        const bool together = producer == nullptr ||
                              (producer->inner == member.inner && (!member.inner || producer->sweep == member.sweep));
        if (!together)
            return 2;
        return function ? mentions(function, number) : 1;
    }

    bool accumulates_here(const LoopMember &member) const {
        return member.role == LoopRole::accumulates && member.inner && member.sweep == sweep_;
    }

    // --- accumulators -------------------------------------------------------------------------------------------

    void clear_accumulators() {
        for (const LoopMember &member : nest_.members) {
            if (member.role != LoopRole::accumulates)
                continue;
            const Value result = stored_.lookup(member.op->getResult(0));
            const auto space = schedule::space_of(schedule::tensor(result));
            const std::string zero = neutral(reduction(member), schedule::tensor(result).getElementType());
            if (is_total(member)) {
                const std::string total = names_[member.op->getResult(0)] = body_.local("total");
                body_.line("double " + total + " = 0.0;");
                continue;
            }
            const std::string target = body_.buffer(result, true);
            body_.line(space.empty() ? target + "[0] = " + zero + ";"
                                     : "std::fill_n(" + target + ", " + body_.extents(space) + ", " + zero + ");");
        }
    }

    /// Whether the member is one sum over all iterations. In single precision, it would lose digits as the number of
    /// elements grows, and different ones for each number of ranks.
    static bool is_total(const LoopMember &member) {
        const ir::TensorType type = schedule::tensor(member.op->getResult(0));
        return member.role == LoopRole::accumulates && reduction(member) == "sum" &&
               mlir::isa<mlir::FloatType>(type.getElementType()) && schedule::space_of(type).empty();
    }

    void store_totals() {
        for (const LoopMember &member : nest_.members)
            if (is_total(member)) {
                const Value result = stored_.lookup(member.op->getResult(0));
                const std::string type = type_name(schedule::tensor(result).getElementType());
                const std::string total = names_.lookup(member.op->getResult(0));
                body_.line(body_.buffer(result, true) +
                           "[0] = " + (type == "double" ? total : "static_cast<" + type + ">(" + total + ")") + ";");
            }
    }

    /// The variable or element to which an iteration adds.
    std::string accumulator(const LoopMember &member) {
        const Value result = member.op->getResult(0);
        return is_total(member) ? names_.lookup(result) : element(stored_.lookup(result), true);
    }

    static llvm::StringRef reduction(const LoopMember &member) {
        return mlir::cast<ir::ReduceOp>(member.op).getReduction();
    }

    std::string element(Value outside, bool written = false) {
        return body_.buffer(outside, written) + "[" + indices_.index(schedule::tensor(outside)) + "]";
    }

    // --- once per row -------------------------------------------------------------------------------------------

    void write_row_members() {
        for (const LoopMember &member : nest_.members) {
            if (member.inner || member.sweep != sweep_)
                continue;
            if (member.role == LoopRole::accumulates) {
                body_.line(accumulate(reduction(member), accumulator(member),
                                      expression(member.op->getOperand(0), member).text));
                continue;
            }
            name_results(member);
            for (Value result : member.op->getResults())
                if (Value outside = stored_.lookup(result))
                    body_.line(element(outside, true) + " = " + expression(result, member).text + ";");
        }
    }

    // --- one sweep of the inner loops ---------------------------------------------------------------------------

    void write_sweep() {
        std::vector<const LoopMember *> members;
        for (const LoopMember &member : nest_.members)
            if (member.inner && member.sweep == sweep_)
                members.push_back(&member);
        if (members.empty())
            return;
        declare_row_reductions(members);
        const std::vector<Loop> &loops = indices_.inner();
        for (size_t i = 0; i + 1 < loops.size(); ++i)
            body_.open(loops[i].head());
        hoist_loads(members);
        declare_local_accumulators(members);
        write_innermost(members);
        flush_local_accumulators(members);
        for (size_t i = 0; i + 1 < loops.size(); ++i)
            body_.close();
        if (loops.size() > 1)
            hoisted_.clear();
        store_row_reductions(members);
    }

    // --- strips, fetched ahead (planrt/prefetch.h) --------------------------------------------------------------

    /// Whether the member computes at least as much as an exponential, so that prefetching pays.
    static bool computes_much(const LoopMember *member) {
        auto function = mlir::dyn_cast<ir::PointwiseOp>(member->op);
        return function && ir::find_pointwise(function.getFunction())->flops >= ir::find_pointwise("exp")->flops;
    }

    /// The tensors that the nest reads from memory here: those that it reads for the first time in a row, if no other
    /// row reads the same elements.
    llvm::SetVector<Value> loads(const std::vector<const LoopMember *> &members) {
        const auto moves = [this](const std::vector<Loop> &loops, Value value) {
            return llvm::all_of(loops, [&](const Loop &loop) { return indices_.moves(schedule::tensor(value), loop); });
        };
        llvm::SetVector<Value> result;
        for (const LoopMember *member : members)
            for (Value operand : member->op->getOperands())
                if (is_loaded(operand) && moves(indices_.outer(), operand) && moves(indices_.inner(), operand) &&
                    !read_.contains(operand))
                    result.insert(operand);
        if (!indices_.outer().empty())
            read_.insert(result.begin(), result.end());
        return result;
    }

    /// Opens the loop over strips. Returns the innermost loop as it is without strips.
    Loop open_strips(const llvm::SetVector<Value> &loaded) {
        Loop &loop = indices_.inner().back();
        Loop whole = loop;
        const std::string begin = body_.local("strip");
        const std::string end = body_.local("end");
        body_.open("for (int64_t " + begin + " = " + loop.from + "; " + begin + " < " + loop.to + "; " + begin +
                   " += planrt::strip) {");
        body_.line("const int64_t " + end + " = std::min(" + begin + " + planrt::strip, " + loop.to + ");");
        loop.index = begin;
        std::map<std::string, std::string> buffers; // by the index at which they are read
        for (Value value : loaded)
            buffers[indices_.index(schedule::tensor(value))] += ", " + body_.buffer(value);
        for (const auto &[index, names] : buffers)
            body_.line("planrt::prefetch(" + index + " + planrt::strip, " + end + " - " + begin + names + ");");
        loop.index = whole.index;
        loop.from = begin;
        loop.to = end;
        return whole;
    }

    void write_innermost(const std::vector<const LoopMember *> &members) {
        if (indices_.inner().empty())
            return write_points(members);
        const llvm::SetVector<Value> loaded = loads(members);
        const RandomNumbers::Tensors randoms = randoms_.of_strips(members, nest_.space);
        const bool fetches =
            is_large() && !loaded.empty() && (!randoms.empty() || llvm::any_of(members, computes_much));
        const bool strips = fetches || !randoms.empty();
        const Loop whole = strips ? open_strips(fetches ? loaded : llvm::SetVector<Value>()) : indices_.inner().back();
        randoms_.draw_strip(randoms);
        body_.line(pragma(members));
        body_.open(indices_.inner().back().head());
        write_points(members);
        body_.close();
        if (strips)
            body_.close();
        randoms_.end_strip();
        indices_.inner().back() = whole;
    }

    void declare_row_reductions(const std::vector<const LoopMember *> &members) {
        for (const LoopMember *member : members)
            if (member->role == LoopRole::reduces_row)
                names_[member->op->getResult(0)] = declare_partial(*member);
    }

    void store_row_reductions(const std::vector<const LoopMember *> &members) {
        for (const LoopMember *member : members)
            if (member->role == LoopRole::reduces_row)
                if (Value outside = stored_.lookup(member->op->getResult(0)))
                    body_.line(element(outside, true) + " = " + names_.lookup(member->op->getResult(0)) + ";");
    }

    std::string declare_partial(const LoopMember &member) {
        const mlir::Type type = schedule::tensor(member.op->getResult(0)).getElementType();
        const std::string name = body_.local(reduction(member).str());
        body_.line(type_name(type) + " " + name + " = " + neutral(reduction(member), type) + ";");
        return name;
    }

    /// A sum whose place does not move with the innermost loop is collected in a variable.
    bool collects_locally(const LoopMember &member) {
        return accumulates_here(member) && !indices_.inner().empty() &&
               !indices_.moves(schedule::tensor(member.op->getResult(0)), indices_.inner().back());
    }

    void declare_local_accumulators(const std::vector<const LoopMember *> &members) {
        for (const LoopMember *member : members)
            if (collects_locally(*member) && !is_total(*member))
                names_[member->op->getResult(0)] = declare_partial(*member);
    }

    void flush_local_accumulators(const std::vector<const LoopMember *> &members) {
        for (const LoopMember *member : members)
            if (collects_locally(*member) && !is_total(*member))
                body_.line(
                    accumulate(reduction(*member), accumulator(*member), names_.lookup(member->op->getResult(0))));
    }

    /// Reads operands that do not move with the innermost loop before it.
    void hoist_loads(const std::vector<const LoopMember *> &members) {
        if (indices_.inner().empty())
            return;
        for (const LoopMember *member : members)
            for (Value operand : member->op->getOperands()) {
                if (!is_loaded(operand) || hoisted_.contains(operand) ||
                    indices_.moves(schedule::tensor(operand), indices_.inner().back()))
                    continue;
                const std::string name = body_.local("row");
                body_.line("const " + type_name(schedule::tensor(operand).getElementType()) + " " + name + " = " +
                           element(operand) + ";");
                hoisted_[operand] = name;
            }
    }

    /// Whether the operand comes from outside the nest and is not computed inline.
    bool is_loaded(Value operand) const {
        return nest_.producer(operand) == nullptr && !schedule::is_inline(operand.getDefiningOp());
    }

    /// Whether the operand comes from an earlier sweep, through a buffer.
    bool is_kept(Value operand) const {
        const LoopMember *member = nest_.producer(operand);
        return member != nullptr && member->inner && member->sweep < sweep_ && !nest_.is_made_again(*member) &&
               member->role == LoopRole::element && stored_.contains(operand);
    }

    /// The iterations are independent except for the variables that collect sums, which `reduction` names.
    std::string pragma(const std::vector<const LoopMember *> &members) {
        std::string text = "#pragma omp simd";
        for (const LoopMember *member : members)
            if (member->role == LoopRole::reduces_row || collects_locally(*member))
                text += std::string(" reduction(") + (reduction(*member) == "sum" ? "+" : reduction(*member).str()) +
                        " : " + names_.lookup(member->op->getResult(0)) + ")";
        return text;
    }

    void write_points(const std::vector<const LoopMember *> &members) {
        std::vector<std::pair<Value, const LoopMember *>> stores;
        for (const LoopMember *member : members)
            for (Value result : member->op->getResults())
                if (member->role == LoopRole::element && stored_.contains(result))
                    stores.emplace_back(result, member);
        if (stores.size() > 1)
            name_overwritten_loads(members, stores);
        if (!indices_.inner().empty())
            for (const LoopMember *member : members)
                name_selected_loads(*member);
        for (const LoopMember *member : members)
            if (member->role == LoopRole::element)
                name_results(*member);
        for (const LoopMember *member : members)
            if (member->role != LoopRole::element) {
                const Value result = member->op->getResult(0);
                const bool local = member->role == LoopRole::reduces_row || collects_locally(*member);
                const std::string target = local ? names_.lookup(result) : accumulator(*member);
                body_.line(accumulate(reduction(*member), target, expression(member->op->getOperand(0), *member).text));
            }
        for (auto [value, member] : stores)
            body_.line(element(stored_.lookup(value), true) + " = " + expression(value, *member).text + ";");
        loaded_.clear();
        for (const LoopMember *member : members)
            if (member->role == LoopRole::element)
                for (Value result : member->op->getResults())
                    names_.erase(result); // later sweeps read it from its buffer
    }

    void name_overwritten_loads(const std::vector<const LoopMember *> &members,
                                const std::vector<std::pair<Value, const LoopMember *>> &stores) {
        for (const LoopMember *member : members)
            for (Value operand : member->op->getOperands()) {
                const bool kept = is_kept(operand);
                if ((!kept && !is_loaded(operand)) || hoisted_.contains(operand) || loaded_.contains(operand))
                    continue;
                const Value lies = kept ? stored_.lookup(operand) : operand;
                const bool overwritten = llvm::any_of(stores, [&](const auto &store) {
                    return body_.buffer(stored_.lookup(store.first)) == body_.buffer(lies);
                });
                if (overwritten)
                    name_load(operand, lies, "old");
            }
    }

    void name_load(Value operand, Value lies, const std::string &base) {
        loaded_[operand] = declare(operand, base, element(lies));
    }

    /// Reads the operands of both sides of a selection in any case. A compiler may not do so by itself, and branches or
    /// masked accesses take longer.
    void name_selected_loads(const LoopMember &member) {
        auto function = mlir::dyn_cast<ir::PointwiseOp>(member.op);
        if (function && function.getFunction() == "select")
            for (Value side : function.getInputs().drop_front())
                name_loads_of(side, member);
    }

    void name_loads_of(Value value, const LoopMember &user) {
        if (names_.contains(value) || hoisted_.contains(value) || loaded_.contains(value))
            return;
        mlir::Operation *producer = value.getDefiningOp();
        const LoopMember *member = nest_.producer(value);
        if (member == nullptr && !schedule::is_inline(producer))
            return name_load(value, value, "read");
        if (member != nullptr && comes_from_buffer(*member, user))
            return name_load(value, stored_.lookup(value), "read");
        for (Value operand : producer->getOperands())
            name_loads_of(operand, member != nullptr && !is_earlier(*member, user) ? *member : user);
    }

    // --- values -------------------------------------------------------------------------------------------------

    /// Gives a name to the results that are used more than once; the others are written where they are used.
    void name_results(const LoopMember &member) {
        const Value result = member.op->getResult(0);
        const bool again = nest_.is_made_again(member) && used_later(member);
        if (!again && uses_.lookup(result) + (stored_.contains(result) ? 1 : 0) > 1)
            names_[result] = declare(result, mlir::cast<ir::PointwiseOp>(member.op).getFunction().str(),
                                     expression(result, member).text);
    }

    bool used_later(const LoopMember &member) const {
        return llvm::any_of(nest_.members, [&](const LoopMember &user) {
            return user.sweep > member.sweep && llvm::is_contained(user.op->getOperands(), member.op->getResult(0));
        });
    }

    std::string declare(Value value, const std::string &base, const std::string &text) {
        const std::string name = body_.local(base);
        body_.line("const " + type_name(schedule::tensor(value).getElementType()) + " " + name + " = " + text + ";");
        return name;
    }

    Expression expression(Value value, const LoopMember &user) {
        if (const auto name = names_.find(value); name != names_.end())
            return {name->second, true, ""};
        mlir::Operation *producer = value.getDefiningOp();
        if (schedule::is_inline(producer))
            return inline_expression(producer, user);
        const LoopMember *member = nest_.producer(value);
        if (member == nullptr || comes_from_buffer(*member, user))
            return load(value, member);
        auto function = mlir::cast<ir::PointwiseOp>(producer);
        std::vector<Expression> operands;
        for (Value operand : function.getInputs())
            operands.push_back(expression(operand, is_earlier(*member, user) ? user : *member));
        return call_of(function, operands);
    }

    static bool is_earlier(const LoopMember &member, const LoopMember &user) {
        return member.inner && member.sweep < user.sweep;
    }

    [[nodiscard]] bool comes_from_buffer(const LoopMember &member, const LoopMember &user) const {
        return is_earlier(member, user) && !nest_.is_made_again(member);
    }

    /// Loads a value from outside, or from an earlier sweep.
    Expression load(Value value, const LoopMember *member) {
        if (const auto name = hoisted_.find(value); name != hoisted_.end())
            return {name->second, true, ""};
        if (const auto name = loaded_.find(value); name != loaded_.end())
            return {name->second, true, ""};
        return {element(member == nullptr ? value : stored_.lookup(value)), true, ""};
    }

    Expression inline_expression(mlir::Operation *op, const LoopMember &user) {
        const mlir::Type type = schedule::tensor(op->getResult(0)).getElementType();
        if (auto constant = mlir::dyn_cast<ir::ConstantOp>(op)) {
            const double number = constant.getValue().convertToDouble();
            return {literal(number, type), number >= 0, ""};
        }
        if (auto iota = mlir::dyn_cast<ir::IotaOp>(op))
            return {iota_text(iota), true, ""};
        if (auto random = mlir::dyn_cast<ir::RandomOp>(op))
            return {randoms_.text(random), true, ""};
        if (mlir::isa<ir::StepOp>(op))
            return {"static_cast<" + type_name(type) + ">(" + body_.context() + ".step())", true, ""};
        std::vector<Expression> operands;
        for (Value operand : op->getOperands())
            operands.push_back(expression(operand, user));
        return call_of(mlir::cast<ir::PointwiseOp>(op), operands);
    }

    std::string iota_text(ir::IotaOp iota) {
        const ir::TensorType type = iota.getResult().getType();
        const schedule::LoopDimension dimension = schedule::space_of(type).front();
        const std::string at = indices_.index(type);
        return "static_cast<" + type_name(type.getElementType()) + ">(" +
               (dimension.axes.empty() ? at : body_.begin(dimension) + " + " + at) + ")";
    }

    Body &body_;
    ir::LoopsOp loops_;
    LoopNest nest_;
    LoopIndices indices_;
    RandomNumbers randoms_;
    int sweep_ = 0;
    llvm::DenseSet<Value> read_;                 ///< by sweeps of this row
    llvm::DenseMap<Value, Value> stored_;        ///< value in the nest -> result of the nest
    llvm::DenseMap<Value, int> uses_;            ///< how often a value would be written out
    llvm::DenseMap<Value, std::string> names_;   ///< values that have a variable
    llvm::DenseMap<Value, std::string> hoisted_; ///< values read before the innermost loop
    llvm::DenseMap<Value, std::string> loaded_;  ///< values read at the beginning of an iteration
};

} // namespace

void write_loops(Body &body, ir::LoopsOp loops) {
    LoopWriter(body, loops).write();
}

} // namespace planc::emit
