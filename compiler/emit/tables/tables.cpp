#include "emit/tables/tables.h"

#include "emit/names/text.h"
#include "emit/step.h"
#include "emit/tables/collectives.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/staged.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

#include <array>
#include <cstdio>

namespace planc::emit {

namespace {

std::string type_text(mlir::Type element) {
    return element.isF32() ? "Type::f32" : element.isF64() ? "Type::f64" : "Type::i32";
}

/// Four digits: predictions are not more precise.
std::string seconds_text(double seconds) {
    std::array<char, 32> text{};
    (void)std::snprintf(text.data(), text.size(), "%.4g", seconds);
    return text.data();
}

} // namespace

Tables::Tables(mlir::ModuleOp module, const Step &step, const EmitInfo &info, const ValueNames &names,
               const Matrices &matrices, const WorkRows &work, LocalExtents &extents, UniqueNames &globals)
    : module_(module), step_(step), info_(info), names_(names), extents_(extents), mesh_(ir::mesh_attribute(module)),
      field_rows_(info, matrices), globals_(globals),
      alike_("planrt::Tables &tables", "tables", /*named=*/true, globals_) {
    write_mesh();
    array("planrt::MatrixFile", "matrix_files", matrices.files());
    array("planrt::MatrixBlock", "matrix_blocks", matrices.blocks(extents_));
    write_variables();
    write_fields();
    write_collectives();
    write_step();
    write_work(work);
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

void Tables::table(const std::string &type, const std::string &name, const std::string &method,
                   std::vector<Statement> rows) {
    if (!LayersAlike::any(rows)) {
        std::vector<std::string> texts;
        for (const Statement &row : rows)
            texts.push_back(LayersAlike::alone(row));
        array(type, name, texts);
        return;
    }
    for (Statement &row : rows)
        row.head = "    tables." + method + "(" + row.head + ");\n";
    fill(rows, name);
    spans_[name] = "layer_tables." + name + "()";
}

void Tables::fill(const std::vector<Statement> &statements, const std::string &what) {
    const std::string function = globals_.add("fill " + what);
    fillers_ += "void " + function + "(planrt::Tables &tables) {\n" + alike_.write(statements, what) + "}\n\n";
    filling_ += "    " + function + "(tables);\n";
}

std::string Tables::text() const {
    std::string text = shapes_ + "\n" + field_rows_.arrays() + text_;
    if (!filling_.empty())
        text += alike_.definitions() + fillers_ + "void fill(planrt::Tables &tables) {\n" + filling_ +
                "}\n\nconst planrt::Tables layer_tables(fill);\n\n";
    return text + program_;
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
    const planrt::Mesh mesh = ir::mesh_of(mesh_);
    std::vector<std::string> rows;
    for (auto [axis, name] : llvm::enumerate(mesh_.getNames())) {
        std::vector<std::string> row{string_literal(name.str()), std::to_string(mesh.sizes[axis])};
        if (mesh.sizes_at.size() > 1 && static_cast<int>(axis) != mesh.uneven_along) {
            std::vector<std::string> sizes;
            for (const std::vector<int> &at : mesh.sizes_at)
                sizes.push_back(std::to_string(at[axis]));
            array("int", "sizes_of_axis_" + std::to_string(axis), sizes);
            row.push_back("sizes_of_axis_" + std::to_string(axis));
        }
        rows.push_back(braces(row));
    }
    array("planrt::Axis", "mesh", rows);
}

void Tables::write_variables() {
    std::vector<Statement> rows;
    std::vector<Statement> sums;
    for (auto variable : module_.getOps<ir::VariableOp>()) {
        const std::string name = variable.getSymName().str();
        Statement row;
        row.layer = name.substr(0, name.rfind('.'));
        if (variable->hasAttr("version_of")) // it has no value between steps
            continue;
        if (is_accumulator(variable)) {
            const std::int64_t begin = variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
            const auto type = mlir::cast<ir::TensorType>(variable.getType());
            const ir::MeshAttr mesh = step_.mesh_of(step_.role_of(variable));
            const auto number = [&](const char *title, std::int64_t value) {
                Hole hole = number_hole(value);
                hole.title = title;
                return row.hole(std::move(hole));
            };
            std::vector<std::string> members{number("begin", begin),
                                             number("end", begin + schedule::buffer_bytes(type, mesh))};
            if (const int role = step_.role_of(variable); role > 0)
                members.push_back(std::to_string(role));
            row.head = braces(members);
            sums.push_back(std::move(row));
            continue;
        }
        const ir::InitializerAttr init = variable.getInit();
        const auto original = variable->getAttrOfType<mlir::StringAttr>("copy_of");
        Hole text = text_hole(original ? original.str() : name);
        text.title = "name";
        std::vector<std::string> members{
            row.hole(std::move(text)),
            tensor(mlir::cast<ir::TensorType>(variable.getType()), row.hole(names_.hole(variable))),
            boolean(variable.getTrained() || variable->hasAttr("statistic")),
            "planrt::Initializer::" + init.getKind().str(),
            number(init.getA().getValueAsDouble()),
            number(init.getB().getValueAsDouble())};
        const bool is_best = variable->hasAttr("best_of");
        if (const int role = step_.role_of(variable); role > 0 || original || is_best)
            members.push_back(std::to_string(role));
        if (original || is_best)
            members.push_back(boolean(original != nullptr));
        if (is_best)
            members.push_back("true");
        row.head = braces(members);
        rows.push_back(std::move(row));
    }
    table("planrt::Variable", "variables", "variable", std::move(rows));
    table("planrt::Sum", "sums", "sum", std::move(sums));
}

void Tables::write_fields() {
    std::vector<std::string> inputs;
    for (std::size_t body = 0; body < step_.program().bodies.size(); ++body) {
        write_fields_of_body(static_cast<int>(body));
        for (const int loaded : step_.program().bodies[body].loads)
            inputs.push_back(step_.program().values[static_cast<std::size_t>(loaded)].name);
    }
    array("planrt::Hop", "hops", field_rows_.hops(inputs));
    write_evaluation_fields(step_.functions_for(ir::Purpose::evaluation), "evaluation_fields");
    write_evaluation_fields(step_.functions_for(ir::Purpose::prediction), "prediction_fields");
}

void Tables::write_fields_of_body(int body) {
    std::vector<std::string> rows;
    const program::Body &loading = step_.program().bodies[static_cast<std::size_t>(body)];
    for (const int loaded : loading.loads)
        rows.push_back(field_rows_.row(step_.program().values[static_cast<std::size_t>(loaded)].name,
                                       tensor(step_.bodies().of(loaded)), /*training=*/true));
    if (!rows.empty())
        fields_[body] = array("planrt::Field", loading.function + "_fields", rows);
}

void Tables::write_evaluation_fields(const std::vector<mlir::func::FuncOp> &functions, const std::string &name) {
    if (functions.empty())
        return;
    std::vector<std::string> rows;
    std::vector<std::string> valid;
    for (mlir::func::FuncOp function : functions)
        for (mlir::BlockArgument argument : function.getArguments()) {
            if (ir::received_by(argument) >= 0)
                continue;
            const auto input = function.getArgAttrOfType<mlir::StringAttr>(argument.getArgNumber(), "plan.input");
            const std::string field = input ? input.str() : "input";
            if (field == "valid")
                valid.push_back(tensor(argument));
            else
                rows.push_back(field_rows_.row(field, tensor(argument), /*training=*/false, ir::role_of(function)));
        }
    array("planrt::Field", name, rows);
    if (!valid.empty())
        array("planrt::Tensor", "valid", valid);
}

void Tables::write_step() {
    text_ += step_tables(step_, schedule::arenas(module_), fields_, transfers_);
}

/// What each layer computes in each part of a step, with what was predicted.
void Tables::write_work(const WorkRows &work) {
    std::vector<Statement> rows;
    for (const WorkRows::Row &each : work.rows()) {
        Statement row;
        row.layer = each.layers.front();
        Hole layers = text_hole(joined(each.layers));
        layers.title = "layers";
        row.head = braces(
            {row.hole(std::move(layers)), string_literal(schedule::name(each.part)), seconds_text(each.seconds)});
        rows.push_back(std::move(row));
    }
    table("planrt::Work", "work", "work", std::move(rows));
}

namespace {

std::int64_t integer(ir::StartOp start, const char *name) {
    const auto attribute = start->getAttrOfType<mlir::IntegerAttr>(name);
    return attribute ? attribute.getInt() : 0;
}

std::string tensor_name(ir::StartOp start, std::size_t member) {
    return mlir::cast<mlir::StringAttr>(start.getTensors()[static_cast<unsigned>(member)]).str();
}

/// The layer of each member according to the names of the tensors: "h1" for "gradient of h1.w" if the collective's
/// layers are "h1, h2". If the names do not tell, the first member has all layers.
std::vector<std::string> member_layers(ir::StartOp start) {
    const std::string all = schedule::layer_of(start);
    llvm::SmallVector<llvm::StringRef> names;
    llvm::StringRef(all).split(names, ", ");
    const llvm::DenseSet<llvm::StringRef> known(names.begin(), names.end());
    std::vector<std::string> layers;
    llvm::SetVector<llvm::StringRef> seen;
    for (std::size_t m = 0; m < start.getInputs().size(); ++m) {
        const std::string tensor = tensor_name(start, m);
        const llvm::StringRef path = llvm::StringRef(tensor).rsplit(' ').second;
        const auto found = known.find(path.rsplit('.').first);
        if (found == known.end())
            break;
        layers.push_back(found->str());
        seen.insert(*found);
    }
    if (layers.size() == start.getInputs().size() && llvm::equal(seen, names))
        return layers;
    layers.assign(start.getInputs().size(), "");
    layers.front() = all;
    return layers;
}

} // namespace

/// The calls and bytes of each rank in a step; a single entry if they are equal.
std::vector<std::string> Tables::predicted_rows(ir::StartOp start, const CollectiveInfo &info) {
    const int64_t runs = step_.runs(start->getParentOfType<mlir::func::FuncOp>());
    std::vector<schedule::Predicted> ranks = predicted_of_all(start, info);
    if (std::all_of(ranks.begin(), ranks.end(), [&](const schedule::Predicted &rank) { return rank == ranks.front(); }))
        ranks.resize(1);
    std::vector<std::string> rows;
    for (const schedule::Predicted &rank : ranks)
        if (info.method.algorithm == planrt::Algorithm::mpi)
            rows.push_back(braces({std::to_string(runs * rank.calls), std::to_string(runs * rank.bytes)}));
        else
            rows.push_back(braces({std::to_string(runs * rank.calls), std::to_string(runs * rank.bytes),
                                   std::to_string(runs * rank.messages), std::to_string(runs * rank.sent_bytes)}));
    return rows;
}

/// The predictions for every rank of the whole mesh; ranks of other roles do nothing.
std::vector<schedule::Predicted> Tables::predicted_of_all(ir::StartOp start, const CollectiveInfo &info) {
    const int role = step_.role_of(start->getParentOfType<mlir::func::FuncOp>());
    const std::vector<schedule::Predicted> own = schedule::predicted(info, ir::mesh_of(step_.mesh_of(role)));
    const planrt::Mesh whole = ir::mesh_of(mesh_);
    if (static_cast<int>(own.size()) == whole.ranks())
        return own;
    std::vector<schedule::Predicted> all;
    for (int rank = 0; rank < whole.ranks(); ++rank) {
        const int within = step_.program().roles[static_cast<std::size_t>(role)].ranks.rank_within(whole, rank);
        all.push_back(within < 0 ? schedule::Predicted{} : own[static_cast<std::size_t>(within)]);
    }
    return all;
}

std::string Tables::predicted_seconds(ir::StartOp start, const CollectiveInfo &info) {
    if (!info_.seconds || info.kind == planrt::CollectiveKind::slice)
        return "0";
    const auto function = start->getParentOfType<mlir::func::FuncOp>();
    return seconds_text(static_cast<double>(step_.runs(function)) *
                        info_.seconds(info, step_.ranks_of(step_.role_of(function))));
}

std::string Tables::axes_of(const CollectiveInfo &info) {
    std::vector<std::string> axes;
    for (int axis : info.axes)
        axes.push_back(mesh_.getNames()[static_cast<size_t>(axis)].str());
    return extents_.axes(axes);
}

/// The algorithm and the shape of its group; nothing for MPI's own.
std::vector<std::string> Tables::method_of(const CollectiveInfo &info) {
    if (info.method.algorithm == planrt::Algorithm::mpi)
        return {};
    std::string &name = group_names_[info.method.shape];
    if (name.empty()) {
        std::vector<std::string> sizes;
        for (const int size : info.method.shape)
            sizes.push_back(std::to_string(size));
        name = "group_of_" + joined(sizes, "_by_");
        shapes_ += "constexpr int " + name + "[] = {" + joined(sizes) + "};\n";
    }
    return {std::string("planrt::Algorithm::") + planrt::name_of(info.method.algorithm), name};
}

/// The mesh of the ranks that take part.
ir::MeshAttr Tables::mesh_of(ir::StartOp start) const {
    return step_.mesh_of(step_.role_of(start->getParentOfType<mlir::func::FuncOp>()));
}

void Tables::write_collectives() {
    std::vector<ir::StartOp> starts;
    for (mlir::func::FuncOp function : step_.functions())
        for (auto start : function.getOps<ir::StartOp>()) {
            starts.push_back(start);
            training_collectives_ += step_.is_body(function) ? 1 : 0;
        }
    std::vector<Statement> statements;
    for (ir::StartOp start : starts)
        describe_collective(start, statements);
    if (!LayersAlike::any(statements) || step_.program().roles.size() > 1)
        return write_collective_arrays(starts);
    fill(statements, "collectives");
    for (const char *name : {"traffic", "collectives"})
        spans_[name] = std::string("layer_tables.") + name + "()";
}

/// Statements that add it and its members to the tables.
void Tables::describe_collective(ir::StartOp start, std::vector<Statement> &statements) {
    const std::vector<std::string> layers = member_layers(start);
    std::string layer = layers.front();
    for (auto [m, from, to] : llvm::enumerate(start.getInputs(), start.getResults())) {
        Statement member;
        layer = layers[m].empty() ? layer : layers[m];
        member.layer = layer;
        Hole name = text_hole(layers[m]);
        name.title = "layer name";
        Hole tensor = text_hole(tensor_name(start, m));
        tensor.title = "tensor";
        member.head =
            "    tables.member(" + member.hole(std::move(name)) + ", " + member.hole(std::move(tensor)) + ", ";
        for (const auto &[value, end] : {std::pair<mlir::Value, const char *>{from, ", "}, {to, ");\n"}})
            member.head += this->tensor(schedule::tensor(value), member.hole(names_.hole(value))) + end;
        statements.push_back(std::move(member));
    }
    const CollectiveInfo info = schedule::collective_info(start, mesh_of(start));
    Statement collective;
    collective.layer = layer;
    Hole scratch = number_hole(integer(start, "scratch_offset"));
    scratch.title = "scratch";
    std::vector<std::string> arguments{"planrt::CollectiveKind::" + start.getKind().str(),
                                       axes_of(info),
                                       string_literal(schedule::phase_of(start)),
                                       collective.hole(std::move(scratch)),
                                       std::to_string(integer(start, "scratch_bytes")),
                                       braces(predicted_rows(start, info)),
                                       predicted_seconds(start, info)};
    for (std::string &argument : method_of(info))
        arguments.push_back(std::move(argument));
    if (start->hasAttr(schedule::staged_attribute)) {
        if (info.method.algorithm == planrt::Algorithm::mpi)
            arguments.insert(arguments.end(), {"planrt::Algorithm::mpi", "{}"});
        arguments.emplace_back("true");
    }
    collective.head = "    tables.collective(" + joined(arguments) + ");\n";
    statements.push_back(std::move(collective));
}

void Tables::write_collective_arrays(const std::vector<ir::StartOp> &starts) {
    std::vector<std::string> rows;
    std::vector<std::string> collectives;
    for (ir::StartOp start : starts) {
        const std::string number = std::to_string(start.getNumber());
        rows.push_back(braces({string_literal(schedule::layer_of(start)), string_literal(schedule::phase_of(start)),
                               string_literal(tensor_names(start))}));
        std::vector<std::string> members;
        for (auto [from, to] : llvm::zip(start.getInputs(), start.getResults()))
            members.push_back(braces({tensor(from), tensor(to)}));
        array("planrt::Collective::Member", "members_" + number, members);
        const CollectiveInfo info = schedule::collective_info(start, mesh_of(start));
        text_ += wrapped("constexpr planrt::Collective::Predicted predicted_" + number + "[] = {",
                         predicted_rows(start, info), "};\n\n", 4);
        std::vector<std::string> row{"planrt::CollectiveKind::" + start.getKind().str(),
                                     number,
                                     axes_of(info),
                                     "members_" + number,
                                     std::to_string(integer(start, "scratch_offset")),
                                     std::to_string(integer(start, "scratch_bytes")),
                                     "predicted_" + number,
                                     predicted_seconds(start, info)};
        for (std::string &part : method_of(info))
            row.push_back(std::move(part));
        const bool staged = start->hasAttr(schedule::staged_attribute);
        if (const int role = step_.role_of(start->getParentOfType<mlir::func::FuncOp>()); role > 0 || staged) {
            if (info.method.algorithm == planrt::Algorithm::mpi)
                row.insert(row.end(), {"planrt::Algorithm::mpi", "{}"});
            row.push_back(std::to_string(role));
        }
        if (staged)
            row.insert(row.end(), {"-1", "0", "true"});
        collectives.push_back(braces(row));
        if (static_cast<int>(collectives.size()) == training_collectives_)
            write_transfers(rows, collectives);
    }
    if (transfers_.empty())
        write_transfers(rows, collectives);
    for (const schedule::StageTransfer &transfer : step_.transfers())
        write_transfer(transfer.name, transfer.info(), tensor(transfer.sent()), tensor(transfer.received()),
                       transfer.scratch_offsets(), rows, collectives);
    array("planrt::TrafficRow", "traffic", rows);
    array("planrt::Collective", "collectives", collectives);
}

void Tables::write_transfers(std::vector<std::string> &rows, std::vector<std::string> &collectives) {
    for (const program::Transfer &transfer : step_.program().transfers) {
        transfers_.push_back(static_cast<int>(collectives.size()));
        write_transfer(transfer.name, schedule::transfer_info(step_.bodies(), transfer, mesh_),
                       tensor(step_.bodies().of(transfer.from)), tensor(step_.bodies().of(transfer.to)),
                       {transfer.scratch_offset, transfer.to_scratch_offset}, rows, collectives);
        ++training_collectives_;
    }
}

/// Writes an exchange between roles.
void Tables::write_transfer(const std::string &name, const schedule::TransferInfo &info, const std::string &from,
                            const std::string &to, std::pair<std::int64_t, std::int64_t> scratch,
                            std::vector<std::string> &rows, std::vector<std::string> &collectives) {
    const std::string number = std::to_string(collectives.size());
    rows.push_back(braces({string_literal(name), string_literal("transfer"), string_literal(name)}));
    array("planrt::Collective::Member", "members_" + number, {braces({from, to})});
    std::vector<std::string> predicted;
    for (const schedule::Predicted &rank : schedule::predicted(info, ir::mesh_of(mesh_)))
        predicted.push_back(braces({std::to_string(rank.calls), std::to_string(rank.bytes)}));
    text_ += wrapped("constexpr planrt::Collective::Predicted predicted_" + number + "[] = {", predicted, "};\n\n", 4);
    collectives.push_back(
        braces({"planrt::CollectiveKind::exchange", number, "{}", "members_" + number, std::to_string(scratch.first),
                std::to_string(schedule::scratch_bytes(info, ir::mesh_of(mesh_))), "predicted_" + number, "0",
                "planrt::Algorithm::mpi", "{}", std::to_string(info.from_role), std::to_string(info.to_role),
                std::to_string(scratch.second)}));
}

} // namespace planc::emit
