// The abstract syntax tree of one .plan file: what the user wrote, with its place; no name is resolved.
//
// Plain data. A node that can be one of several is a struct with `where` and a variant `node`:
//   if (const auto *call = std::get_if<syntax::Call>(&expression.node)) …
// `braces` is the range of a body from { to }, for the formatter; its file is -1 where there is no body. Every `where`
// covers the whole construct; every Name has its own range, for messages that point at one word. Labels such as L3 or
// N5 refer to the rules of grammar/reference.md.
#pragma once

#include "support/source.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace planc::syntax {

using support::SourceRange;

/// A word that the user wrote: "hidden", "hidden'", "rows".
struct Name {
    std::string text;
    SourceRange where;
};

struct Expression;
struct Statement;
using ExpressionPtr = std::unique_ptr<Expression>; ///< null only where a comment says so
using Block = std::vector<Statement>;

// --- dimensions and types ---------------------------------------------------------------------------------------

/// One entry of a dimension list, as in `[.., in, ..over, hidden: 128]`.
struct DimensionItem {
    enum class Kind : std::uint8_t {
        rest,     ///< `..`: any number of leading dimensions; `name` is empty
        spread,   ///< `..over`: the dimensions that the parameter `over` (a list of dimensions) holds
        dimension ///< `in` or `hidden: 128`
    };
    Kind kind = Kind::dimension;
    Name name;
    ExpressionPtr extent; ///< null: the default extent, or bound by the signature
    SourceRange where;
};

/// `[.., in]`, `f32[batch, pixel]`: a tensor; `dim`, `bool`, `int`: a kind of compile-time value.
struct Type {
    std::optional<Name> word; ///< element type before the brackets, or the only word
    bool tensor = false;      ///< has brackets
    std::vector<DimensionItem> dimensions;
    SourceRange where;
};

// --- expressions ------------------------------------------------------------------------------------------------

/// `64`, `0.5 us`, `80%`, `200 Gbit/s`. Literals that do not fit are errors of the parser.
struct Number {
    std::string text;         ///< as written, without the unit
    bool integral = true;     ///< written without fraction and exponent
    std::int64_t integer = 0; ///< if integral
    double value = 0;
    std::optional<Name> unit; ///< "us", "Gbit/s", "%"; any word parses
};

struct String {
    std::string value; ///< escapes replaced
};

struct Boolean {
    bool value = false;
};

/// A name used as a value: a tensor, a dimension, a parameter, a word such as `bucket` or `auto`.
struct Reference {
    std::string name;
};

/// `[64, 128]`, `[in]`, `[.., out]`, `[rows: 2, cols]`. An item with `name` is `name: value`.
struct ListItem {
    enum class Kind : std::uint8_t {
        value,  ///< `64`, `in`
        extent, ///< `hidden: 128`
        rest,   ///< `..`
        spread  ///< `..over`
    };
    Kind kind = Kind::value;
    std::optional<Name> name; ///< extent, spread
    ExpressionPtr value;      ///< value, extent; else null
    SourceRange where;
};

struct List {
    std::vector<ListItem> items;
};

/// `first..last`, the last excluded.
struct Range {
    ExpressionPtr first;
    ExpressionPtr last;
};

/// `(h, c)`: several values.
struct Tuple {
    std::vector<ExpressionPtr> items; ///< two or more
};

/// `xs[0]`
struct Index {
    ExpressionPtr list;
    ExpressionPtr index;
};

struct CallArgument {
    enum class Kind : std::uint8_t {
        positional, ///< `x`
        named,      ///< `kernel = 3`
        extent,     ///< `hidden: 128`: a dimension with an extent on the spot; positional
        mapping     ///< `w -> [.., out]` of einsum, `position -> key` of rename; positional
    };
    Kind kind = Kind::positional;
    std::optional<Name> name; ///< named, extent
    ExpressionPtr value;
    ExpressionPtr target; ///< mapping: what follows the arrow; else null
    SourceRange where;
};

struct Call {
    Name callee;
    std::vector<CallArgument> arguments;
};

enum class UnaryOperator : std::uint8_t { negate, logical_not };
struct Unary {
    UnaryOperator operation = UnaryOperator::negate;
    ExpressionPtr operand;
};

