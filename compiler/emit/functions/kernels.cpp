#include "emit/functions/kernels.h"

#include "emit/functions/attention.h"
#include "emit/functions/edges.h"
#include "emit/functions/windows.h"
#include "emit/names/text.h"
#include "ir/subscripts.h"
#include "schedule/band.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/matrix_product.h"
#include "schedule/staged.h"

#include <algorithm>
#include <map>

namespace planc::emit {

namespace {

/// The text of a product: sizes, strides and calls in terms of the local extents.
class GemmWriter {
  public:
    GemmWriter(Body &body, ir::GemmOp gemm, const InPieces &pieces)
        : body_(body), gemm_(gemm), pieces_(pieces), subscripts_(*ir::parse_subscripts(gemm.getSubscripts())) {
        note(subscripts_.operands[0], gemm.getA());
        note(subscripts_.operands[1], gemm.getB());
        const auto extent = [&](const std::string &loop) { return dimensions_.at(loop).extent; };
        product_ = *schedule::matrix_product(subscripts_, extent);
        if (pieces_.value)
            staged_ = schedule::staged_loop(gemm);
    }

    void write() {
        // The transposed result is the product of the transposed operands, exchanged.
        const bool swapped = product_.swapped;
        const Matrix a{swapped ? gemm_.getB() : gemm_.getA(), subscripts_.operands[swapped ? 1 : 0]};
        const Matrix b{swapped ? gemm_.getA() : gemm_.getB(), subscripts_.operands[swapped ? 0 : 1]};
        const Matrix c{gemm_.getResult(), subscripts_.result};
        const mlir::Value accumulator = gemm_.getAccumulator();
        if (accumulator && schedule::offset_of(accumulator) != schedule::offset_of(c.value)) {
            if (pieces_.value)
                body_.open("if (" + pieces_.number + " == 0)");
            write_copy(body_, accumulator, c.value);
            if (pieces_.value)
                body_.end();
        }
        const mlir::Type element = gemm_.getResult().getType().getElementType();
        const auto op = [](bool transposed) { return transposed ? "Op::transposed" : "Op::plain"; };
        const std::string m = extents(product_.rows);
        const std::string n = extents(product_.columns);
        const std::string k = extents(product_.summed);
        const std::string lda = product_.transpose_a ? stride(a, product_.summed, m) : stride(a, product_.rows, k);
        const std::string ldb = product_.transpose_b ? stride(b, product_.columns, k) : stride(b, product_.summed, n);
        const std::string ldc = stride(c, product_.rows, n);
        const std::string ops = std::string(op(product_.transpose_a)) + ", " + op(product_.transpose_b);
        const std::string sizes = m + ", " + n + ", " + k + ", " + literal(1, element);
        std::string beta =
            literal(accumulator ? gemm_.getBeta().value_or(llvm::APFloat(1.0)).convertToDouble() : 0, element);
        if (staged_.is_summed && beta != literal(1, element))
            beta = pieces_.number + " == 0 ? " + beta + " : " + literal(1, element);
        const std::string matrices = joined({buffer(a), lda, buffer(b), ldb, beta, buffer(c, true), ldc});
        if (product_.outer.empty())
            return body_.line("planrt::gemm(" + joined({ops, sizes, matrices}) + ");");
        std::vector<std::string> outer;
        for (const schedule::Loops &loops : product_.outer)
            outer.push_back(
                "{" + joined({extents(loops), outer_stride(a, loops), outer_stride(b, loops), outer_stride(c, loops)}) +
                "}");
        std::vector<std::string> arguments{ops, "{" + joined(outer) + "}", sizes, matrices};
        if (const std::string text = bands(); !text.empty())
            arguments.push_back(text);
        body_.line("planrt::batched_gemm(" + joined(arguments) + ");");
    }

  private:
    struct Matrix {
        mlir::Value value;
        schedule::Loops loops;
    };

