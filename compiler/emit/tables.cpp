#include "emit/tables.h"

#include "emit/collectives.h"
#include "emit/entries.h"
#include "emit/text.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"

namespace planc::emit {

namespace {

std::string type_text(mlir::Type element) {
    return element.isF32() ? "Type::f32" : element.isF64() ? "Type::f64" : "Type::i32";
}

std::string boolean(bool value) {
    return value ? "true" : "false";
}

std::string braces(const std::vector<std::string> &parts) {
    return "{" + joined(parts) + "}";
}

/// What @predict returns, if its first dimension is the batch: that of the inputs.
mlir::Value predicted_batch(mlir::ModuleOp module) {
    auto predict = module.lookupSymbol<mlir::func::FuncOp>("predict");
    if (!predict || predict.getNumArguments() == 0)
        return {};
    const mlir::Value result = predict.getBody().front().getTerminator()->getOperand(0);
    const auto input = schedule::tensor(predict.getArgument(0)).getRoles();
    const auto output = schedule::tensor(result).getRoles();
    return !input.empty() && !output.empty() && input.front() == output.front() ? result : mlir::Value();
}

} // namespace

Tables::Tables(mlir::ModuleOp module, const EmitInfo &info, const ValueNames &names, LocalExtents &extents)
    : module_(module), info_(info), names_(names), extents_(extents), mesh_(ir::mesh_attribute(module)),
      field_rows_(info.data, info.bounds) {
    write_mesh();
    write_variables();
    for (mlir::func::FuncOp function : schedule::entry_functions(module))
        write_fields(function);
    write_collectives();
    write_micro_batches();
    write_program();
}

std::string Tables::array(const std::string &type, const std::string &name, const std::vector<std::string> &rows) {
    if (rows.empty())
        return spans_[name] = "{}";
    text_ += "constexpr " + type + " " + name + "[] = {\n";
    for (const std::string &row : rows)
        text_ += "    " + row + ",\n";
    text_ += "};\n\n";
    return spans_[name] = name;
}

std::string Tables::shape(ir::TensorType type) {
    std::vector<std::string> rows;
    for (const schedule::LoopDimension &dimension : schedule::dimensions_of(type)) {
        std::vector<std::string> row{string_literal(dimension.role), std::to_string(dimension.extent),
                                     extents_.axes(dimension.axes)};
        if (dimension.window)
            row.push_back(text_of(*dimension.window));
        rows.push_back(braces(row));
    }
    if (rows.empty())
        return "{}";
    const std::string key = braces(rows);
    std::string &name = shape_names_[key];
    if (name.empty()) {
        name = "shape_" + std::to_string(shape_names_.size());
        shapes_ += wrapped("constexpr planrt::Dimension " + name + "[] = {", rows, "};\n", 4);
    }
    return name;
}

std::string Tables::tensor(ir::TensorType type, const std::string &offset) {
    std::vector<std::string> partial;
    std::vector<std::string> stored;
    std::string reduction = "sum";
    if (const ir::LayoutAttr layout = type.getLayout()) {
        for (mlir::StringAttr axis : layout.getPartial())
            partial.push_back(axis.str());
        for (mlir::StringAttr axis : layout.getStored())
            stored.push_back(axis.str());
        reduction = layout.getReduction().str();
    }
    return braces({type_text(type.getElementType()), shape(type), extents_.axes(partial),
                   "planrt::Reduction::" + reduction, extents_.axes(stored), offset});
}

void Tables::write_mesh() {
    std::vector<std::string> rows;
    for (auto [name, size] : llvm::zip(mesh_.getNames(), mesh_.getSizes()))
        rows.push_back(braces({string_literal(name.str()), std::to_string(size)}));
    array("planrt::Axis", "mesh", rows);
}

void Tables::write_variables() {
    std::vector<std::string> rows;
    std::vector<std::string> sums;
    for (auto variable : module_.getOps<ir::VariableOp>()) {
        if (is_accumulator(variable)) {
            const std::int64_t begin = variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
            const auto type = mlir::cast<ir::TensorType>(variable.getType());
            sums.push_back(
                braces({std::to_string(begin), std::to_string(begin + schedule::buffer_bytes(type, mesh_))}));
            continue;
        }
        const ir::InitializerAttr init = variable.getInit();
        rows.push_back(braces({string_literal(variable.getSymName().str()),
                               tensor(mlir::cast<ir::TensorType>(variable.getType()), "at::" + names_.of(variable)),
                               boolean(variable.getTrained() || variable->hasAttr("statistic")),
                               "planrt::Initializer::" + init.getKind().str(), number(init.getA().getValueAsDouble()),
                               number(init.getB().getValueAsDouble())}));
    }
    array("planrt::Variable", "variables", rows);
    array("planrt::Range", "sums", sums);
}

std::string Tables::fields_name(mlir::func::FuncOp function) {
    const llvm::StringRef name = function.getName();
    return name == "train"      ? "fields"
           : name == "evaluate" ? "evaluation_fields"
           : name == "predict"  ? "prediction_fields"
                                : name.str() + "_fields";
}

void Tables::write_fields(mlir::func::FuncOp function) {
    std::vector<std::string> rows;
    std::vector<std::string> valid;
    for (mlir::BlockArgument argument : function.getArguments()) {
        const auto input = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
        const std::string name = input ? input.str() : "input";
        if (name == "valid") {
            valid.push_back(tensor(argument));
            continue;
        }
        rows.push_back(field_rows_.row(name, tensor(argument), schedule::is_training(function)));
    }
    array("planrt::Field", fields_name(function), rows);
    if (function.getName() == "evaluate")
        array("planrt::Tensor", "valid", valid);
}

/// The training step's functions, each as often as it runs, with the part of the batch that it takes.
void Tables::write_micro_batches() {
    std::vector<std::string> rows;
    for (const MicroBatchAction &action : micro_batches(module_)) {
        rows.push_back(braces({spans_[fields_name(action.function)], std::to_string(action.first),
                               std::to_string(action.samples), action.entry}));
        batch_ += action.samples;
    }
    array("planrt::MicroBatch", "micro_batches", rows);
}

void Tables::write_collectives() {
    std::vector<std::string> rows;
    std::vector<std::string> collectives;
    for (mlir::func::FuncOp function : running_functions(module_)) {
        const int64_t runs = runs_a_step(function);
        for (auto start : function.getOps<ir::StartOp>()) {
            const std::string number = std::to_string(start.getNumber());
            rows.push_back(braces({string_literal(schedule::layer_of(start)), string_literal(schedule::phase_of(start)),
                                   string_literal(tensor_names(start))}));
            std::vector<std::string> members;
            for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
                members.push_back(braces({tensor(from), tensor(to)}));
            array("planrt::Collective::Member", "members_" + number, members);
            const CollectiveInfo info = collective_info(start, mesh_);
            std::vector<Predicted> ranks = predicted(info, ir::mesh_of(mesh_));
            if (std::all_of(ranks.begin(), ranks.end(), [&](const Predicted &rank) { return rank == ranks.front(); }))
                ranks.resize(1);
            std::vector<std::string> traffic;
            for (const Predicted &rank : ranks)
                traffic.push_back(braces({std::to_string(runs * rank.calls), std::to_string(runs * rank.bytes)}));
            text_ +=
                wrapped("constexpr planrt::Collective::Predicted predicted_" + number + "[] = {", traffic, "};\n\n", 4);
            const auto integer = [&](const char *name) {
                const auto attribute = start->getAttrOfType<mlir::IntegerAttr>(name);
                return std::to_string(attribute ? attribute.getInt() : 0);
            };
            std::vector<std::string> axes;
            for (int axis : info.axes)
                axes.push_back(mesh_.getNames()[static_cast<size_t>(axis)].str());
            collectives.push_back(braces({"planrt::CollectiveKind::" + start.getKind().str(), number,
                                          extents_.axes(axes), "members_" + number, integer("scratch_offset"),
                                          integer("scratch_bytes"), "predicted_" + number}));
            training_collectives_ += schedule::is_training(function) ? 1 : 0;
        }
    }
    array("planrt::TrafficRow", "traffic", rows);
    array("planrt::Collective", "collectives", collectives);
}

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

void Tables::write_program() {
    auto train = module_.lookupSymbol<mlir::func::FuncOp>("train");
    auto evaluate = module_.lookupSymbol<mlir::func::FuncOp>("evaluate");
    std::map<std::string, mlir::Value> results; // of evaluation
    if (evaluate)
        if (const auto names = evaluate->getAttrOfType<mlir::ArrayAttr>("plan.results"))
            for (auto [name, value] : llvm::zip(names, evaluate.getBody().front().getTerminator()->getOperands()))
                results[mlir::cast<mlir::StringAttr>(name).str()] = value;
    const auto result = [&](const char *name) { return results.contains(name) ? tensor(results[name]) : "{}"; };
    const mlir::Value prediction = predicted_batch(module_);
    const std::vector<std::pair<const char *, std::string>> members{
        {"name", string_literal(info_.network)},
        {"source", string_literal(info_.source)},
        {"layout", string_literal(info_.layout)},
        {"mesh", spans_["mesh"]},
        {"arena_bytes", std::to_string(module_->getAttrOfType<mlir::IntegerAttr>("plan.arena_bytes").getInt())},
        {"variables", spans_["variables"]},
        {"evaluation_fields", evaluate ? spans_["evaluation_fields"] : "{}"},
        {"data", data_set()},
        {"traffic", spans_["traffic"]},
        {"collectives", spans_["collectives"]},
        {"training_collectives", std::to_string(training_collectives_)},
        {"batch", std::to_string(batch_)},
        {"epochs", std::to_string(info_.epochs)},
        {"steps", std::to_string(info_.steps)},
        {"seed", std::to_string(info_.seed) + "U"},
        {"set_up", "set_up"},
        {"micro_batches", spans_["micro_batches"]},
        {"evaluate_step", evaluate ? "evaluate_step" : "nullptr"},
        {"sums", spans_["sums"]},
        {"loss", tensor(train.getBody().front().getTerminator()->getOperand(0))},
        {"valid", spans_.contains("valid") ? spans_["valid"] : "{}"},
        {"evaluated_loss", result("loss")},
        {"correct", result("correct")},
        {"has_accuracy", boolean(results.contains("correct"))},
        {"prediction_fields", prediction ? spans_["prediction_fields"] : "{}"},
        {"predict_step", prediction ? "predict_step" : "nullptr"},
        {"prediction", prediction ? tensor(prediction) : "{}"},
    };
    text_ += "constexpr planrt::Program program{\n";
    for (const auto &[name, value] : members)
        text_ += "    ." + std::string(name) + " = " + value + ",\n";
    text_ += "};\n";
}

} // namespace planc::emit
