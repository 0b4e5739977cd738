#include "schedule/step_program.h"

#include "ir/placement.h"
#include "program/check.h"

#include <stdexcept>

namespace planc::schedule {

namespace {

using mlir::Attribute;
using mlir::Builder;
using mlir::DictionaryAttr;
using program::Program;

constexpr const char *attribute = "plan.program";

class Writer {
  public:
    Writer(const Program &program, mlir::MLIRContext *context) : program_(program), builder_(context) {}

    DictionaryAttr write() {
        const auto list = [&](const char *name, const auto &items, auto row) {
            llvm::SmallVector<Attribute> rows;
            for (const auto &item : items)
                rows.push_back(row(item));
            return entry(name, builder_.getArrayAttr(rows));
        };
        llvm::SmallVector<std::int64_t> parts;
        llvm::SmallVector<std::int64_t> updates;
        for (const program::MicroBatch &part : program_.micro_batches) {
            parts.append({part.first, part.samples});
            if (program_.updates() > 1)
                updates.push_back(part.update);
        }
        llvm::SmallVector<mlir::NamedAttribute> entries(
            {list("roles", program_.roles,
                  [&](const program::Role &role) {
                      llvm::SmallVector<std::int64_t> ranges;
                      for (const planrt::Range &range : role.ranks.coordinates)
                          ranges.append({range.begin, range.end});
                      return dictionary({text("name", role.name), numbers("ranks", ranges), number("slots", role.slots),
                                         number("slot_offset", role.slot_offset),
                                         number("slot_bytes", role.slot_bytes)});
                  }),
             list("values", program_.values,
                  [&](const program::Value &value) {
                      return dictionary(
                          {text("name", value.name), number("role", value.role), number("offset", value.offset)});
                  }),
             list("bodies", program_.bodies,
                  [&](const program::Body &body) {
                      return dictionary(
                          {entry("function", mlir::FlatSymbolRefAttr::get(builder_.getContext(), body.function)),
                           number("role", body.role), text("kind", planrt::name_of(body.kind)),
                           number("stage", body.stage), indices("takes", body.takes), indices("gives", body.gives),
                           indices("loads", body.loads)});
                  }),
             list("transfers", program_.transfers,
                  [&](const program::Transfer &transfer) {
                      return dictionary({text("name", transfer.name), number("from", transfer.from),
                                         number("to", transfer.to), number("scratch_offset", transfer.scratch_offset),
                                         number("to_scratch_offset", transfer.to_scratch_offset)});
                  }),
             numbers("micro_batches", parts),
             list("actions", program_.actions,
                  [&](const std::vector<program::Action> &actions) {
                      llvm::SmallVector<Attribute> texts;
                      for (const program::Action &action : actions)
                          texts.push_back(builder_.getStringAttr(program::text(program_, action)));
                      return Attribute(builder_.getArrayAttr(texts));
                  }),
             number("loss", program_.loss)});
        if (!updates.empty())
            entries.push_back(numbers("updates", updates));
        if (!program_.last_of_replicas.empty())
            entries.push_back(indices("last_of_replicas", program_.last_of_replicas));
        return dictionary(entries);
    }

  private:
    mlir::NamedAttribute entry(const char *name, Attribute value) const {
        return {mlir::StringAttr::get(builder_.getContext(), name), value};
    }
    mlir::NamedAttribute number(const char *name, std::int64_t value) {
        return entry(name, builder_.getI64IntegerAttr(value));
    }
    mlir::NamedAttribute numbers(const char *name, llvm::ArrayRef<std::int64_t> values) {
        return entry(name, builder_.getDenseI64ArrayAttr(values));
    }
    mlir::NamedAttribute indices(const char *name, const std::vector<int> &values) {
        return numbers(name, llvm::SmallVector<std::int64_t>(values.begin(), values.end()));
    }
    mlir::NamedAttribute text(const char *name, const std::string &value) {
        return entry(name, builder_.getStringAttr(value));
    }
    DictionaryAttr dictionary(llvm::ArrayRef<mlir::NamedAttribute> entries) {
        return builder_.getDictionaryAttr(entries);
    }

