#include "emit/functions/functions.h"

#include "emit/functions/kernels.h"
#include "emit/names/text.h"
#include "emit/step.h"
#include "emit/tables/collectives.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/staged.h"

#include <map>
#include <optional>
#include <set>

namespace planc::emit {

namespace {

bool belongs_to_body(mlir::Operation *op) {
    return schedule::is_kernel(op) || mlir::isa<ir::LoopsOp>(op);
}

/// "evaluation" or "prediction"; none for functions of the training step.
std::optional<std::string> purpose(mlir::func::FuncOp function) {
    switch (ir::purpose_of(function)) {
    case ir::Purpose::evaluation:
        return "evaluation";
    case ir::Purpose::prediction:
        return "prediction";
    case ir::Purpose::training:
        break;
    }
    return std::nullopt;
}

/// "forward", "weight_gradient", "backward", "update": what the operations of one body are.
std::string part_name(const std::vector<mlir::Operation *> &ops) {
    std::set<std::string> phases;
    for (mlir::Operation *op : ops)
        phases.insert(schedule::phase_of(op));
    const schedule::Part part = schedule::part_of(ops.front());
    if (part == schedule::Part::backward && phases.size() == 1)
        return *phases.begin();
    return purpose(ops.front()->getParentOfType<mlir::func::FuncOp>()).value_or(schedule::name(part));
}

std::string wrapped_comment(const std::string &text) {
    return "// " + comment(text) + "\n";
}

} // namespace

Functions::Functions(const Step &step, const EmitInfo &info, const ValueNames &names, const Matrices &matrices,
                     const WorkRows &work, LocalExtents &extents, UniqueNames &globals)
    : step_(step), info_(info), names_(names), matrices_(matrices), work_(work), extents_(extents), globals_(globals),
      alike_("Context &context", "context", /*named=*/false, globals_) {
    for (mlir::func::FuncOp function : step.functions()) {
        is_body_ = step.is_body(function);
        booked_ = -1;
        if (!info.modelled)
            write(function);
        else if (is_body_)
            write_modelled(function);
    }
    if (!info.modelled)
        for (const ir::Purpose purpose : {ir::Purpose::evaluation, ir::Purpose::prediction})
            if (const auto parts = step.functions_for(purpose); parts.size() > 1)
                write_choice(step, parts);
}

/// A function that runs the parts of the rank's role, each between what it receives and what it sends. Ranks wait until
/// all has left when they have run all their parts, since a rank may take it only behind one of these.
void Functions::write_choice(const Step &step, const std::vector<mlir::func::FuncOp> &parts) {
    std::map<int, std::string> runs; // by role
    std::map<int, std::string> waits;
    for (mlir::func::FuncOp function : parts) {
        std::string receives;
        std::string sends;
        for (std::size_t t = 0; t < step.transfers().size(); ++t) {
            const schedule::StageTransfer &transfer = step.transfers()[t];
            const std::string number = std::to_string(step.first_transfer() + static_cast<int>(t));
            const std::string what = "// " + comment(transfer.name) + "\n";
            if (transfer.to == function)
                receives += "        context.collective(" + number + "); " + what;
            if (transfer.from == function && !transfer.stays()) {
                sends += "        context.start(" + number + "); " + what;
                waits[ir::role_of(function)] += "        context.wait(" + number + ");\n";
            }
        }
        runs[ir::role_of(function)] += receives + "        " + function_name(function) + "(context);\n" + sends;
    }
    steps_ += "void " + function_name(parts) + "(Context &context) {\n    switch (context.role()) {\n";
    for (const auto &[role, text] : runs)
        steps_ += "    case " + std::to_string(role) + ":\n" + text + waits[role] + "        break;\n";
    steps_ += "    }\n}\n\n";
}

void Functions::write(mlir::func::FuncOp function) {
    Body body(order());
    std::vector<mlir::Operation *> ops;
    for (mlir::Operation &op : function.getBody().front().without_terminator()) {
        if (belongs_to_body(&op) && !ops.empty() &&
            (schedule::layer_of(&op) != schedule::layer_of(ops.front()) ||
             schedule::part_of(&op) != schedule::part_of(ops.front())))
            flush(body, ops);
        if (belongs_to_body(&op))
            ops.push_back(&op);
        if (ir::WaitOp wait = schedule::is_kernel(&op) ? schedule::staged_wait(&op) : ir::WaitOp())
            write_in_pieces(body, &op, wait);
        else if (schedule::is_kernel(&op))
            write_kernel(body, &op, matrices_);
        else if (auto loops = mlir::dyn_cast<ir::LoopsOp>(op))
            write_loops(body, loops);
        else if (mlir::isa<ir::ProgressOp>(op) && pieces_.value)
            continue; // waiting for the next piece makes progress
        else if (mlir::isa<ir::ProgressOp>(op) && !body.empty())
            body.progress();
        else if (auto write = mlir::dyn_cast<ir::WriteOp>(op))
            write_variable(body, ops, write);
        else if (mlir::isa<ir::StartOp, ir::WaitOp, ir::ProgressOp>(op)) {
            flush(body, ops);
            write_communication(&op);
        } else if (op.hasAttr("offsets") && !mlir::isa<ir::ReadOp, ir::ViewOp>(op)) {
            llvm::report_fatal_error(llvm::Twine("no text for the operation ") + op.getName().getStringRef());
        }
    }
    flush(body, ops);
    end(function);
}

/// The products of a staged gather share a loop over the pieces.
void Functions::write_in_pieces(Body &body, mlir::Operation *op, ir::WaitOp wait) {
    const std::vector<mlir::Operation *> products = schedule::products_of(wait);
    const mlir::Value whole = wait.getResults().front();
    if (op == products.front()) {
        const std::string collective = body.collective_parameter(static_cast<std::int64_t>(wait.getNumber()));
        pieces_ = {whole, body.local("part"), body.local("piece")};
        const auto &[value, part, number] = pieces_;
        body.open("for (int " + number + " = 0; " + number + " < " + body.context() + ".pieces(" + collective +
                  "); ++" + number + ") {");
        body.line("const auto " + part + " = " + body.context() + ".piece<" +
                  type_name(schedule::tensor(whole).getElementType()) + ">(" + collective + ", " + number + ");");
    }
    write_kernel(body, op, matrices_, pieces_);
    if (op != products.back())
        return;
    body.close();
    pieces_ = {};
}

void Functions::write_modelled(mlir::func::FuncOp function) {
    for (mlir::Operation &op : function.getBody().front().without_terminator()) {
        if (mlir::isa<ir::StartOp, ir::WaitOp, ir::ProgressOp>(op)) {
            write_communication(&op);
            if (auto wait = mlir::dyn_cast<ir::WaitOp>(op); wait && wait->hasAttr(schedule::staged_attribute))
                write_modelled_pieces(wait);
            continue;
        }
        const int kernel = schedule::staged_wait(&op) ? -1 : info_.modelled->kernel(&op);
        if (kernel < 0)
            continue;
        book(&op);
        Statement statement = begin(&op);
        Hole number = number_hole(kernel);
        number.title = "kernel";
        statement.comment =
            "    // " + comment(place(&op) + ": " + info_.modelled->names[static_cast<std::size_t>(kernel)]) + "\n";
        statement.head = "    planrt::modelled(context, " + statement.hole(std::move(number)) + ");\n";
        statements_.push_back(std::move(statement));
    }
    end(function);
}

/// All products of a gather in pieces take their modelled time with each piece.
void Functions::write_modelled_pieces(ir::WaitOp wait) {
    const std::vector<mlir::Operation *> products = schedule::products_of(wait);
    book(products.front());
    Statement statement = begin(products.front());
    Hole collective = number_hole(static_cast<std::int64_t>(wait.getNumber()));
    collective.title = "collective";
    std::vector<std::string> kernels;
    for (mlir::Operation *product : products) {
        Hole number = number_hole(info_.modelled->kernel(product));
        number.title = "kernel";
        kernels.push_back(statement.hole(std::move(number)));
    }
    statement.comment = "    // " + comment(place(products.front()) + ": in pieces") + "\n";
    statement.head = "    planrt::modelled_pieces(context, " + statement.hole(std::move(collective)) + ", " +
                     braces(kernels) + ");\n";
    statements_.push_back(std::move(statement));
}

void Functions::end(mlir::func::FuncOp function) {
    steps_ += "void " + function_name(function) + "(Context &context) {\n" +
              alike_.write(statements_, purpose(function).value_or(function.getName().str())) + "}\n\n";
    statements_.clear();
}

/// An update in place has nothing left to do.
void Functions::write_variable(Body &body, std::vector<mlir::Operation *> &ops, ir::WriteOp write) {
    auto variable = symbols_.lookupNearestSymbolFrom<ir::VariableOp>(write, write.getVariableAttr());
    const int64_t offset = variable->getAttrOfType<mlir::IntegerAttr>("offset").getInt();
    if (schedule::offset_of(write.getValue()) == offset)
        return;
    flush(body, ops);
    const std::string type = type_name(schedule::tensor(write.getValue()).getElementType());
    std::vector<std::string> factors;
    for (const schedule::LoopDimension &dimension : schedule::space_of(schedule::tensor(write.getValue())))
        factors.push_back(extents_.of({dimension, false}));
    book(write);
    Statement statement = begin(write);
    statement.head = "    std::copy_n(context.at<" + type + ">(" + statement.hole(names_.hole(write.getValue())) +
                     "), " + (factors.empty() ? "1" : joined(factors, " * ")) + ", context.at<" + type + ">(" +
                     statement.hole(names_.hole(variable)) + "));\n";
    statements_.push_back(std::move(statement));
}

void Functions::write_communication(mlir::Operation *op) {
    Statement statement = begin(op);
    const auto number = [&](std::uint64_t index) {
        Hole hole = number_hole(static_cast<std::int64_t>(index));
        hole.title = "collective";
        return statement.hole(std::move(hole));
    };
    if (mlir::isa<ir::ProgressOp>(op)) {
        statement.head = "    context.progress();\n";
    } else if (auto start = mlir::dyn_cast<ir::StartOp>(op)) {
        auto next = mlir::dyn_cast_or_null<ir::WaitOp>(op->getNextNode());
        const bool at_once =
            next && next.getNumber() == start.getNumber() && !start->hasAttr(schedule::staged_attribute);
        statement.comment = "    // " + comment(describe(start, step_, info_)) + "\n";
        statement.alike = kind_and_shapes(start);
        statement.head =
            std::string("    context.") + (at_once ? "collective(" : "start(") + number(start.getNumber()) + ");\n";
    } else {
        auto wait = mlir::cast<ir::WaitOp>(op);
        if (wait->hasAttr(schedule::staged_attribute)) // its products wait
            return;
        auto previous = mlir::dyn_cast_or_null<ir::StartOp>(op->getPrevNode());
        if (previous && previous.getNumber() == wait.getNumber())
            return;
        statement.head = "    context.wait(" + number(wait.getNumber()) + ");\n";
    }
    statements_.push_back(std::move(statement));
}

void Functions::book(mlir::Operation *op) {
    if (!is_body_)
        return;
    const int row = work_.of(op);
    if (row == booked_)
        return;
    booked_ = row;
    Statement statement = begin(op);
    Hole number = number_hole(row);
    number.title = "work";
    statement.head = "    context.work(" + statement.hole(std::move(number)) + ");\n";
    statements_.push_back(std::move(statement));
}

Statement Functions::begin(mlir::Operation *op) {
    Statement statement;
    statement.layer = schedule::layer_of(op);
    return statement;
}

void Functions::flush(Body &body, std::vector<mlir::Operation *> &ops) {
    if (pieces_.value)
        llvm::report_fatal_error("the products of a gather in pieces are not one behind the other");
    if (ops.empty())
        return;
    std::string &name = functions_[body.key()];
    if (name.empty())
        name = define(body, ops);
    book(ops.front());
    Statement statement = begin(ops.front());
    std::vector<std::string> &arguments = statement.parts;
    if (body.uses_context())
        arguments.emplace_back("context");
    std::vector<std::string> extents;
    for (const ExtentParameter &parameter : body.extent_parameters())
        extents.push_back(extents_.of(parameter));
    for (const std::string &preparation : body.preparations(extents))
        if (!llvm::is_contained(preparations_, preparation))
            preparations_.push_back(preparation);
    arguments.insert(arguments.end(), extents.begin(), extents.end());
    for (const BufferParameter &parameter : body.buffer_parameters())
        arguments.push_back("context.at<" + type_name(parameter.element) + ">(" +
                            statement.hole(names_.hole(parameter.value)) + ")");
    for (const std::string &text : body.text_parameters()) {
        Hole key = text_hole(text);
        key.title = "key";
        arguments.push_back(statement.hole(std::move(key)));
    }
    for (const NumberParameter &parameter : body.number_parameters()) {
        Hole number = number_hole(parameter.number);
        number.title = parameter.title;
        arguments.push_back(statement.hole(std::move(number)));
    }
    statement.head = "    " + name + "(";
    statement.tail = ");\n";
    statement.comment = "    // " + comment(place(ops.front())) + "\n";
    statements_.push_back(std::move(statement));
    body = Body(order());
    ops.clear();
}

std::string Functions::set_up() const {
    std::string text;
    for (const std::string &statement : preparations_)
        text += "    " + statement + "\n";
    return text;
}

std::string Functions::define(const Body &body, const std::vector<mlir::Operation *> &ops) {
    const std::string name = globals_.add(schedule::layer_of(ops.front()) + " " + part_name(ops));
    const ParameterNames names = parameter_names(body, schedule::layer_of(ops.front()));
    layers_text_ += wrapped_comment(place(ops.front()));
    if (const auto location = mlir::dyn_cast<mlir::FileLineColLoc>(ops.front()->getLoc());
        location && info_.source_line)
        if (const std::string line =
                info_.source_line(location.getFilename().str(), static_cast<int>(location.getLine()));
            !line.empty())
            layers_text_ += "//     " + comment(line.substr(line.find_first_not_of(" \t"))) + "\n";
    std::vector<std::string> parameters;
    if (body.uses_context())
        parameters.emplace_back("Context &context");
    for (const std::string &extent : names.extents)
        parameters.push_back("int64_t " + extent);
    for (size_t i = 0; i < names.buffers.size(); ++i) {
        const BufferParameter &parameter = body.buffer_parameters()[i];
        parameters.push_back((parameter.written ? "" : "const ") + type_name(parameter.element) + " *" +
                             names.buffers[i]);
        layers_text_ += wrapped_comment("  " + names.buffers[i] + ": " + names_.title(parameter.value) + " " +
                                        describe(schedule::tensor(parameter.value)));
    }
    for (const std::string &key : names.texts)
        parameters.push_back("const char *" + key);
    for (size_t i = 0; i < names.numbers.size(); ++i)
        parameters.push_back(body.number_parameters()[i].type + (" " + names.numbers[i]));
    const std::string head = "void " + name + "(";
    layers_text_ += wrapped(head, parameters, ") {\n", head.size()) + body.text(names) + "}\n\n";
    return name;
}

ParameterNames Functions::parameter_names(const Body &body, const std::string &layer) const {
    UniqueNames unique(std::set<std::string>(body.locals().begin(), body.locals().end()));
    ParameterNames names;
    for (const ExtentParameter &parameter : body.extent_parameters())
        names.extents.push_back(
            unique.add(parameter.dimension.role + part_name(parameter.dimension) + (parameter.begin ? " begin" : "")));
    for (const BufferParameter &parameter : body.buffer_parameters())
        names.buffers.push_back(unique.add(within_layer(names_.title(parameter.value), layer)));
    for (size_t i = 0; i < body.text_parameters().size(); ++i)
        names.texts.push_back(unique.add("key"));
    for (const NumberParameter &parameter : body.number_parameters())
        names.numbers.push_back(unique.add(parameter.title));
    return names;
}

/// "h forward, mlp.plan:8"
std::string Functions::place(mlir::Operation *op) const {
    std::string text = schedule::layer_of(op);
    if (schedule::phase_of(op) != text)
        text += " " + schedule::phase_of(op);
    if (const auto location = mlir::dyn_cast<mlir::FileLineColLoc>(op->getLoc()))
        text += ", " + location.getFilename().str() + ":" + std::to_string(location.getLine());
    return text;
}

} // namespace planc::emit