enum class BinaryOperator : std::uint8_t {
    add,
    subtract,
    multiply,
    divide,
    remainder,
    equal,
    not_equal,
    less,
    less_equal,
    greater,
    greater_equal,
    logical_and,
    logical_or
};
struct Binary {
    BinaryOperator operation = BinaryOperator::add;
    SourceRange operator_where;
    ExpressionPtr left;
    ExpressionPtr right;
};

/// `if c { a } else { b }`, chosen at compile time; `else if` is a Choice in `otherwise`.
struct Choice {
    ExpressionPtr condition;
    ExpressionPtr then;
    ExpressionPtr otherwise;
};

/// `fold x = start for (i, width) in values as block { … yield e }`: x is first start, then what each iteration yields.
struct Fold {
    std::vector<Name> accumulators; ///< one, or several that take a tuple apart: `(h, c)`
    ExpressionPtr start;
    std::vector<Name> variables; ///< one, or several that take a pair apart: `(i, width)`
    ExpressionPtr values;
    std::optional<Name> label; ///< `as block`: the iterations are layers block[0], block[1], …
    Block body;
    SourceRange braces;
};

struct Expression {
    SourceRange where;          ///< with the parentheses around it
    bool parenthesized = false; ///< for the formatter; it has no meaning
    std::variant<Number, String, Boolean, Reference, List, Range, Tuple, Index, Call, Unary, Binary, Choice, Fold> node;
};

// --- statements -------------------------------------------------------------------------------------------------

/// `h = relu(x)`, `h, c = cell(x)`
struct Binding {
    std::vector<Name> names; ///< several take a tuple apart; none if the statement did not parse and they are unknown
    ExpressionPtr value;     ///< null: did not parse
};

/// `param w: [in, out] = glorot_uniform(…)`, `state mean: [channel] = zeros`.
struct ParameterDeclaration {
    bool trained = true; ///< param; false: state
    Name name;
    Type type; ///< a tensor
    ExpressionPtr initializer;
};

/// `shared tower = dense(hidden)`: calls of `tower` have one set of parameters.
struct SharedLayer {
    Name name;
    ExpressionPtr layer; ///< a Call, without the tensors
};

/// `else if` is one Conditional statement in `otherwise`.
struct Conditional {
    ExpressionPtr condition;
    Block then;
    Block otherwise;
    SourceRange then_braces;
    SourceRange otherwise_braces; ///< file -1 for `else if` too
};

struct Return {
    ExpressionPtr value;
};

struct Yield {
    ExpressionPtr value;
};

struct Statement {
    SourceRange where;
    std::variant<Binding, ParameterDeclaration, SharedLayer, Conditional, Return, Yield> node;
};

// --- declarations -----------------------------------------------------------------------------------------------

/// `import "std/dense.plan"`
struct Import {
    std::string path;
    SourceRange path_where; ///< with the quotes
    SourceRange where;
};

/// `dim hidden = 256`
struct DimensionDeclaration {
    Name name;
    ExpressionPtr extent;
    SourceRange where;
};

/// `stride: int = 1`
struct Parameter {
    Name name;
    Type type;
    ExpressionPtr fallback; ///< null: the argument is required
    SourceRange where;
};

/// `network name(…) -> type { … }` or `layer name(…) -> type { … }`
struct CallableDeclaration {
    enum class Kind : std::uint8_t { network, layer } kind = Kind::network;
    Name name;
    std::vector<Parameter> parameters;
    std::vector<Type> results; ///< tensors
    SourceRange results_where; ///< with the parentheses around several
    Block body;
    SourceRange where; ///< the whole declaration
    SourceRange braces;
    SourceRange head; ///< without the body
};

/// A share of a split: `train 80%`.
struct Share {
    Name name;
    Number amount;
    SourceRange where;
};

/// `fc1`, `conv*`, `block[3].attention.*`, `block[*]`: text without spaces.
struct Selector {
    std::string text;
    SourceRange where;
};

struct Setting;

/// `*.b { weight_decay = 0 }`
struct ParameterGroup {
    Selector selector;
    std::vector<Setting> settings;
    SourceRange where;
    SourceRange braces;
};

/// `0: F0 F1 B0 B1`: what a rank of a pipeline does, in order; an action is `F1`, or `F1.3` with a stage.
struct ScheduleRow {
    Name rank;
    std::vector<Name> actions;
    SourceRange where;
};

