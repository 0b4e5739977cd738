#include "emit/functions/edges.h"

#include "emit/functions/edge_groups.h"
#include "emit/names/text.h"
#include "ir/edge_steps.h"
#include "ir/layer_builder.h"
#include "ir/pointwise.h"
#include "ir/subscripts.h"
#include "planrt/prefetch.h"
#include "schedule/matrix_block.h"

#include <algorithm>
#include <map>
#include <set>

namespace planc::emit {

namespace {

using Kind = ir::EdgeStep::Kind;

constexpr std::int64_t shortest_in_groups = 4; ///< elements: half a vector

class EdgeWriter {
  public:
    EdgeWriter(Body &body, ir::EdgeReduceOp op)
        : body_(body), op_(op), subscripts_(*ir::parse_subscripts(op.getSubscripts())), steps_(ir::steps_of(op)),
          loops_of_steps_(ir::loops_of_steps(op)), element_(op.getResult().getType().getElementType()) {
        outer_ = subscripts_.operands[0][op.isTransposed() ? 1 : 0];
        inner_ = subscripts_.operands[0][op.isTransposed() ? 0 : 1];
    }

    void write(const std::string &matrix) {
        const bool by_rows = llvm::is_contained(subscripts_.result, outer_);
        body_.open("{");
        body_.line("using T = " + type_name(element_) + ";");
        const std::string a = matrix_ = body_.local("a");
        body_.line("const auto &" + a + " = " + body_.context() + ".matrix<" + type_name(element_) + ">(" + matrix +
                   ");");
        body_.line("std::fill_n(" + body_.buffer(op_.getResult(), true) + ", " +
                   body_.extents(schedule::dimensions_of(op_.getResult().getType())) + ", " +
                   literal(op_.getInitial().convertToDouble(), element_) + ");");
        declare_keys();
        const std::string row = bind(outer_);
        if (by_rows) { // each thread has rows of its own
            const std::string begin = body_.local("begin");
            const std::string end = body_.local("end");
            body_.open("planrt::parallel(0, " + a + ".rows, planrt::grain(256), [&](int64_t " + begin + ", int64_t " +
                       end + ") {");
            body_.open("for (int64_t " + row + " = " + begin + "; " + row + " < " + end + "; ++" + row + ") {");
        } else {
            body_.open("for (int64_t " + row + " = 0; " + row + " < " + a + ".rows; ++" + row + ") {");
        }
        const std::string entry = body_.local("entry");
        entry_ = a + ".values != nullptr ? " + a + ".values[" + entry + "] : " + a + ".value";
        body_.open("for (int64_t " + entry + " = " + a + ".row_begin[" + row + "]; " + entry + " < " + a +
                   ".row_begin[" + row + " + 1]; ++" + entry + ") {");
        body_.line("const int64_t " + bind(inner_) + " = " + a + ".column[" + entry + "];");
        open_loops(loops_of_result(), 0);
        body_.close();
        body_.close();
        if (by_rows)
            body_.close("});");
        body_.close();
    }

  private:
    /// Those of the result besides the matrix's, then those that are reduced besides.
    std::vector<std::string> loops_of_result() {
        std::vector<std::string> loops;
        for (const std::string &loop : subscripts_.result)
            if (loop != outer_ && loop != inner_)
                loops.push_back(loop);
        for (const std::string &loop : loops_of_steps_.back())
            if (loop != outer_ && loop != inner_ && !llvm::is_contained(loops, loop))
                loops.push_back(loop);
        return loops;
    }

    void open_loops(const std::vector<std::string> &loops, std::size_t depth) {
        if (depth == loops.size()) {
            write_available();
            return reduce();
        }
        const std::string &loop = loops[depth];
        const bool is_last = depth + 1 == loops.size();
        const std::vector<EdgeGroup> groups = groups_of_steps(steps_, computed_by(loop));
        write_available();
        if (in_groups(loop, groups, is_last))
            return write_groups(loops, depth, groups);
        const bool sums = std::ranges::any_of(groups, &EdgeGroup::sums);
        open(loop, is_last && !sums && is_of_result(loop) ? "#pragma omp simd" : "");
        open_loops(loops, depth + 1);
        close(loop);
    }

    [[nodiscard]] bool is_of_result(const std::string &loop) const {
        return llvm::is_contained(subscripts_.result, loop);
    }

    /// The steps that are not computed and can be within this loop. Operands and numbers are rather read again.
    std::set<int> computed_by(const std::string &loop) {
        std::set<int> wanted;
        indices_[loop] = ""; // as if it were open
        for (int step = 0; std::cmp_less(step, steps_.size()); ++step) {
            const std::set<std::string> &of_step = loops_of_steps_[static_cast<std::size_t>(step)];
            const Kind kind = steps_[static_cast<std::size_t>(step)].kind;
            if (kind != Kind::operand && kind != Kind::number && of_step.contains(loop) && is_open(of_step))
                wanted.insert(step);
        }
        indices_.erase(loop);
        return wanted;
    }

