// The last table: the program, which names the others.
#include "emit/names/text.h"
#include "emit/step.h"
#include "emit/tables/tables.h"
#include "schedule/functions.h"
#include "schedule/matrix_memory.h"

#include <planrt/vertex_order.h>

#include <algorithm>

namespace planc::emit {

namespace {

/// What prediction returns, if it has a row for each sample: its first dimension is the batch, that of the inputs. Of a
/// graph, rows may be of anything.
mlir::Value rows_of_prediction(const std::vector<mlir::func::FuncOp> &functions, bool graph) {
    llvm::ArrayRef<mlir::StringAttr> input;
    mlir::Value result;
    for (mlir::func::FuncOp function : functions) {
        for (mlir::BlockArgument argument : function.getArguments())
            if (input.empty() && ir::received_by(argument) < 0)
                input = schedule::tensor(argument).getRoles();
        if (ir::own_results(function) > 0)
            result = function.getBody().front().getTerminator()->getOperand(0);
    }
    const auto output = result ? schedule::tensor(result).getRoles() : llvm::ArrayRef<mlir::StringAttr>();
    const bool by_sample = !input.empty() && !output.empty() && input.front() == output.front();
    return by_sample || (graph && !output.empty()) ? result : mlir::Value();
}

/// The role of the function in which a value is computed.
int role_of(mlir::Value value) {
    return ir::role_of(mlir::cast<mlir::func::FuncOp>(value.getParentRegion()->getParentOp()));
}

} // namespace

std::string Tables::data_set() const {
    const sema::Data &data = info_.data;
    static constexpr const char *splits[] = {"shares", "counts", "column", "files"};
    return braces({string_literal(data.name),
                   "planrt::DataFormat::" + (data.format.empty() ? "synthetic" : data.format),
                   string_literal(data.path), string_literal(data.directory),
                   std::string("planrt::SplitKind::") + splits[static_cast<int>(data.split)], number(data.train),
                   number(data.test), std::to_string(data.split_column), std::to_string(data.samples),
                   std::to_string(data.seed) + "U", boolean(data.header)});
}

/// The order of the vertices, as the member of the program.
std::string Tables::write_order(const sema::VertexOrder &order) {
    std::vector<std::string> roles;
    for (const std::string &role : order.roles)
        roles.push_back(string_literal(role));
    array("const char *const", "ordered_roles", roles);
    constexpr std::size_t in_line = 100;
    text_ += "constexpr char vertices[] =";
    const std::string numbers = planrt::text_of_order(order.vertices);
    for (std::size_t begin = 0; begin < numbers.size(); begin += in_line)
        text_ += "\n    \"" + numbers.substr(begin, in_line) + "\"";
    text_ += ";\n\n";
    return braces({std::to_string(order.vertices.size()), spans_["ordered_roles"], "vertices"});
}

void Tables::write_program() {
    // Only the training step is modelled.
    const std::vector<mlir::func::FuncOp> none;
    const auto evaluate = info_.modelled ? none : step_.functions_for(ir::Purpose::evaluation);
    std::map<std::string, mlir::Value> results; // of evaluation
    int evaluation_role = 0;
    for (mlir::func::FuncOp function : evaluate)
        if (const auto names = function->getAttrOfType<mlir::ArrayAttr>("plan.results"))
            for (auto [name, value] : llvm::zip(names, function.getBody().front().getTerminator()->getOperands())) {
                results[mlir::cast<mlir::StringAttr>(name).str()] = value;
                evaluation_role = ir::role_of(function);
            }
    const auto result = [&](const char *name) {
        return results.contains(name) ? "planrt::Tensor" + tensor(results[name]) : "{}";
    };
    const auto predict = info_.modelled ? none : step_.functions_for(ir::Purpose::prediction);
    const mlir::Value prediction = rows_of_prediction(predict, info_.data.format == "graph");
    const program::Program &program = step_.program();
    const program::MicroBatch &last = program.micro_batches.back();
    const std::int64_t batch = last.first + last.samples;
    std::vector<std::pair<const char *, std::string>> members{
        {"name", string_literal(info_.network)},
        {"source", string_literal(info_.source)},
        {"layout", string_literal(info_.layout)},
        {"mesh", spans_["mesh"]},
        {"arena_bytes", std::to_string(module_->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes").getInt())},
        {"variables", spans_["variables"]},
        {"evaluation_fields", evaluate.empty() ? "{}" : spans_["evaluation_fields"]},
        {"data", data_set()},
        {"traffic", spans_["traffic"]},
        {"collectives", spans_["collectives"]},
        {"training_collectives", std::to_string(training_collectives_)},
        {"work", spans_["work"]},
        {"batch", std::to_string(batch)},
        {"epochs", std::to_string(info_.epochs)},
        {"steps", std::to_string(info_.steps)},
        {"seed", std::to_string(info_.seed) + "U"},
        {"set_up", "set_up"},
        {"bodies", "bodies"},
        {"micro_batches", "micro_batches"},
        {"roles", "roles"},
        {"evaluate_step", evaluate.empty() ? "nullptr" : function_name(evaluate)},
        {"sums", spans_["sums"]},
        {"loss", tensor(step_.bodies().of(program.loss))},
        {"valid", spans_.contains("valid") ? spans_["valid"] : "{}"},
        {"evaluated_loss", result("loss")},
        {"loss_divisor", result("loss_divisor")},
        {"correct", result("correct")},
        {"labels", result("labels")},
        {"prediction_fields", prediction ? spans_["prediction_fields"] : "{}"},
        {"predict_step", prediction ? function_name(predict) : "nullptr"},
        {"prediction", prediction ? tensor(prediction) : "{}"},
    };
    const auto before = [&members](const char *name) {
        return std::ranges::find(members, std::string_view(name), &std::pair<const char *, std::string>::first);
    };
    if (info_.order)
        members.insert(before("traffic"), {"order", write_order(*info_.order)});
    for (const char *table : {"matrix_files", "matrix_blocks", "hops"})
        if (spans_[table] != "{}")
            members.insert(before("traffic"), {table, table});
    if (const std::int64_t bytes = schedule::rank_memory(module_).matrices; bytes > 0)
        members.insert(before("traffic"), {"matrix_bytes", std::to_string(bytes)});
    if (info_.keep != sema::Keep::last)
        members.insert(before("set_up"), {"keep", info_.keep == sema::Keep::best_loss ? "planrt::Keep::best_loss"
                                                                                      : "planrt::Keep::best_accuracy"});
    if (info_.patience > 0)
        members.insert(before("set_up"), {"patience", std::to_string(info_.patience)});
    if (const int along = ir::mesh_of(mesh_).uneven_along; along >= 0)
        members.insert(before("arena_bytes"), {"uneven_along", std::to_string(along)});
    if (program.updates() > 1) // all but the last take as many micro-batches
        members.insert(before("roles"),
                       {"micro_batches_of_update",
                        std::to_string(std::ranges::count(program.micro_batches, 0, &program::MicroBatch::update))});
    if (const int slot = step_.loss_slot(); slot > 0)
        members.insert(before("valid"), {"loss_slot", std::to_string(slot)});
    if (const int role = program.values[static_cast<std::size_t>(program.loss)].role; role > 0)
        members.insert(before("valid"), {"loss_role", std::to_string(role)});
    if (evaluation_role > 0)
        members.insert(before("valid"), {"evaluation_role", std::to_string(evaluation_role)});
    if (const int role = prediction ? role_of(prediction) : 0; role > 0)
        members.emplace_back("prediction_role", std::to_string(role));
    if (info_.reference_seconds > 0) // of a machine that was measured
        members.insert(before("batch"), {"reference_seconds", number(info_.reference_seconds)});
    program_ = filling_.empty() ? "constexpr planrt::Program program{\n" : "const planrt::Program program{\n";
    for (const auto &[name, value] : members)
        program_ += "    ." + std::string(name) + " = " + value + ",\n";
    program_ += "};\n";
}

} // namespace planc::emit