    const Program &program_;
    Builder builder_;
};

/// Reads the entries of a dictionary; missing entries are empty.
class Reader {
  public:
    explicit Reader(Attribute dictionary) : dictionary_(mlir::dyn_cast<DictionaryAttr>(dictionary)) {
        if (!dictionary_)
            throw std::invalid_argument("plan.program: expected a dictionary");
    }

    [[nodiscard]] std::string text(const char *name) const {
        const auto value = dictionary_.getAs<mlir::StringAttr>(name);
        return value ? value.str() : "";
    }
    [[nodiscard]] std::int64_t number(const char *name, std::int64_t otherwise) const {
        const auto value = dictionary_.getAs<mlir::IntegerAttr>(name);
        return value ? value.getInt() : otherwise;
    }
    [[nodiscard]] int index(const char *name, int otherwise = 0) const {
        return static_cast<int>(number(name, otherwise));
    }
    [[nodiscard]] llvm::ArrayRef<std::int64_t> numbers(const char *name) const {
        const auto value = dictionary_.getAs<mlir::DenseI64ArrayAttr>(name);
        return value ? value.asArrayRef() : llvm::ArrayRef<std::int64_t>();
    }
    [[nodiscard]] std::vector<int> indices(const char *name) const {
        const auto values = numbers(name);
        return {values.begin(), values.end()};
    }
    [[nodiscard]] llvm::ArrayRef<Attribute> list(const char *name) const {
        const auto value = dictionary_.getAs<mlir::ArrayAttr>(name);
        return value ? value.getValue() : llvm::ArrayRef<Attribute>();
    }
    [[nodiscard]] std::string symbol(const char *name) const {
        const auto value = dictionary_.getAs<mlir::FlatSymbolRefAttr>(name);
        return value ? value.getValue().str() : "";
    }

