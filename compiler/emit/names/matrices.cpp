#include "emit/names/matrices.h"

#include "emit/names/text.h"
#include "ir/subscripts.h"
#include "schedule/functions.h"

#include <algorithm>

namespace planc::emit {

namespace {

/// Rows and columns of the matrix, with the axes that cut them.
struct Sides {
    schedule::LoopDimension rows;
    schedule::LoopDimension columns;
};

Sides sides_of(ir::SpmmOp op) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    const ir::MatrixLoops loops = op.matrixLoops();
    const auto at =
        static_cast<std::size_t>(std::ranges::find(subscripts.result, loops.kept) - subscripts.result.begin());
    schedule::LoopDimension kept = schedule::dimensions_of(op.getResult().getType())[at];
    schedule::LoopDimension summed = schedule::dimensions_of(op.getOperand().getType())[at];
    kept.role = loops.kept;
    summed.role = loops.summed;
    return loops.transposed ? Sides{summed, kept} : Sides{kept, summed};
}

/// Different for different blocks.
std::string title_of(ir::SpmmOp op) {
    const Sides sides = sides_of(op);
    std::string title = (op.getMean() ? "mean " : "") + op.getMatrix().str();
    if (op.matrixLoops().transposed)
        title += " transposed";
    for (const schedule::LoopDimension *side : {&sides.rows, &sides.columns})
        if (!side->axes.empty())
            title += " " + side->role + " over " + joined(side->axes, " ");
    if (const int role = ir::role_of(op->getParentOfType<mlir::func::FuncOp>()); role > 0)
        title += " role " + std::to_string(role);
    return title;
}

std::string boolean(bool value) {
    return value ? "true" : "false";
}

} // namespace

InputProduct input_product(const std::string &name) {
    const std::size_t star = name.find(" * ");
    if (star == std::string::npos)
        return {name, {}};
    const bool mean = name.starts_with("mean ") && star > 4; // a matrix may be called mean
    const std::size_t begin = mean ? 5 : 0;
    return {name.substr(star + 3), name.substr(begin, star - begin), mean};
}

Matrices::Matrices(const Step &step, const std::vector<sema::Field> &fields, const std::vector<sema::Matrix> &known)
    : known_(known) {
    std::ranges::copy_if(fields, std::back_inserter(fields_),
                         [](const sema::Field &field) { return field.matrix.has_value(); });
    UniqueNames names;
    for (mlir::func::FuncOp function : step.functions())
        for (auto op : function.getOps<ir::SpmmOp>())
            if (const std::string title = title_of(op);
                std::ranges::find(blocks_, title, &Block::title) == blocks_.end())
                blocks_.push_back({op, title, names.add(title)});
}

const std::string &Matrices::name_of(ir::SpmmOp op) const {
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

std::string Matrices::file_row(const sema::Field &field) const {
    static constexpr const char *formats[] = {"matrix_market", "edge_list", "npy", "ogb"};
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
        members.push_back(std::to_string(planrt::fingerprint(*known->pattern)) + "U");
    }
    return "{" + joined(members) + "}";
}

std::vector<std::string> Matrices::blocks(LocalExtents &extents) const {
    const auto dimension = [&](const schedule::LoopDimension &side) {
        return "{" + joined({string_literal(side.role), std::to_string(side.extent), extents.axes(side.axes)}) + "}";
    };
    std::vector<std::string> rows;
    for (const Block &block : blocks_) {
        ir::SpmmOp op = block.product;
        const Sides sides = sides_of(op);
        const bool wide = op.getResult().getType().getElementType().isF64();
        std::vector<std::string> members{std::to_string(index_of(op.getMatrix())), wide ? "Type::f64" : "Type::f32",
                                         dimension(sides.rows), dimension(sides.columns),
                                         boolean(op.matrixLoops().transposed)};
        if (op.getMean())
            members.push_back("true");
        if (const int role = ir::role_of(op->getParentOfType<mlir::func::FuncOp>()); role > 0) {
            members.resize(6, "false");
            members.push_back(std::to_string(role));
        }
        rows.push_back("{" + joined(members) + "}");
    }
    return rows;
}

} // namespace planc::emit