    /// Whether the loop runs once for each group, so that vectors can be used, and keeps values for the next one: not
    /// if one loop without others inside does all, nor if the loop is short or the values do not fit the cache.
    [[nodiscard]] bool in_groups(const std::string &loop, const std::vector<EdgeGroup> &groups, bool is_last) const {
        const std::int64_t extent = schedule::dimension_of_loop(op_, loop).extent;
        const bool has_more = !is_last || std::ranges::any_of(groups, &EdgeGroup::sums);
        return is_of_result(loop) && has_more && !groups.empty() && extent >= shortest_in_groups &&
               extent <= planrt::strip;
    }

    /// The groups one after another; then the reduction, in the last group or in the loops inside.
    void write_groups(const std::vector<std::string> &loops, std::size_t depth, const std::vector<EdgeGroup> &groups) {
        const std::string &loop = loops[depth];
        const bool is_last = depth + 1 == loops.size();
        std::map<int, std::string> arrays;
        for (const int step : steps_to_keep(steps_, groups)) {
            arrays[step] = body_.local(base_name(steps_[static_cast<std::size_t>(step)]));
            body_.line("T " + arrays[step] + "[" + std::to_string(schedule::dimension_of_loop(op_, loop).extent) +
                       "];");
        }
        const auto open_with_kept = [&](const std::string &pragma) {
            open(loop, pragma);
            for (const auto &[step, array] : arrays)
                if (kept_.contains(step))
                    set_name(step, array + "[" + indices_.at(loop) + "]");
        };
        for (const EdgeGroup &group : groups) {
            open_with_kept(group.sums ? "" : "#pragma omp simd");
            for (const int step : group.steps) {
                write_needed(step);
                if (arrays.contains(step)) {
                    body_.line(arrays.at(step) + "[" + indices_.at(loop) + "] = " + names_.at(step) + ";");
                    kept_.insert(step);
                }
            }
            if (is_last && &group == &groups.back())
                reduce();
            close(loop);
        }
        if (!is_last) {
            open_with_kept("");
            open_loops(loops, depth + 1);
            close(loop);
        }
    }

    void open(const std::string &loop, const std::string &pragma = "") {
        const std::string index = bind(loop);
        if (!pragma.empty())
            body_.line(pragma);
        body_.open("for (int64_t " + index + " = 0; " + index + " < " +
                   body_.extent(schedule::dimension_of_loop(op_, loop)) + "; ++" + index + ") {");
        scopes_.emplace_back();
    }

    void close(const std::string &loop) {
        for (const int step : scopes_.back())
            names_.erase(step);
        scopes_.pop_back();
        indices_.erase(loop);
        body_.close();
    }

    /// A name for the loop's index on this rank.
    std::string bind(const std::string &loop) { return indices_[loop] = body_.local(identifier(loop)); }

    /// Computes all steps whose loops are open and that what follows needs.
    void write_available() {
        std::set<int> missing;
        add_missing(static_cast<int>(steps_.size()) - 1, missing);
        for (const int step : missing)
            if (is_open(loops_of_steps_[static_cast<std::size_t>(step)]))
                write_needed(step);
    }

    void add_missing(int step, std::set<int> &missing) const {
        if (names_.contains(step) || !missing.insert(step).second)
            return;
        for (const int argument : steps_[static_cast<std::size_t>(step)].arguments)
            add_missing(argument, missing);
    }

    /// Computes a step and those that it uses, unless they are computed.
    void write_needed(int step) {
        if (names_.contains(step))
            return;
        if (steps_[static_cast<std::size_t>(step)].kind != Kind::sum)
            for (const int argument : steps_[static_cast<std::size_t>(step)].arguments)
                write_needed(argument);
        write_step(step);
    }

    [[nodiscard]] bool is_open(const std::set<std::string> &loops) const {
        return std::all_of(loops.begin(), loops.end(),
                           [&](const std::string &loop) { return indices_.contains(loop); });
    }

    void write_step(int number) {
        const ir::EdgeStep &step = steps_[static_cast<std::size_t>(number)];
        if (step.kind == Kind::sum)
            return write_sum(number);
        if (step.kind == Kind::number && step.number >= 0) {
            names_[number] = literal(step.number, element_);
            return;
        }
        const std::string name = body_.local(base_name(step));
        const std::string text = text_of(step);
        body_.line("const T " + name + " = " + text + ";");
        set_name(number, name);
    }

    static std::string base_name(const ir::EdgeStep &step) {
        switch (step.kind) {
        case Kind::operand:
            return "x";
        case Kind::matrix:
            return "value";
        case Kind::number:
            return "number";
        case Kind::random:
            return "random";
        case Kind::call:
            return step.text;
        case Kind::product:
            return "product";
        case Kind::sum:
            return "sum";
        }
        return "";
    }

    void write_sum(int number) {
        const ir::EdgeStep &step = steps_[static_cast<std::size_t>(number)];
        const std::string name = body_.local("sum");
        body_.line("T " + name + " = 0;");
        for (const std::string &loop : step.loops)
            open(loop, loop == step.loops.back() ? "#pragma omp simd reduction(+ : " + name + ")" : "");
        write_needed(step.arguments[0]);
        body_.line(name + " += " + names_.at(step.arguments[0]) + ";");
        for (const std::string &loop : llvm::reverse(step.loops))
            close(loop);
        set_name(number, name);
    }