/// `name = value` in the body of data, machine, layout, pipeline or train.
struct Setting {
    Name name;
    ExpressionPtr value;       ///< null if `shares` is not empty, or if it did not parse
    std::vector<Share> shares; ///< `split = train 80%, test 20%`
    SourceRange where;
    std::vector<ParameterGroup> groups = {}; ///< after an optimizer
    std::vector<ScheduleRow> rows = {};      ///< after the schedule of a pipeline
    SourceRange braces = {};                 ///< of the groups, or of the rows
};

/// `data digits = csv("…") { … }`; `data toy = synthetic(seed = 1)`
struct DataDeclaration {
    Name name;
    ExpressionPtr source;
    std::vector<Setting> settings;
    SourceRange where;
    SourceRange braces;
};

struct MachineDeclaration {
    Name name;
    std::vector<Setting> settings;
    SourceRange where;
    SourceRange braces;
};

struct MeshAxis {
    Name name;
    ExpressionPtr size; ///< null: open
    SourceRange where;
};

/// `mesh grid on cori = [rows: 16, cols]`, `mesh grid = auto`
struct MeshDeclaration {
    Name name;
    std::optional<Name> machine;
    bool automatic = false;
    std::vector<MeshAxis> axes; ///< empty if automatic
    SourceRange where;
};

/// What a rule maps to: `rows`, `[rows, cols]`, `none`.
struct AxisList {
    std::vector<Name> axes; ///< major first; empty: `none`, or `[]`
    SourceRange where;
};

struct LayoutItem;

/// `batch -> [rows, cols]`
struct LayoutRule {
    Name dimension;
    AxisList target;
};

/// `fc* { … }`
struct LayoutSelection {
    Selector selector;
    std::vector<LayoutItem> items;
    SourceRange braces;
};

/// `store params -> [rows, cols]`
struct StoreRule {
    Name what;
    AxisList target;
};

/// `cut before fc1, fc3`, `cut after block[0]`
struct Cut {
    bool after = false;
    std::vector<Selector> layers;
    SourceRange where;
};

/// `pipeline -> stage { schedule = one_f_one_b; microbatches = 8; cut before fc1 }`
struct PipelineRule {
    AxisList target;
    std::vector<Setting> settings;
    std::vector<Cut> cuts;
    SourceRange braces;
};

/// `memory <= 8 GiB`
struct LimitRule {
    Name what;
    ExpressionPtr bound;
};

/// `forbid pipeline`
struct ForbidRule {
    Name what;
};

/// `recompute`
struct RecomputeRule {};

struct LayoutItem {
    SourceRange where;
    std::variant<LayoutRule, LayoutSelection, StoreRule, PipelineRule, LimitRule, ForbidRule, RecomputeRule, Setting>
        node;
};

/// `layout hybrid on grid { … }`, `layout best on grid = auto`, `layout staged on [stage: 4, rows: 2] { … }`
struct LayoutDeclaration {
    Name name;
    std::optional<Name> mesh;   ///< absent: the mesh is anonymous, `axes`
    std::vector<MeshAxis> axes; ///< of the anonymous mesh
    SourceRange mesh_where;     ///< the name or the brackets
    bool automatic = false;     ///< `= auto`
    std::vector<LayoutItem> items;
    SourceRange where;
    SourceRange braces;
};

/// `train classifier on digits { … }`
struct TrainDeclaration {
    Name network;
    Name data;
    std::vector<Setting> settings;
    SourceRange where;
    SourceRange braces;
};

using Declaration = std::variant<Import, DimensionDeclaration, CallableDeclaration, DataDeclaration, MachineDeclaration,
                                 MeshDeclaration, LayoutDeclaration, TrainDeclaration>;

// --- file -------------------------------------------------------------------------------------------------------

/// `// …` to the end of the line, for the formatter.
struct Comment {
    SourceRange where; ///< from the first slash, without trailing blanks and the line end
    bool own_line = false;
};

/// A declaration that did not parse.
struct BrokenDeclaration {
    Name name; ///< empty if it is unknown
};

struct File {
    support::FileId file = -1;
    std::vector<Declaration> declarations;
    std::vector<BrokenDeclaration> broken;
    bool complete = true;          ///< everything parsed
    std::vector<Comment> comments; ///< in order
};

} // namespace planc::syntax
