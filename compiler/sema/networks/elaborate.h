// Elaboration: an interpreter of the language with compile-time numbers, dimensions and lists, and symbolic tensors.
// It inlines every call of a layer or network and appends the operations that remain to a Network.
//
//   Elaborator(analysis, network).elaborate(declaration)   fills `network`
//   Elaborator(analysis, unit).extent(expression, "hidden")   a constant of file `unit`
//
// The class is implemented in one file for each concern: entry and statements (elaborate.cpp), names of layers
// (layer_names.cpp), expressions (evaluate.cpp, arithmetic.cpp), calls (call_layer.cpp, bind_signature.cpp), and
// operations (append.cpp, einsum.cpp, convolution.cpp, primitive_calls.cpp, selection.cpp, rearrange.cpp, windows.cpp,
// losses.cpp, parameters.cpp, pooling.cpp, batch_normalize.cpp); sparse arguments have a file of their own
// (sparse_types.cpp).
#pragma once

#include "sema/analysis.h"
#include "sema/primitives/windows.h"
#include "sema/values/arguments.h"

#include <functional>
#include <optional>
#include <span>

namespace planc::sema {

class Elaborator {
  public:
    /// Evaluates constants, in which nothing can occur that makes operations.
    Elaborator(Analysis &analysis, int unit);
    /// Appends to `network`.
    Elaborator(Analysis &analysis, Network &network);

    /// Elaborates a whole network: its arguments become inputs.
    void elaborate(const syntax::CallableDeclaration &callable);

    /// The names in a loss: the network that is inlined, and the fields of the data set, which become its inputs.
    struct LossNames {
        std::string network; ///< the network that is trained; it keeps its layer names
        std::vector<std::pair<std::string, SourceRange>> fields;
        std::set<std::string> failed; ///< fields with a reported error; an empty name: any field may have one
    };
    struct Loss {
        TensorValue loss;
        ValueId prediction = -1;
        ValueId label = -1;
        std::string class_role;
        std::optional<std::int64_t> ignored;
    };
    /// Elaborates a loss, which calls the network. Every tensor in it comes from the network's result or from the data.
    [[nodiscard]] Loss elaborate_loss(const syntax::Expression &expression, const LossNames &names, int unit);

    [[nodiscard]] Value evaluate(const syntax::Expression &expression);
    /// An extent: a whole number of at least 1.
    [[nodiscard]] std::int64_t extent(const syntax::Expression &expression, const std::string &role);

  private:
    struct Local {
        Value value;
        SourceRange where;
        bool failed = false;                        ///< an error was reported: whatever depends on it gives up
        const syntax::SharedLayer *layer = nullptr; ///< not null: a shared layer instead of a value
        std::string parameters = {};                ///< of the shared layer: the path of its parameters
    };
    using Scope = std::map<std::string, Local>;