  private:
    DictionaryAttr dictionary_;
};

template <class Row> void for_each_row(const Reader &reader, const char *name, Row row) {
    for (Attribute each : reader.list(name))
        row(Reader(each));
}

/// A body without a kind is one that computes everything.
planrt::BodyKind body_kind(const std::string &name) {
    for (const auto kind : {planrt::BodyKind::forward, planrt::BodyKind::backward, planrt::BodyKind::input_gradient,
                            planrt::BodyKind::weight_gradient, planrt::BodyKind::update})
        if (name == planrt::name_of(kind) || name.empty())
            return kind;
    throw std::invalid_argument("plan.program: there is no kind of body '" + name + "'");
}

} // namespace

bool has_step_program(mlir::ModuleOp module) {
    return module->hasAttr(attribute);
}

void set_step_program(mlir::ModuleOp module, const Program &program) {
    module->setAttr(attribute, Writer(program, module.getContext()).write());
}

Program step_program(mlir::ModuleOp module) {
    if (!has_step_program(module))
        throw std::invalid_argument("the module has no plan.program: it is not scheduled");
    const Reader reader(module->getAttr(attribute));
    Program program;
    for_each_row(reader, "roles", [&](const Reader &row) {
        program::Role role{
            row.text("name"), {}, row.index("slots", 1), row.number("slot_offset", 0), row.number("slot_bytes", 0)};
        const auto ranges = row.numbers("ranks");
        for (std::size_t i = 0; i + 1 < ranges.size(); i += 2)
            role.ranks.coordinates.push_back({ranges[i], ranges[i + 1]});
        program.roles.push_back(std::move(role));
    });
    for_each_row(reader, "values", [&](const Reader &row) {
        program.values.push_back({row.text("name"), row.index("role"), row.number("offset", 0)});
    });
    for_each_row(reader, "bodies", [&](const Reader &row) {
        program.bodies.push_back({row.symbol("function"), row.index("role"), row.indices("takes"), row.indices("gives"),
                                  row.indices("loads"), body_kind(row.text("kind")), row.index("stage")});
    });
    for_each_row(reader, "transfers", [&](const Reader &row) {
        program.transfers.push_back({row.text("name"), row.index("from"), row.index("to"),
                                     row.number("scratch_offset", 0),
                                     row.number("to_scratch_offset", row.number("scratch_offset", 0))});
    });
    const auto parts = reader.numbers("micro_batches");
    for (std::size_t i = 0; i + 1 < parts.size(); i += 2)
        program.micro_batches.push_back({parts[i], parts[i + 1]});
    const auto updates = reader.numbers("updates");
    for (std::size_t i = 0; i < std::min(program.micro_batches.size(), updates.size()); ++i)
        program.micro_batches[i].update = static_cast<int>(updates[i]);
    for (Attribute list : reader.list("actions")) {
        std::vector<program::Action> &actions = program.actions.emplace_back();
        if (const auto texts = mlir::dyn_cast<mlir::ArrayAttr>(list))
            for (auto text : texts.getAsRange<mlir::StringAttr>())
                actions.push_back(program::action(program, text.str()));
    }
    program.loss = reader.index("loss", -1);
    program.last_of_replicas = reader.indices("last_of_replicas");
    for (auto variable : module.getOps<ir::VariableOp>())
        program.variables.push_back({variable.getSymName().str(), role_of(variable)});
    if (const std::string wrong = program::broken_reference(program); !wrong.empty())
        throw std::invalid_argument("plan.program: " + wrong);
    return program;
}

int role_of(ir::VariableOp variable) {
    const auto role = variable->getAttrOfType<mlir::IntegerAttr>("rank_role");
    return role ? static_cast<int>(role.getInt()) : 0;
}

ir::MeshAttr mesh_of(const program::Role &role, ir::MeshAttr whole) {
    if (role.ranks.coordinates.empty())
        return whole;
    return ir::MeshAttr::get(whole.getContext(), whole.getNames(), role.ranks.mesh(ir::mesh_of(whole)));
}

Bodies::Bodies(mlir::ModuleOp module) {
    if (!has_step_program(module))
        return;
    program_ = step_program(module);
    values_.resize(program_.values.size());
    takers_.resize(program_.values.size());
    const mlir::SymbolTable symbols(module);
    for (const program::Body &body : program_.bodies) {
        auto function = symbols.lookup<mlir::func::FuncOp>(body.function);
        if (!function)
            throw std::invalid_argument("plan.program: there is no function @" + body.function);
        if (function.getNumArguments() != body.takes.size() || function.getNumResults() != body.gives.size())
            throw std::invalid_argument("plan.program: @" + body.function + " has other arguments or results");
        numbers_[function] = static_cast<int>(functions_.size());
        functions_.push_back(function);
        for (auto [argument, value] : llvm::zip(function.getArguments(), body.takes))
            takers_[static_cast<std::size_t>(value)].push_back(argument);
        for (auto [returned, value] : llvm::zip(function.getBody().front().getTerminator()->getOperands(), body.gives))
            values_[static_cast<std::size_t>(value)] = returned;
    }
    for (std::size_t value = 0; value < values_.size(); ++value)
        if (!values_[value] && !takers_[value].empty())
            values_[value] = takers_[value].front();
}

int Bodies::of(mlir::func::FuncOp function) const {
    const auto found = numbers_.find(function);
    return found == numbers_.end() ? -1 : found->second;
}

int Bodies::taken(mlir::BlockArgument argument) const {
    const int body = of(mlir::dyn_cast<mlir::func::FuncOp>(argument.getOwner()->getParentOp()));
    return body < 0 ? -1 : program_.bodies[static_cast<std::size_t>(body)].takes[argument.getArgNumber()];
}

int Bodies::given(mlir::OpOperand &returned) const {
    const int body = of(returned.getOwner()->getParentOfType<mlir::func::FuncOp>());
    return body < 0 ? -1 : program_.bodies[static_cast<std::size_t>(body)].gives[returned.getOperandNumber()];
}

} // namespace planc::schedule
