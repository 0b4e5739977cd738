#include "emit/kernels.h"

#include "emit/text.h"
#include "ir/subscripts.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"
#include "schedule/matrix_product.h"

#include <algorithm>
#include <map>

namespace planc::emit {

namespace {

/// The text of a product: sizes, strides and calls in terms of the local extents.
class GemmWriter {
  public:
    GemmWriter(Body &body, ir::GemmOp gemm)
        : body_(body), gemm_(gemm), subscripts_(*ir::parse_subscripts(gemm.getSubscripts())) {
        note(subscripts_.operands[0], gemm.getA());
        note(subscripts_.operands[1], gemm.getB());
        const auto extent = [&](const std::string &loop) { return dimensions_.at(loop).extent; };
        product_ = *schedule::matrix_product(subscripts_, extent);
    }

    void write() {
        // The transposed result is the product of the transposed operands, exchanged.
        const bool swapped = product_.swapped;
        const Matrix a{swapped ? gemm_.getB() : gemm_.getA(), subscripts_.operands[swapped ? 1 : 0]};
        const Matrix b{swapped ? gemm_.getA() : gemm_.getB(), subscripts_.operands[swapped ? 0 : 1]};
        const Matrix c{gemm_.getResult(), subscripts_.result};
        const mlir::Value accumulator = gemm_.getAccumulator();
        if (accumulator && schedule::offset_of(accumulator) != schedule::offset_of(c.value))
            write_copy(body_, accumulator, c.value);
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
        const std::string beta = literal(accumulator ? 1 : 0, element);
        const std::string matrices =
            joined({body_.buffer(a.value), lda, body_.buffer(b.value), ldb, beta, body_.buffer(c.value, true), ldc});
        if (product_.outer.empty())
            return body_.line("planrt::gemm(" + joined({ops, sizes, matrices}) + ");");
        std::vector<std::string> outer;
        for (const schedule::Loops &loops : product_.outer)
            outer.push_back(
                "{" + joined({extents(loops), outer_stride(a, loops), outer_stride(b, loops), outer_stride(c, loops)}) +
                "}");
        body_.line("planrt::batched_gemm(" + joined({ops, "{" + joined(outer) + "}", sizes, matrices}) + ");");
    }

  private:
    struct Matrix {
        mlir::Value value;
        schedule::Loops loops;
    };

    void note(const schedule::Loops &loops, mlir::Value value) {
        const schedule::LoopSpace space = schedule::space_of(schedule::tensor(value));
        for (size_t i = 0; i < loops.size(); ++i)
            dimensions_[loops[i]] = space[i];
    }

    std::string extents(const schedule::Loops &loops) {
        schedule::LoopSpace space;
        for (const std::string &loop : loops)
            space.push_back(dimensions_.at(loop));
        return body_.extents(space);
    }

    /// Elements from one step of the loop to the next.
    std::string step(const Matrix &matrix, const std::string &loop) {
        const auto at = std::find(matrix.loops.begin(), matrix.loops.end(), loop);
        return extents(schedule::Loops(at + 1, matrix.loops.end()));
    }

    /// Of a single row or column any stride does: `otherwise`.
    std::string stride(const Matrix &matrix, const schedule::Loops &group, const std::string &otherwise) {
        return group.empty() ? otherwise : step(matrix, group.back());
    }

    std::string outer_stride(const Matrix &matrix, const schedule::Loops &group) {
        return llvm::is_contained(matrix.loops, group.back()) ? step(matrix, group.back()) : "0";
    }

    Body &body_;
    ir::GemmOp gemm_;
    ir::Subscripts subscripts_;
    std::map<std::string, schedule::LoopDimension> dimensions_;
    schedule::MatrixProduct product_;
};

} // namespace

void write_copy(Body &body, mlir::Value from, mlir::Value to) {
    const std::string count = body.extents(schedule::space_of(schedule::tensor(from)));
    body.line("std::copy_n(" + body.buffer(from) + ", " + count + ", " + body.buffer(to, true) + ");");
}

void write_gemm(Body &body, ir::GemmOp gemm) {
    GemmWriter(body, gemm).write();
}

void write_permute(Body &body, ir::PermuteOp permute) {
    const ir::TensorType from = permute.getOperand().getType();
    const ir::TensorType to = permute.getResult().getType();
    std::vector<std::string> extents;
    for (const schedule::LoopDimension &dimension : schedule::space_of(from))
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

} // namespace planc::emit
