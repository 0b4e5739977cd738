#include "emit/kernels.h"

#include "emit/text.h"
#include "schedule/buffers.h"
#include "schedule/functions.h"

namespace planc::emit {

namespace {

schedule::LoopSpace part(const schedule::LoopSpace &space, size_t first, size_t count) {
    const auto begin = space.begin() + static_cast<std::ptrdiff_t>(first);
    return {begin, begin + static_cast<std::ptrdiff_t>(count)};
}

std::string times(const std::string &a, const std::string &b) {
    return a == "1" ? b : b == "1" ? a : a + " * " + b;
}

} // namespace

void write_copy(Body &body, mlir::Value from, mlir::Value to) {
    const std::string count = body.extents(schedule::space_of(schedule::tensor(from)));
    body.line("std::copy_n(" + body.buffer(from) + ", " + count + ", " + body.buffer(to, true) + ");");
}

void write_gemm(Body &body, ir::GemmOp gemm) {
    const auto batch_count = static_cast<size_t>(gemm.getBatch());
    const auto row_count = static_cast<size_t>(gemm.getRows());
    const auto summed_count = static_cast<size_t>(gemm.getSummed());
    const schedule::LoopSpace c_space = schedule::space_of(gemm.getResult().getType());
    const schedule::LoopSpace a_space = schedule::space_of(gemm.getA().getType());
    const std::string batch = body.extents(part(c_space, 0, batch_count));
    const std::string m = body.extents(part(c_space, batch_count, row_count));
    const std::string n =
        body.extents(part(c_space, batch_count + row_count, c_space.size() - batch_count - row_count));
    const std::string k =
        body.extents(part(a_space, batch_count + (gemm.getTransposeA() ? 0 : row_count), summed_count));

    const mlir::Value accumulator = gemm.getAccumulator();
    const bool in_place = accumulator && schedule::offset_of(accumulator) == schedule::offset_of(gemm.getResult());
    if (accumulator && !in_place)
        write_copy(body, accumulator, gemm.getResult());
    const mlir::Type element = gemm.getResult().getType().getElementType();
    const auto op = [](bool transposed) { return transposed ? "Op::transposed" : "Op::plain"; };
    const std::string zero_or_one = literal(accumulator ? 1 : 0, element);
    const std::string lda = gemm.getTransposeA() ? m : k;
    const std::string ldb = gemm.getTransposeB() ? k : n;
    const std::string ops = std::string(op(gemm.getTransposeA())) + ", " + op(gemm.getTransposeB());
    const std::string sizes = m + ", " + n + ", " + k + ", " + literal(1, element);
    const std::string a = body.buffer(gemm.getA());
    const std::string b = body.buffer(gemm.getB());
    const std::string c = body.buffer(gemm.getResult(), true);
    if (batch_count == 0) {
        body.line("planrt::gemm(" + joined({ops, sizes, a, lda, b, ldb, zero_or_one, c, n}) + ");");
        return;
    }
    body.line("planrt::batched_gemm(" +
              joined({ops, batch, sizes, a, lda, times(m, k), b, ldb, times(k, n), zero_or_one, c, n, times(m, n)}) +
              ");");
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