    /// "{.c = {.upper = 0}}"; empty if all elements are needed, or if the needed ones are not a band of op(A) or C.
    std::string bands() {
        const auto band = schedule::band_of(gemm_);
        if (!band)
            return "";
        const bool of_result = band->matrix == "result";
        if (!of_result && (band->matrix == "b") != product_.swapped)
            return "";
        const schedule::Loops &columns = of_result ? product_.columns : product_.summed;
        const auto are = [&](const std::string &row, const std::string &column) {
            return product_.rows == schedule::Loops{row} && columns == schedule::Loops{column};
        };
        const std::string matrix = of_result ? ".c" : ".a";
        if (are(band->greater, band->lesser))
            return "{" + matrix + " = {.upper = " + distance(band->greater, band->lesser, band->strict ? -1 : 0) + "}}";
        if (are(band->lesser, band->greater))
            return "{" + matrix + " = {.lower = " + distance(band->lesser, band->greater, band->strict ? 1 : 0) + "}}";
        return "";
    }

    /// The distance from the beginning of the rank's part of the columns to that of the rows, plus `more`, which is at
    /// most 1.
    std::string distance(const std::string &row, const std::string &column, int more) {
        const auto begin = [&](const std::string &loop) {
            const schedule::LoopDimension &dimension = dimensions_.at(loop);
            return dimension.axes.empty() ? "" : body_.begin(dimension);
        };
        std::string text = begin(row);
        if (const std::string columns = begin(column); !columns.empty())
            text += (text.empty() ? "-" : " - ") + columns;
        if (text.empty())
            return std::to_string(more);
        return text + (more == 0 ? "" : more > 0 ? " + 1" : " - 1");
    }

    /// The buffer of a matrix, from where the piece begins in it.
    std::string buffer(const Matrix &matrix, bool written = false) {
        if (matrix.value == pieces_.value)
            return pieces_.piece + ".data";
        const std::string whole = body_.buffer(matrix.value, written);
        if (!pieces_.value || !llvm::is_contained(matrix.loops, staged_.name))
            return whole;
        const std::string rows = step(matrix, staged_.name);
        return whole + " + " + pieces_.piece + ".begin" + (rows == "1" ? "" : " * " + rows);
    }

    void note(const schedule::Loops &loops, mlir::Value value) {
        const schedule::LoopSpace space = schedule::dimensions_of(schedule::tensor(value));
        for (size_t i = 0; i < loops.size(); ++i)
            dimensions_[loops[i]] = space[i];
    }

    /// Of loops over a piece.
    std::string extents(const schedule::Loops &loops) { return extents(loops, true); }

    std::string extents(const schedule::Loops &loops, bool of_piece) {
        std::vector<std::string> factors;
        for (const std::string &loop : loops)
            factors.push_back(of_piece && pieces_.value && loop == staged_.name ? pieces_.piece + ".size"
                                                                                : body_.extent(dimensions_.at(loop)));
        return factors.empty() ? "1" : joined(factors, " * ");
    }

    /// Elements from one step of the loop to the next.
    std::string step(const Matrix &matrix, const std::string &loop) {
        const auto at = std::find(matrix.loops.begin(), matrix.loops.end(), loop);
        return extents(schedule::Loops(at + 1, matrix.loops.end()), matrix.value == pieces_.value);
    }

    /// For a single row or column, any stride will do: `otherwise`.
    std::string stride(const Matrix &matrix, const schedule::Loops &group, const std::string &otherwise) {
        return group.empty() ? otherwise : step(matrix, group.back());
    }

    std::string outer_stride(const Matrix &matrix, const schedule::Loops &group) {
        return llvm::is_contained(matrix.loops, group.back()) ? step(matrix, group.back()) : "0";
    }

