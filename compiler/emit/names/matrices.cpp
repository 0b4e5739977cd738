#include "emit/names/matrices.h"

#include "emit/names/text.h"
#include "ir/entry_functions.h"
#include "ir/layer_builder.h"
#include "schedule/matrix_block.h"
#include "schedule/staged.h"

#include <planrt/needed_rows.h>

#include <algorithm>

namespace planc::emit {

namespace {

/// Different for different blocks.
std::string title_of(mlir::Operation *op) {
    const schedule::MatrixBlock block = schedule::matrix_block(op);
    std::string title = (block.mean ? "mean " : "") + block.matrix.str();
    if (block.parts > 0)
        title += block.sent ? " sent" : " fetched";
    if (block.transposed)
        title += " transposed";
    for (const schedule::LoopDimension *side : {&block.rows, &block.columns})
        if (!side->axes.empty())
            title += " " + side->role + part_name(*side) + " over " + joined(side->axes, " ");
    if (ir::WaitOp wait = schedule::staged_wait(op)) {
        title += " in pieces over";
        for (const schedule::LoopDimension &cut :
             schedule::dimensions_of(ir::type_of(schedule::start_of(wait).getInputs().front())))
            for (const auto &axis : cut.axes)
                title += " " + std::string(axis);
    }
    if (const int role = ir::role_of(op->getParentOfType<mlir::func::FuncOp>()); role > 0)
        title += " role " + std::to_string(role);
    return title;
}

} // namespace

InputProduct input_product(const std::string &name) {
    InputProduct result;
    std::string what = name;
    bool entries = false;
    if (const std::size_t at = name.find(" at "); at != std::string::npos) {
        what = name.substr(0, at);
        entries = name.compare(at, 8, " at hop ") == 0;
        result.hops = std::atoi(name.c_str() + at + (entries ? 8 : 4));
    }
    const std::size_t star = what.find(" * ");
    if (star == std::string::npos && !entries) {
        result.field = what;
        return result;
    }
    if (!entries)
        result.field = what.substr(star + 3);
    result.matrix = what.substr(0, entries ? what.size() : star);
    result.mean = result.matrix.starts_with("mean "); // a matrix may be called mean
    if (result.mean)
        result.matrix.erase(0, 5);
    return result;
}

Matrices::Matrices(const Step &step, const std::vector<sema::Field> &fields, const std::vector<sema::Matrix> &known)
    : known_(known) {
    std::ranges::copy_if(fields, std::back_inserter(fields_),
                         [](const sema::Field &field) { return field.matrix.has_value(); });
    UniqueNames names;
    for (mlir::func::FuncOp function : step.functions())
        for (mlir::Operation &op : function.getOps()) {
            if (!schedule::has_matrix_block(&op))
                continue;
            const std::string title = title_of(&op);
            if (std::ranges::find(blocks_, title, &Block::title) == blocks_.end())
                blocks_.push_back({&op, title, names.add(title)});
        }
}

const std::string &Matrices::name_of(mlir::Operation *op) const {
    return std::ranges::find(blocks_, title_of(op), &Block::title)->name;
}

std::string Matrices::constants() const {
    std::string text;
    for (std::size_t i = 0; i < blocks_.size(); ++i)
        text += "constexpr int " + blocks_[i].name + " = " + std::to_string(i) + ";\n";
    return text.empty()
               ? ""
               : "// Blocks of sparse matrices by number.\nnamespace matrix {\n" + text + "} // namespace matrix\n\n";
}

std::size_t Matrices::index_of(llvm::StringRef field) const {
    return static_cast<std::size_t>(std::ranges::find(fields_, field, &sema::Field::name) - fields_.begin());
}

std::string Matrices::file_of(const std::string &field) const {
    const std::size_t index = index_of(field);
    return index == fields_.size() ? "nullptr" : "&matrix_files[" + std::to_string(index) + "]";
}

std::vector<std::string> Matrices::files() const {
    std::vector<std::string> rows;
    for (const sema::Field &field : fields_)
        rows.push_back(file_row(field));
    return rows;
}

std::vector<std::string> Matrices::halves_of(const sema::Field &field) const {
    std::int64_t parts = 0;
    std::int64_t numbers[2] = {0, 0}; // fetched, sent
    for (const Block &block : blocks_)
        if (auto product = mlir::dyn_cast<ir::SpmmOp>(block.user);
            product && product.isHalf() && product.getMatrix() == field.name) {
            parts = static_cast<std::int64_t>(product.getParts());
            numbers[product.getSent() ? 1 : 0] = static_cast<std::int64_t>(product.getNumber());
        }
    return parts == 0 ? std::vector<std::string>()
                      : std::vector{std::to_string(parts), std::to_string(numbers[0]), std::to_string(numbers[1])};
}

std::string Matrices::file_row(const sema::Field &field) const {
    static constexpr const char *formats[] = {"matrix_market", "edge_list", "npy",  "ogb",    "lookup",
                                              "groups",        "uniform",   "rmat", "lattice"};
    static constexpr const char *duplicates[] = {"sum", "error"};
    static constexpr const char *normalizations[] = {"none", "row", "symmetric"};
    const auto known = std::ranges::find(known_, field.name, &sema::Matrix::name);
    const sema::MatrixFile &file = known == known_.end() ? *field.matrix : known->source;
    const planrt::GraphOptions &options = file.options;
    std::vector<std::string> members{
        string_literal(field.name),
        std::string("planrt::GraphFormat::") + formats[static_cast<int>(file.file.format)],
        string_literal(file.file.path),
        string_literal(file.file.targets),
        std::to_string(options.rows),
        std::to_string(options.columns),
        boolean(options.undirected),
        boolean(options.self_loops),
        std::string("planrt::Duplicates::") + duplicates[static_cast<int>(options.duplicates)],
        std::string("planrt::Normalization::") + normalizations[static_cast<int>(options.normalization)]};
    if (known != known_.end()) {
        members.push_back(std::to_string(known->pattern->nonzeros()));
        members.push_back(std::to_string(known->fingerprint) + "U");
        members.push_back(std::to_string(planrt::number_matrix(*known->pattern)));
    }
    const std::vector<std::string> halves = halves_of(field);
    const bool of_table =
        file.file.format == planrt::GraphFormat::lookup || file.file.format == planrt::GraphFormat::groups;
    const bool is_ordered = known != known_.end() && (known->ordered_rows || known->ordered_columns);
    // Members with their default values are left out at the end.
    const bool has_seed = file.file.negatives_of >= 0 || planrt::is_drawn(file.file.format) || !halves.empty();
    const bool has_column = of_table || file.file.column > 0 || has_seed;
    if (has_column && known == known_.end())
        members.insert(members.end(), {"-1", "0", "0"});
    if (has_column || is_ordered)
        members.insert(members.end(),
                       {boolean(is_ordered && known->ordered_rows), boolean(is_ordered && known->ordered_columns)});
    if (has_column)
        members.insert(members.end(), {std::to_string(file.file.column), boolean(file.file.header)});
    if (has_seed)
        members.insert(members.end(), {std::to_string(file.file.negatives_of), std::to_string(file.file.seed) + "U"});
    if (planrt::is_drawn(file.file.format) || !halves.empty())
        members.push_back(std::to_string(file.file.edges));
    members.insert(members.end(), halves.begin(), halves.end());
    return braces(members);
}

std::vector<std::string> Matrices::blocks(LocalExtents &extents) const {
    const auto dimension = [&](const schedule::LoopDimension &side) {
        std::vector<std::string> members{string_literal(side.role), std::to_string(side.extent),
                                         extents.axes(side.axes)};
        if (side.window)
            members.push_back(text_of(*side.window));
        return braces(members);
    };
    std::vector<std::string> rows;
    for (const Block &block : blocks_) {
        const schedule::MatrixBlock of = schedule::matrix_block(block.user);
        const bool wide = ir::type_of(block.user->getResult(0)).getElementType().isF64();
        std::vector<std::string> members{std::to_string(index_of(of.matrix)), wide ? "Type::f64" : "Type::f32",
                                         dimension(of.rows), dimension(of.columns), boolean(of.transposed)};
        const int role = ir::role_of(block.user->getParentOfType<mlir::func::FuncOp>());
        ir::WaitOp staged = schedule::staged_wait(block.user);
        if (of.mean || role > 0 || of.parts > 0 || staged)
            members.push_back(boolean(of.mean));
        if (role > 0 || of.parts > 0 || staged)
            members.push_back(std::to_string(role));
        if (of.parts > 0 || staged)
            members.emplace_back(of.parts == 0 ? "planrt::Half::whole"
                                 : of.sent     ? "planrt::Half::sent"
                                               : "planrt::Half::fetched");
        if (staged)
            members.push_back(std::to_string(staged.getNumber()));
        rows.push_back("{" + joined(members) + "}");
    }
    return rows;
}

} // namespace planc::emit
