#include "emit/functions/random_numbers.h"

#include "planrt/random.h"
#include "schedule/functions.h"

namespace planc::emit {

using mlir::Value;

void RandomNumbers::declare_keys(ir::LoopsOp loops) {
    if (llvm::any_of(loops.getBody().front().getOps<ir::RandomOp>(),
                     [](ir::RandomOp random) { return random.getSamples().has_value(); })) {
        first_sample_ = body_.local("sample");
        body_.line("const int64_t " + first_sample_ + " = " + body_.context() + ".first_sample();");
    }
    for (auto random : loops.getBody().front().getOps<ir::RandomOp>()) {
        std::string &name = keys_[random.getKey()];
        if (!name.empty())
            continue;
        name = body_.local("key");
        body_.line("const planrt::Key " + name + " = planrt::key_of(" + body_.context() + ".seed(), " +
                   body_.text_parameter(random.getKey().str()) + ", context.step());");
    }
}

RandomNumbers::Tensors RandomNumbers::of_strips(const std::vector<const schedule::LoopMember *> &members,
                                                const schedule::LoopSpace &space) const {
    const Loop &innermost = indices_.inner().back();
    int64_t elements = 1;
    for (int d = innermost.first; d < innermost.last; ++d)
        elements *= space[static_cast<size_t>(d)].extent;
    Tensors randoms;
    llvm::SmallVector<mlir::Operation *> open;
    for (const schedule::LoopMember *member : members)
        open.push_back(member->op);
    while (elements >= planrt::uniform_block / 2 && !open.empty()) // fewer: most of a block would be for nothing
        for (Value operand : open.pop_back_val()->getOperands()) {
            mlir::Operation *producer = operand.getDefiningOp();
            if (!schedule::is_inline(producer))
                continue;
            auto random = mlir::dyn_cast<ir::RandomOp>(producer);
            if (!random)
                open.push_back(producer);
            else if (indices_.counts_innermost(random.getResult().getType(), random.getSamples().value_or(""), body_))
                randoms.insert(random);
        }
    return randoms;
}

void RandomNumbers::draw_strip(const Tensors &randoms) {
    Loop &loop = indices_.inner().back();
    const std::string index = loop.index;
    for (mlir::Operation *op : randoms) {
        auto random = mlir::cast<ir::RandomOp>(op);
        const std::string numbers = body_.local("random");
        body_.line("float " + numbers + "[planrt::strip];");
        loop.index = loop.from;
        body_.line("planrt::fill_uniform(" + arguments(random) + ", " + loop.to + " - " + loop.from + ", " + numbers +
                   ");");
        loop.index = index;
        drawn_[op] = numbers + "[" + index + " - " + loop.from + "]";
    }
}

std::string RandomNumbers::text(ir::RandomOp random) {
    const auto drawn = drawn_.find(random);
    const std::string number = drawn != drawn_.end() ? drawn->second : "planrt::uniform(" + arguments(random) + ")";
    const mlir::Type element = random.getResult().getType().getElementType();
    return element.isF32() ? number : "static_cast<" + type_name(element) + ">(" + number + ")";
}

/// The key, the sample and the element that a number belongs to.
std::string RandomNumbers::arguments(ir::RandomOp random) {
    const ir::TensorType type = random.getResult().getType();
    const llvm::StringRef samples = random.getSamples().value_or("");
    std::string sample = "0";
    for (const schedule::LoopDimension &dimension : schedule::dimensions_of(type))
        if (dimension.role == samples)
            sample = body_.file_number_of_sample(first_sample_ + " + " +
                                                 (dimension.axes.empty() ? "" : body_.begin(dimension) + " + ") +
                                                 indices_.index_of(samples));
    return keys_.lookup(random.getKey()) + ", " + sample + ", " + indices_.global_index(type, samples, body_);
}

} // namespace planc::emit
