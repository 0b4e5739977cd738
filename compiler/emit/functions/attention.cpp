#include "emit/functions/attention.h"

#include "emit/names/text.h"
#include "schedule/functions.h"

namespace planc::emit {

namespace {

using schedule::LoopSpace;

/// A tensor's local dimensions, as texts.
class Shape {
  public:
    Shape(Body &body, mlir::Value value) : body_(body) {
        if (value)
            space_ = schedule::dimensions_of(schedule::tensor(value));
    }
    [[nodiscard]] const schedule::LoopDimension *find(llvm::StringRef role) const {
        const auto at = llvm::find_if(space_, [&](const auto &dimension) { return dimension.role == role; });
        return at == space_.end() ? nullptr : &*at;
    }
    [[nodiscard]] std::string extent(llvm::StringRef role) const { return body_.extent(*find(role)); }
    /// From one index of the dimension to the next; 0 if there is no such dimension.
    [[nodiscard]] std::string stride(llvm::StringRef role) const {
        const schedule::LoopDimension *at = find(role);
        return at == nullptr ? "0" : body_.extents(LoopSpace(space_.begin() + (at - space_.data()) + 1, space_.end()));
    }

  private:
    Body &body_;
    LoopSpace space_;
};

class Writer {
  public:
    Writer(Body &body, ir::AttentionOp op)
        : body_(body), op_(op), q_(body, op.getInputs()[0]), k_(body, op.getInputs()[1]), v_(body, op.getInputs()[2]),
          out_(body, op.isGradient() ? op.getInputs()[4] : result("output")),
          sums_(body, op.isGradient() ? op.getInputs()[3] : result("total")), seen_(body, op.mask()) {}

    void write() {
        const std::string shape = body_.constant("planrt::Attention", "attention", shape_text());
        const std::string element = type_name(op_.queries().getElementType());
        const auto operand = [&](unsigned number) { return body_.buffer(op_.getInputs()[number]); };
        const std::string inputs =
            "{" + joined({operand(0), operand(1), operand(2), op_.mask() ? body_.buffer(op_.mask()) : "nullptr"}) + "}";
        if (op_.isGradient())
            body_.line(
                "planrt::attention_backward<" + element + ">(" +
                joined({shape, inputs, "{" + joined({operand(3), operand(4), operand(5)}) + "}",
                        "{" + joined({written("query_gradient"), written("key_gradient"), written("value_gradient")}) +
                            "}"}) +
                ");");
        else
            body_.line("planrt::attention_forward<" + element + ">(" +
                       joined({shape, inputs, written("output"), written("total")}) + ");");
    }

  private:
    mlir::Value result(llvm::StringRef kind) {
        const int number = op_.find(kind);
        return number < 0 ? mlir::Value() : mlir::Value(op_.getResult(static_cast<unsigned>(number)));
    }
    std::string written(llvm::StringRef kind) {
        const mlir::Value value = result(kind);
        return value ? body_.buffer(value, true) : "nullptr";
    }

    std::string loops_text(llvm::ArrayRef<mlir::StringAttr> roles) {
        std::vector<std::string> loops;
        for (const mlir::StringAttr role : roles)
            loops.push_back("{" +
                            joined({q_.extent(role), q_.stride(role), k_.stride(role), v_.stride(role),
                                    out_.stride(role), sums_.stride(role), seen_.stride(role)}) +
                            "}");
        return "{" + joined(loops) + "}";
    }

    std::string values_text() {
        std::vector<std::string> extents;
        for (const mlir::StringAttr role : op_.valueRoles())
            extents.push_back(v_.extent(role));
        return extents.empty() ? "1" : joined(extents, " * ");
    }

    /// The index of the first query minus that of the first key.
    std::string ahead_text() {
        std::string text;
        if (const schedule::LoopDimension &position = *q_.find(*op_.getPosition()); !position.axes.empty())
            text = body_.begin(position);
        if (const schedule::LoopDimension &key = *k_.find(op_.getKey()); !key.axes.empty())
            text += (text.empty() ? "-" : " - ") + body_.begin(key);
        return text.empty() ? "0" : text;
    }

    std::string shape_text() {
        const llvm::SmallVector<mlir::StringAttr> rows = op_.rowRoles();
        std::vector<std::string> fields{loops_text(op_.batchRoles()),
                                        loops_text(rows),
                                        k_.extent(op_.getKey()),
                                        k_.extent(op_.getFeature()),
                                        values_text(),
                                        k_.stride(op_.getKey()),
                                        v_.stride(op_.getKey()),
                                        seen_.stride(op_.getKey())};
        if (const auto position = op_.getPosition()) {
            const auto at = llvm::find_if(rows, [&](mlir::StringAttr role) { return role == *position; });
            fields.push_back(std::to_string(at - rows.begin()));
            fields.push_back(ahead_text());
            fields.push_back(std::to_string(op_.getWindow()));
        }
        return "{" + joined(fields) + "}";
    }

    Body &body_;
    ir::AttentionOp op_;
    Shape q_;
    Shape k_;
    Shape v_;
    Shape out_;
    Shape sums_;
    Shape seen_;
};

} // namespace

void write_attention(Body &body, ir::AttentionOp attention) {
    Writer(body, attention).write();
}

} // namespace planc::emit