    Body &body_;
    ir::GemmOp gemm_;
    const InPieces &pieces_;
    schedule::StagedLoop staged_; ///< with pieces
    ir::Subscripts subscripts_;
    std::map<std::string, schedule::LoopDimension> dimensions_;
    schedule::MatrixProduct product_;
};

void write_permute(Body &body, ir::PermuteOp permute) {
    const ir::TensorType from = permute.getOperand().getType();
    const ir::TensorType to = permute.getResult().getType();
    std::vector<std::string> extents;
    for (const schedule::LoopDimension &dimension : schedule::dimensions_of(from))
        extents.push_back(body.extent(dimension));
    std::vector<std::string> permutation;
    for (mlir::StringAttr role : to.getRoles())
        permutation.push_back(std::to_string(from.find(role)));
    body.open("{");
    body.line("const int64_t extents[] = {" + joined(extents) + "};");
    body.line("constexpr int permutation[] = {" + joined(permutation) + "};");
    body.line("planrt::transpose(" + body.buffer(permute.getOperand()) + ", extents, permutation, " +
              body.buffer(permute.getResult(), true) + ");");
    body.close();
}

/// Extents of the dimensions before, at and behind one of them.
struct Around {
    std::string before;
    std::string at;
    std::string behind;
};

Around around(Body &body, ir::TensorType type, llvm::StringRef role) {
    const schedule::LoopSpace space = schedule::dimensions_of(type);
    const auto at = space.begin() + type.find(role);
    return {body.extents({space.begin(), at}), body.extent(*at), body.extents({at + 1, space.end()})};
}

std::string product(const std::string &a, const std::string &b) {
    return a == "1" ? b : b == "1" ? a : a + " * " + b;
}

/// The arguments of both embedding kernels: indices, their number, what is read, the table's extents, what is written.
void write_embedding(Body &body, mlir::Operation *op, const std::string &kernel, ir::TensorType table,
                     llvm::StringRef role) {
    const Around extents = around(body, table, role);
    const auto dimension = schedule::dimensions_of(table)[static_cast<size_t>(table.find(role))];
    const mlir::Value indices = op->getOperand(0);
    body.line("planrt::" + kernel + "(" +
              joined({body.buffer(indices), body.extents(schedule::dimensions_of(schedule::tensor(indices))),
                      body.buffer(op->getOperand(1)), extents.before, extents.at, extents.behind,
                      dimension.axes.empty() ? "0" : body.begin(dimension), body.buffer(op->getResult(0), true)}) +
              ");");
}

/// One product for each index of the dimensions before the one that is summed over; the features are behind it.
void write_spmm(Body &body, ir::SpmmOp op, const Matrices &matrices, const InPieces &pieces) {
    const ir::Subscripts subscripts = *ir::parse_subscripts(op.getSubscripts());
    const auto at = std::ranges::find(subscripts.result, op.matrixLoops().kept) - subscripts.result.begin();
    const auto role = [&](mlir::Value value) { return schedule::tensor(value).getRoles()[static_cast<size_t>(at)]; };
    const Around x = around(body, op.getOperand().getType(), role(op.getOperand()).getValue());
    const Around y = around(body, op.getResult().getType(), role(op.getResult()).getValue());
    const bool several = x.before != "1";
    const bool staged = static_cast<bool>(pieces.value);
    const std::string size = staged ? pieces.piece + ".size" : x.at;
    const std::string operand = staged ? pieces.piece + ".data" : body.buffer(op.getOperand());
    const std::string number = staged ? ", " + pieces.number : "";
    const std::string into =
        staged ? pieces.number + " == 0 ? planrt::Into::assign : planrt::Into::add" : "planrt::Into::assign";
    const auto part = [&](const std::string &buffer, const Around &around) {
        return several ? buffer + " + i * " + product(around.at, around.behind) : buffer;
    };
    if (several)
        body.open("for (int64_t i = 0; i < " + x.before + "; ++i) {");
    body.line("planrt::spmm(" +
              joined({body.context() + ".matrix<" + type_name(op.getResult().getType().getElementType()) +
                          ">(matrix::" + matrices.name_of(op) + number + ")",
                      x.behind, part(operand, {x.before, size, x.behind}), x.behind,
                      part(body.buffer(op.getResult(), true), y), x.behind, into}) +
              ");");
    if (several)
        body.close();
}

/// Copies all of `part` to or from the indices [begin, begin + its extent) of the same dimension of `whole`.
void write_part(Body &body, mlir::Value from, mlir::Value to, llvm::StringRef role, mlir::Value part,
                const std::string &begin) {
    const Around small = around(body, schedule::tensor(part), role);
    const Around large = around(body, schedule::tensor(part == from ? to : from), role);
    const std::string length = product(small.at, small.behind);
    const std::string stride = product(large.at, large.behind);
    const std::string shift = begin == "0" ? "" : " + " + product(begin, small.behind);
    body.line(
        "planrt::copy_rows(" +
        joined({small.before, length, body.buffer(from) + (part == from ? "" : shift), part == from ? length : stride,
                body.buffer(to, true) + (part == from ? shift : ""), part == from ? stride : length}) +
        ");");
}

void write_pad(Body &body, ir::PadOp pad) {
    const mlir::Value result = pad.getResult();
    body.line("std::fill_n(" + body.buffer(result, true) + ", " +
              body.extents(schedule::dimensions_of(schedule::tensor(result))) + ", " +
              literal(0, schedule::tensor(result).getElementType()) + ");");
    write_part(body, pad.getOperand(), result, pad.getDimension(), pad.getOperand(),
               body.index_parameter(static_cast<std::int64_t>(pad.getBefore())));
}

void write_concat(Body &body, ir::ConcatOp concat) {
    int64_t begin = 0;
    for (mlir::Value part : concat.getInputs()) {
        write_part(body, part, concat.getResult(), concat.getDimension(), part, std::to_string(begin));
        const ir::TensorType type = schedule::tensor(part);
        begin += type.getExtents()[static_cast<size_t>(type.find(concat.getDimension()))];
    }
}

} // namespace

void write_copy(Body &body, mlir::Value from, mlir::Value to) {
    const std::string count = body.extents(schedule::space_of(schedule::tensor(from)));
    body.line("std::copy_n(" + body.buffer(from) + ", " + count + ", " + body.buffer(to, true) + ");");
}

void write_kernel(Body &body, mlir::Operation *op, const Matrices &matrices, const InPieces &pieces) {
    if (auto gemm = mlir::dyn_cast<ir::GemmOp>(op))
        GemmWriter(body, gemm, pieces).write();
    else if (auto permute = mlir::dyn_cast<ir::PermuteOp>(op))
        write_permute(body, permute);
    else if (auto embedding = mlir::dyn_cast<ir::EmbeddingOp>(op))
        write_embedding(body, op, "embedding", embedding.getTable().getType(), embedding.getDimension());
    else if (auto gradient = mlir::dyn_cast<ir::EmbeddingGradientOp>(op))
        write_embedding(body, op, "embedding_gradient", gradient.getResult().getType(), gradient.getDimension());
    else if (auto spmm = mlir::dyn_cast<ir::SpmmOp>(op))
        write_spmm(body, spmm, matrices, pieces);
    else if (auto reduce = mlir::dyn_cast<ir::EdgeReduceOp>(op))
        write_edge_reduce(body, reduce, matrices);
    else if (auto slice = mlir::dyn_cast<ir::SliceOp>(op))
        write_part(body, slice.getOperand(), slice.getResult(), slice.getDimension(), slice.getResult(),
                   body.index_parameter(static_cast<std::int64_t>(slice.getBegin())));
    else if (auto pad = mlir::dyn_cast<ir::PadOp>(op))
        write_pad(body, pad);
    else if (auto concat = mlir::dyn_cast<ir::ConcatOp>(op))
        write_concat(body, concat);
    else if (auto conv = mlir::dyn_cast<ir::ConvOp>(op))
        write_convolution(body, conv);
    else if (auto pack = mlir::dyn_cast<ir::PackOp>(op))
        write_pack(body, pack);
    else if (auto unpack = mlir::dyn_cast<ir::UnpackOp>(op))
        write_unpack(body, unpack);
    else if (auto pool = mlir::dyn_cast<ir::PoolOp>(op))
        write_pool(body, pool);
    else if (auto both = mlir::dyn_cast<ir::MaxPoolOp>(op))
        write_max_pool(body, both);
    else if (auto attention = mlir::dyn_cast<ir::AttentionOp>(op))
        write_attention(body, attention);
    else
        llvm::report_fatal_error(llvm::Twine("no text for the kernel ") + op->getName().getStringRef());
}

} // namespace planc::emit
