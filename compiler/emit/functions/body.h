// The text of one function body while it is written, in terms of its parameters: buffers and extents. Layers with the
// same body share one function and differ only in its arguments.
#pragma once

#include "schedule/loop_nest.h"

#include "ir/plan_dialect.h"
#include "sema/program.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace planc::emit {

/// A buffer that the body reads or writes.
struct BufferParameter {
    std::int64_t offset = 0;
    mlir::Type element;
    bool written = false;
    mlir::Value value; ///< the last value in this buffer, for its name
};

/// The local extent of a dimension, or the global index at which it begins.
struct ExtentParameter {
    schedule::LoopDimension dimension;
    bool begin = false;
    friend bool operator==(const ExtentParameter &, const ExtentParameter &) = default;
};

/// The names of the parameters in one use of a body.
struct ParameterNames {
    std::vector<std::string> buffers;
    std::vector<std::string> extents;
    std::vector<std::string> texts;
    std::vector<std::string> numbers;
};

struct NumberParameter {
    std::int64_t number;
    const char *title; ///< "collective", "first"
    const char *type;
};

class Body {
  public:
    /// `order`: of the vertices; null: that of the file.
    explicit Body(const sema::VertexOrder *order = nullptr) : order_(order) {}

    /// Name of the pointer to a value's buffer, as a place holder.
    std::string buffer(mlir::Value value, bool written = false);
    std::string extent(const schedule::LoopDimension &dimension) { return extent_parameter({dimension, false}); }
    std::string begin(const schedule::LoopDimension &dimension) { return extent_parameter({dimension, true}); }
    /// Product of extents: "batch * hidden"; "1" for none.
    std::string extents(const schedule::LoopSpace &space);
    /// The run's state: step, seed, threads.
    std::string context();
    /// Whether indices of the dimension are vertices that may have other numbers in the file.
    [[nodiscard]] bool orders(const schedule::LoopDimension &dimension) const;
    /// The number in the file of a global index, by which random numbers are drawn; of samples, whatever their extent.
    std::string file_number(const schedule::LoopDimension &dimension, const std::string &index);
    std::string file_number_of_sample(const std::string &index);
    /// A text that differs between alike layers.
    std::string text_parameter(const std::string &text);
    /// Numbers that differ between alike layers: of a collective; the first index of a slice.
    std::string collective_parameter(std::int64_t number);
    std::string index_parameter(std::int64_t index);
    /// A name for a local variable that no other one in the body has: "exp_2".
    std::string local(const std::string &base);

    /// The name of a constant of the body: "conv_1". Equal constants are one, declared at the first request, which must
    /// be outside loops.
    std::string constant(const std::string &type, const std::string &base, const std::string &value);
    /// A statement that set-up runs for every use of the body, in terms of its extents.
    void prepare(const std::string &statement);

    void line(const std::string &text); ///< at the current indentation
    void open(const std::string &text); ///< a line, then one level deeper
    void close(const std::string &text = "}");
    void end() { --depth_; } ///< of what open() began, without a line
    void progress();

    [[nodiscard]] bool empty() const { return text_.empty(); }
    [[nodiscard]] bool uses_context() const { return uses_context_; }
    [[nodiscard]] const std::vector<BufferParameter> &buffer_parameters() const { return buffers_; }
    [[nodiscard]] const std::vector<ExtentParameter> &extent_parameters() const { return extents_; }
    [[nodiscard]] const std::vector<std::string> &text_parameters() const { return texts_; }
    [[nodiscard]] const std::vector<NumberParameter> &number_parameters() const { return numbers_; }
    [[nodiscard]] const std::vector<std::string> &locals() const { return locals_; }

    /// Equal for bodies that can share a function.
    [[nodiscard]] std::string key() const;
    [[nodiscard]] std::string text(const ParameterNames &names) const;
    /// The statements that set-up runs for the use with these arguments.
    [[nodiscard]] std::vector<std::string> preparations(const std::vector<std::string> &extents) const;

  private:
    std::string extent_parameter(const ExtentParameter &parameter);

    const sema::VertexOrder *order_;
    std::string text_;
    int depth_ = 1;
    bool uses_context_ = false;
    int next_local_ = 0;
    std::vector<BufferParameter> buffers_;
    std::vector<ExtentParameter> extents_;
    std::vector<std::string> texts_;
    std::vector<NumberParameter> numbers_;
    std::vector<std::string> locals_;
    std::map<std::string, std::string> constants_; ///< declaration -> name
    std::vector<std::string> preparations_;
};

/// "float", "double", "int32_t".
[[nodiscard]] std::string type_name(mlir::Type element);
/// A constant of that type: "0.5F", "0.5", "3".
[[nodiscard]] std::string literal(double value, mlir::Type element);

} // namespace planc::emit