    void set_name(int number, const std::string &name) {
        names_[number] = name;
        if (!scopes_.empty())
            scopes_.back().push_back(number);
    }

    std::string text_of(const ir::EdgeStep &step) {
        switch (step.kind) {
        case Kind::operand: {
            const mlir::Value operand = op_.getInputs()[static_cast<unsigned>(step.operand)];
            return "T(" + body_.buffer(operand) + "[" +
                   local_index(subscripts_.operands[static_cast<std::size_t>(step.operand) + 1]) + "])";
        }
        case Kind::matrix:
            return entry_;
        case Kind::number:
            return literal(step.number, element_);
        case Kind::random:
            return random_text(step);
        case Kind::product: {
            std::string text;
            for (const int factor : step.arguments)
                text += (text.empty() ? "" : " * ") + names_.at(factor);
            return text;
        }
        case Kind::call:
            return call_text(step);
        case Kind::sum:
            break;
        }
        llvm::report_fatal_error("a sum is no expression");
    }

    std::string call_text(const ir::EdgeStep &step) {
        std::string text(ir::find_pointwise(step.text)->expression);
        for (std::size_t i = 0; i < step.arguments.size(); ++i) {
            const std::string place = "{" + std::to_string(i) + "}";
            for (std::size_t at = text.find(place); at != std::string::npos; at = text.find(place, at))
                text.replace(at, place.size(), names_.at(step.arguments[i]));
        }
        return text;
    }

    std::string random_text(const ir::EdgeStep &step) {
        std::string sample = "0";
        std::string element;
        for (std::size_t d = 0; d < step.loops.size(); ++d) {
            const schedule::LoopDimension dimension = schedule::dimension_of_loop(op_, step.loops[d]);
            const std::string index = global(step.loops[d]);
            if (std::cmp_equal(d, step.samples))
                sample = body_.file_number_of_sample(body_.context() + ".first_sample() + " + index);
            else
                element = (element.empty() ? "" : "(" + element + ") * " + std::to_string(dimension.extent) + " + ") +
                          body_.file_number(dimension, index);
        }
        return "T(planrt::uniform(" + keys_.at(step.text) + ", " + sample + ", " + (element.empty() ? "0" : element) +
               "))";
    }

    void declare_keys() {
        for (const ir::EdgeStep &step : steps_)
            if (step.kind == Kind::random && !keys_.contains(step.text)) {
                keys_[step.text] = body_.local("key");
                body_.line("const planrt::Key " + keys_[step.text] + " = planrt::key_of(" + body_.context() +
                           ".seed(), " + body_.text_parameter(step.text) + ", " + body_.context() + ".step());");
            }
    }

    std::string global(const std::string &loop) {
        const schedule::LoopDimension dimension = schedule::dimension_of_loop(op_, loop);
        if (dimension.window)
            return matrix_ + ".needed[" + indices_.at(loop) + "]";
        return (dimension.axes.empty() ? "" : body_.begin(dimension) + " + ") + indices_.at(loop);
    }

    /// Row-major, in the rank's block.
    std::string local_index(const std::vector<std::string> &loops) {
        std::string text;
        for (const std::string &loop : loops) {
            const std::string before = text.find(' ') == std::string::npos ? text : "(" + text + ")";
            text = text.empty() ? indices_.at(loop)
                                : before + " * " + body_.extent(schedule::dimension_of_loop(op_, loop)) + " + " +
                                      indices_.at(loop);
        }
        return text.empty() ? "0" : text;
    }

    void reduce() {
        const std::string element = body_.buffer(op_.getResult(), true) + "[" + local_index(subscripts_.result) + "]";
        const std::string value = names_.at(static_cast<int>(steps_.size()) - 1);
        if (op_.getReduction() == "sum")
            body_.line(element + " += " + value + ";");
        else
            body_.line(element + " = std::max(" + element + ", " + value + ");");
    }

    Body &body_;
    ir::EdgeReduceOp op_;
    ir::Subscripts subscripts_;
    std::vector<ir::EdgeStep> steps_;
    std::vector<std::set<std::string>> loops_of_steps_;
    mlir::Type element_;
    std::string matrix_;                         ///< the name of the rank's block
    std::string outer_;                          ///< loop over the rows of the block
    std::string inner_;                          ///< loop over the entries of a row
    std::string entry_;                          ///< the value of the entry
    std::map<std::string, std::string> indices_; ///< of open loops
    std::map<int, std::string> names_;           ///< of steps that are computed
    std::set<int> kept_;                         ///< steps that are in an array
    std::vector<std::vector<int>> scopes_;       ///< steps computed since the loops were opened
    std::map<std::string, std::string> keys_;    ///< of random numbers
};

} // namespace

void write_edge_reduce(Body &body, ir::EdgeReduceOp op, const Matrices &matrices) {
    EdgeWriter(body, op).write("matrix::" + matrices.name_of(op));
}

} // namespace planc::emit