    /// A call of a shared layer: its own layers are named by the call, its parameters by the shared layer.
    struct SharedCall {
        int number = 0;         ///< of all such calls, from 1
        std::string layers;     ///< the path of the call
        std::string parameters; ///< what stands in its place before the names of parameters
        SourceRange where;
    };
    /// One call of a layer or network, or the outermost level.
    struct Frame {
        const syntax::CallableDeclaration *callable = nullptr; ///< null: constants or a loss
        int unit = 0;
        bool names_layers = false; ///< a network or a composite: each binding is a layer
        std::string path;          ///< before the names of its bindings and parameters; "" for the outermost
        std::string layer;         ///< of operations outside bindings
        ElementType element = ElementType::f32; ///< of parameters that do not say theirs
        bool element_bound = false;             ///< a tensor argument has said it
        std::vector<Scope> scopes;
        std::map<std::string, std::vector<DimensionValue>> bound; ///< names of the signature; ".." for the rest
        std::map<int, std::vector<DimensionValue>> origins; ///< symbol -> the caller's dimensions, one at each extent
        std::set<int> tensor_symbols;                       ///< names that tensors bound, not arguments
        bool over = false;                                  ///< the call says which dimensions `in` stands for
        std::optional<SharedCall> shared;                   ///< within which it is, the innermost
    };
    /// The place of the expression that is being evaluated, to which its operations belong.
    struct Site {
        std::string layer;
        std::string path;                  ///< of the parameters of a fold without a label; mostly equal to `layer`
        bool named = false;                ///< within a binding
        int owning = 0;                    ///< calls that own parameters
        std::map<std::string, int> totals; ///< the same by callee
        std::map<std::string, int> next;
    };
    struct Flow {
        std::optional<Value> result; ///< of `return` or `yield`
    };
    /// The meaning of a name that a tensor and a dimension share.
    enum class Meant : std::uint8_t {
        any,       ///< the tensor; in a list the dimension, where a pattern of the signature bound it
        dimension, ///< the dimension, because no tensor can stand here
        tensor     ///< the tensor, in lists too
    };
    class Meaning;
    class OwnExtents;
    class Deeper;
    class Iteration;

    // elaborate.cpp
    Flow execute(const syntax::Block &block);
    Flow execute(const syntax::Statement &statement);
    void mark_failed(const syntax::Statement &statement);
    void bind(const syntax::Binding &binding);
    void declare_shared(const syntax::SharedLayer &shared);
    void define(const syntax::Name &name, Value value);
    void define(const std::vector<syntax::Name> &names, const Value &value, SourceRange where);
    void define_failed(const syntax::Name &name);
    void check_unbound(const syntax::Name &name) const;
    Value evaluate_at(const syntax::Expression &expression, Site site, Meant meant = Meant::any);
    [[noreturn]] void fail(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const {
        analysis_.context.fail(kind, where, arguments, notes);
    }
    /// Stops at a limit that would be exceeded again and again.
    [[noreturn]] void stop(const support::DiagnosticKind &kind, SourceRange where,
                           std::initializer_list<std::string> arguments, const std::vector<Note> &notes = {}) const {
        analysis_.context.stop(kind, where, arguments, notes);
    }
    const Context &context() const { return analysis_.context; }

    // layer_names.cpp
    Site site_of_binding(const syntax::Binding &binding);
    Site named_site(const std::string &path, const syntax::Expression &expression);
    Site site_of_yield(const syntax::Yield &yield);
    Site site_outside_bindings() const;
    std::string call_path(const syntax::CallableDeclaration &callable, const syntax::Name &callee, SourceRange where);
    void register_layer(const std::string &path, const syntax::Name &name);
    static std::string join(const std::string &path, const std::string &name);

    // evaluate.cpp
    [[nodiscard]] Value evaluate(const syntax::Expression &expression, Meant meant);
    [[nodiscard]] const Value *local(const std::string &name) const;
    Value reference(const std::string &name, SourceRange where);
    Value dimension_reference(const std::string &name, SourceRange where);
    Value global_reference(const std::string &name, SourceRange where);
    Value list(const syntax::List &list);
    void append_item(const syntax::ListItem &item, std::vector<Value> &items);
    Value range(const syntax::Range &range, SourceRange where);
    Value index(const syntax::Index &index);
    Value fold(const syntax::Fold &fold);
    Value iterate(const syntax::Fold &fold, const Value &accumulator, const Value &item, SourceRange where);
    Value choice(const syntax::Choice &choice);
    std::vector<DimensionValue> spread(const syntax::Name &name);
    std::vector<DimensionValue> rest(SourceRange where);
    DimensionValue extent_on_the_spot(const syntax::Name &name, const syntax::Expression &extent_expression);
    std::vector<DimensionValue> dimensions(std::span<const syntax::DimensionItem> items);
    std::vector<DimensionValue> dimension(const syntax::Name &name);

    // arithmetic.cpp
    Value unary(const syntax::Unary &unary, SourceRange where);
    Value binary(const syntax::Binary &binary, SourceRange where);
    Value arithmetic(syntax::BinaryOperator operation, const Value &left, const Value &right, SourceRange where);
    Value whole_arithmetic(syntax::BinaryOperator operation, std::int64_t left, std::int64_t right,
                           SourceRange where) const;
    /// Makes a number with a unit, after a check that it is finite.
    Value quantity(QuantityValue value, SourceRange where) const;
    Value quantities(syntax::BinaryOperator operation, const Value &left, const Value &right, SourceRange where) const;
    Value comparison(syntax::BinaryOperator operation, const Value &left, const Value &right, SourceRange where);
    Value tensor_comparison(syntax::BinaryOperator operation, const Value &left, const Value &right, SourceRange where);
    Value compile_time_function(const std::string &function, const std::vector<Value> &arguments,
                                SourceRange where) const;

    // call_layer.cpp, bind_signature.cpp
    Value call(const syntax::Call &call, SourceRange where);
    /// `shared`: the shared layer that is called, of `callable`; null for `callable` itself.
    Value call_declared(const syntax::Call &call, const syntax::CallableDeclaration &callable, const Local *shared,
                        SourceRange where);
    Arguments arguments_of(const syntax::Call &call, const syntax::CallableDeclaration &callable, const Local *shared);
    Arguments arguments_of_shared(const syntax::SharedLayer &shared, const syntax::CallableDeclaration &callable);
    /// N8: null if the name is not that of a shared layer.
    [[nodiscard]] const Local *shared_layer(const std::string &name) const;
    Value argument(const syntax::CallArgument &argument, Meant meant = Meant::any);
    /// Evaluates an argument that cannot be a tensor: a dimension, a list, a number.
    Value constant_argument(const syntax::CallArgument &given) { return argument(given, Meant::dimension); }
    void enter_trained_network(const syntax::CallableDeclaration &callable, SourceRange where);
    /// Evaluates the body of the frame's layer, called from `where`, and returns its results.
    std::vector<TensorValue> inlined(Frame &frame, SourceRange where);
    /// R2: what the arguments are, by parameter, if all are names; else none.
    std::optional<std::vector<std::string>> plain_arguments(const syntax::CallableDeclaration &callable,
                                                            const Arguments &arguments);
    static int symbol_of_caller(const Frame &frame, const DimensionValue &dimension);
    std::vector<TensorValue> call_results(const Frame &frame, const Flow &flow, SourceRange where);
    void check_result(const Frame &frame, const TensorValue &result, const syntax::Type &type, SourceRange where);
    static bool takes_over(const syntax::CallableDeclaration &callable);
    ElementType element_of(const syntax::CallableDeclaration &network);
    void bind_signature(Frame &frame, const Arguments &arguments, SourceRange call);
    void bind_value(Frame &frame, const syntax::Parameter &parameter, const Value &value, SourceRange where);
    void bind_dimension(Frame &frame, const std::string &name, std::vector<DimensionValue> given, bool of_tensor);
    void bind_tensor(Frame &frame, const syntax::Parameter &parameter, const Value &value, SourceRange where,
                     const std::vector<DimensionValue> &over);
    /// The type that a pattern has if all of its names are bound by other arguments.
    std::optional<TensorType> bound_type(const Frame &frame, const syntax::Type &pattern);
    void bind_pattern(Frame &frame, const syntax::Parameter &parameter, TensorValue &tensor, SourceRange where,
                      const std::vector<DimensionValue> &over);
    void warn_of_other_dimension(const Frame &frame, const syntax::DimensionItem &item, const TensorValue &tensor,
                                 const std::vector<DimensionValue> &given, SourceRange where) const;
    void bind_item(Frame &frame, const syntax::DimensionItem &item, TensorValue &tensor,
                   const std::vector<std::size_t> &places, SourceRange where);
    TensorValue network_argument(const syntax::Parameter &parameter, const Value &value, SourceRange where);
    TensorType declared_type(const syntax::Type &type);
    ElementType element_type(const syntax::Type &type, ElementType fallback);
    [[noreturn]] void fail_no_network(SourceRange where) const;

    // sparse_types.cpp
    SparseValue declared_matrix(const syntax::Parameter &parameter);
    void check_sparse_form(const syntax::Type &type);
    void check_dense(const syntax::Type &type) const;
    SparseValue expect_matrix(const Value &value, SourceRange where, const std::string &what) const;
    SparseValue matrix_argument(const syntax::Parameter &parameter, const Value &value, SourceRange where);
    SparseValue matrix_field(const std::string &name, SparseValue type, SourceRange where);
    void add_matrix(const SparseValue &matrix, SourceRange where);
    SparseValue bind_matrix(Frame &frame, const syntax::Parameter &parameter, const Value &value, SourceRange where);
    std::size_t place_of_columns(const SparseValue &a, const TensorValue &x, SourceRange where) const;
    std::size_t place_of_rows(const SparseValue &a, const TensorValue &x, SourceRange where) const;
    Value spmm(const syntax::Call &call, SourceRange where);
    Value spmm_of_entries(const SparseValue &a, const TensorValue &x, std::size_t place, const TensorValue &weights,
                          bool largest, SourceRange where);
    // edges.cpp
    SparseValue matrix_of(const Arguments &arguments);
    TensorValue edges(const SparseValue &a, bool ones, SourceRange where);
    Value edges(const syntax::Call &call, SourceRange where);
    Value columns_of(const syntax::Call &call, SourceRange where);
    Value sddmm(const syntax::Call &call, SourceRange where);
    Value edge_softmax(const syntax::Call &call, SourceRange where);
    void check_on_edges(const std::string &primitive, const SparseValue &a, const TensorValue &e,
                        SourceRange where) const;
    TensorValue largest_of_entries(const SparseValue &a, const TensorValue &e, SourceRange where);
    TensorValue sum_of_columns(const SparseValue &a, const std::string &reduction, const TensorValue &e,
                               SourceRange where);
    int fresh_symbol() { return next_symbol_++; }

    // append.cpp
    TensorValue append(Operation operation, std::vector<DimensionValue> dimensions, ElementType element,
                       SourceRange where);
    TensorValue input(const std::string &name, const TensorType &type, SourceRange where);
    TensorValue constant(double value, ElementType element, SourceRange where);
    /// Makes a number a constant with the element type of the tensor beside it.
    TensorValue constant_beside(const TensorValue &tensor, const Value &number, SourceRange where);
    TensorValue pointwise(const std::string &function, const std::vector<TensorValue> &operands, SourceRange where);
    TensorValue append_pointwise(const std::string &function, const std::vector<TensorValue> &operands,
                                 ElementType element, SourceRange where);
    std::vector<DimensionValue> broadcast(const std::string &function, const std::vector<TensorValue> &operands,
                                          SourceRange where);
    void check_floating(const std::string &function, const TensorValue &tensor, SourceRange where) const;
    void check_same_element(const std::string &function, const std::vector<TensorValue> &operands,
                            SourceRange where) const;
    TensorValue expect_tensor(const Value &value, SourceRange where, const std::string &what) const;
    void count_work(std::int64_t steps, SourceRange where);
    void check_distinct(const std::vector<DimensionValue> &dimensions, SourceRange where) const;
    void check_equal_extents(const std::string &function, const DimensionValue &left, const DimensionValue &right,
                             SourceRange where) const;

    // einsum.cpp
    /// A loop under construction: the dimensions that it runs over.
    struct LoopOf {
        int symbol = DimensionValue::by_role;
        std::string role;     ///< of the first dimension
        std::string name;     ///< with the most primes
        DimensionValue first; ///< for messages and the result
    };
    Value einsum(const syntax::Call &call, SourceRange where);
    std::vector<LoopOf> loops_of(const std::string &function, const std::vector<TensorValue> &operands,
                                 Operation &operation, SourceRange where) const;
    std::vector<Note> loops_like(const DimensionValue &wanted, const std::vector<LoopOf> &loops) const;
    std::vector<DimensionValue> einsum_result(const std::string &function, const syntax::Expression &target,
                                              std::vector<LoopOf> &loops, Operation &operation);

    // convolution.cpp
    Value convolution(const syntax::Call &call, SourceRange where);
    std::vector<DimensionValue> result_names(const syntax::Expression &target);

    // attention.cpp
    Value fused_attention(const syntax::Call &call, SourceRange where);
    void check_attended(const Arguments &arguments, const std::vector<std::string> &roles, const TensorValue &queries,
                        const TensorValue &keys, const TensorValue &values) const;
    std::vector<DimensionValue> attention_result(const std::string &feature, const TensorValue &queries,
                                                 const TensorValue &keys, const TensorValue &values) const;
    TensorValue attention_mask(const Arguments &arguments, const std::vector<std::string> &roles,
                               const TensorValue &queries);
    void check_attended_extents(const std::string &feature, const std::vector<TensorValue> &tensors,
                                SourceRange where) const;

    // primitive_calls.cpp
    Value primitive(const syntax::Call &call, SourceRange where);
    Value function(const syntax::Call &call, std::size_t count, SourceRange where);
    Value reduce(const syntax::Call &call, SourceRange where);
    [[noreturn]] void fail_no_dimensions(const std::string &function, const TensorValue &tensor,
                                         SourceRange where) const;
    Value softmax(const syntax::Call &call, SourceRange where);
    TensorValue tensor_argument(const Arguments &arguments, const std::string &name);
    Value enumerate(const syntax::Call &call);
    Value zip(const syntax::Call &call, SourceRange where);
    Value same_shape(const syntax::Call &call);
    Value tail(const syntax::Call &call);
    Value with_extents(const syntax::Call &call);
    Value equal_parts(const syntax::Call &call);
    /// The position of each dimension in the tensor: that of the dimension with this name in the signature, else that
    /// of the one with this role.
    std::vector<std::size_t> positions(const TensorValue &tensor, const std::vector<DimensionValue> &names,
                                       SourceRange where) const;
    std::size_t position_over(const TensorValue &tensor, const Arguments &arguments, const syntax::CallArgument &over);

    // selection.cpp
    Value select(const syntax::Call &call, SourceRange where);
    Value cast(const syntax::Call &call, SourceRange where);
    Value iota(const syntax::Call &call, SourceRange where);
    Value embedding(const syntax::Call &call, SourceRange where);
    Value dropout(const syntax::Call &call, SourceRange where);
    std::string random_key(const std::string &function);
    Value random(const syntax::Call &call, SourceRange where);

    // rearrange.cpp
    Value rename(const syntax::Call &call, SourceRange where);
    Value transpose(const syntax::Call &call, SourceRange where);
    Value slice(const syntax::Call &call, SourceRange where);
    Value slice(const TensorValue &x, const syntax::CallArgument &part, SourceRange where);
    Value concat(const syntax::Call &call, SourceRange where);
    Value reshape(const syntax::Call &call, SourceRange where);
    Value expand(const syntax::Call &call, SourceRange where);
    std::vector<DimensionValue> reshaped(const TensorValue &x, const syntax::CallArgument &target);
    TensorValue copy(const TensorValue &x, const std::vector<std::size_t> &order,
                     std::vector<DimensionValue> dimensions, SourceRange where);

    // windows.cpp
    std::vector<std::size_t> spatial_places(const TensorValue &x, const Arguments &arguments, const syntax::Call &call);
    std::optional<WindowSetting> window_setting(const Arguments &arguments, const std::string &name);
    std::vector<Window> slide_windows(TensorValue &x, const std::vector<std::size_t> &places,
                                      const std::vector<std::int64_t> &kernels,
                                      const std::vector<std::int64_t> &strides, const Arguments &arguments,
                                      const syntax::Call &call);

    void cover(TensorValue &x, const std::vector<std::size_t> &places, std::vector<Window> &windows, bool same,
               const Arguments &arguments, const syntax::Call &call);

    // losses.cpp
    Value cross_entropy(const syntax::Call &call, SourceRange where);
    TensorValue class_weights(const TensorValue &logits, std::size_t class_position, const Value &value,
                              SourceRange where);
    Value mean_square_error(const syntax::Call &call, SourceRange where);
    TensorValue labels_of(const TensorValue &logits, std::size_t class_position, const Value &value, SourceRange where);
    TensorValue field(const FieldValue &field, const TensorType &type, SourceRange where);

    // pooling.cpp
    Value max_pool(const syntax::Call &call, SourceRange where);
    Value average_pool(const syntax::Call &call, SourceRange where);
    Value global_average_pool(const syntax::Call &call, SourceRange where);
    std::vector<Window> pool(const std::string &kind, TensorValue &x, const Arguments &arguments,
                             const syntax::Call &call, SourceRange where);
    void check_elements(const std::vector<Window> &windows, const TensorValue &x, const syntax::Call &call) const;
    TensorValue elements_of_windows(const Window &window, const DimensionValue &positions, std::int64_t extent,
                                    ElementType element, SourceRange where);

    // batch_normalize.cpp
    Value batch_normalize(const syntax::Call &call, SourceRange where);
    TensorValue written_state(const Arguments &arguments, const std::string &name);

    // parameters.cpp
    struct DeclaredParameter {
        TensorValue tensor;
        SourceRange where;                ///< its declaration
        std::optional<SharedCall> shared; ///< that declared it
    };
    /// The path of parameters: within a call of a shared layer, the same for all calls.
    [[nodiscard]] std::string parameters_at(const std::string &path) const;
    [[nodiscard]] TensorValue same_parameter(const DeclaredParameter &known, TensorValue declared,
                                             const std::string &path) const;
    void declare_parameter(const syntax::ParameterDeclaration &declaration, SourceRange where);
    Initializer initial_value(const syntax::ParameterDeclaration &declaration);
    void prime_input_sides(std::vector<DimensionValue> &dimensions) const;
    Value initializer(const syntax::Call &call, SourceRange where);
    double fan(const Arguments &arguments, const std::string &name);

    Analysis &analysis_;
    Network *network_ = nullptr; ///< null: constants
    Frame *frame_ = nullptr;
    Frame outermost_;
    Site site_;
    Meant meant_ = Meant::any;
    std::vector<const syntax::CallableDeclaration *> calls_; ///< nested, the innermost last
    int next_symbol_ = 0;
    std::int64_t bytes_ = 0;                              ///< of all tensors
    std::set<std::string> known_layers_;                  ///< that have operations
    std::map<std::string, SourceRange> layer_names_;      ///< paths of bindings and labels so far
    std::map<std::string, DeclaredParameter> parameters_; ///< by path, so far
    int shared_calls_ = 0;                                ///< so far
    std::map<ValueId, std::map<int, SourceRange>>
        written_states_;                     ///< so far, by which call of a shared layer and where
    std::map<std::string, int> random_keys_; ///< how many so far, by layer and function
    const LossNames *loss_names_ = nullptr;
    Loss loss_;
    /// Of the network in the loss.
    struct {
        std::optional<std::vector<std::string>> arguments;
        Value result;
    } trained_call_;
    std::map<std::string, TensorValue> fields_;        ///< inputs of a loss so far
    std::map<std::string, SparseValue> matrix_fields_; ///< its sparse arguments so far
};

} // namespace planc::sema
