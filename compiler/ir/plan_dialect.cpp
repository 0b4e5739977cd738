#include "ir/plan_dialect.h"

#include "mlir/IR/DialectImplementation.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

#include "ir/plan_dialect.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "ir/plan_attributes.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "ir/plan_types.cpp.inc"

namespace planc::ir {

using mlir::ArrayAttr;
using mlir::ArrayRef;
using mlir::AsmParser;
using mlir::AsmPrinter;
using mlir::Attribute;
using mlir::failure;
using mlir::LogicalResult;
using mlir::SmallVector;
using mlir::SmallVectorImpl;
using mlir::StringAttr;
using mlir::StringRef;
using mlir::success;
using mlir::Type;

void PlanDialect::initialize() {
    addAttributes<
#define GET_ATTRDEF_LIST
#include "ir/plan_attributes.cpp.inc"
        >();
    addTypes<
#define GET_TYPEDEF_LIST
#include "ir/plan_types.cpp.inc"
        >();
    addOperations<
#define GET_OP_LIST
#include "ir/plan_ops.cpp.inc"
        >();
}

namespace {

// Roles may end in a prime ("hidden'"), which is not an MLIR identifier: such names are printed quoted.
bool is_identifier(StringRef name) {
    if (name.empty() || (!llvm::isAlpha(name.front()) && name.front() != '_'))
        return false;
    return llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

void print_name(AsmPrinter &printer, StringRef name) {
    if (is_identifier(name))
        printer << name;
    else
        printer << '"' << name << '"';
}

LogicalResult parse_name(AsmParser &parser, StringAttr &name) {
    std::string text;
    if (failed(parser.parseKeywordOrString(&text)))
        return failure();
    name = StringAttr::get(parser.getContext(), text);
    return success();
}

void print_names(AsmPrinter &printer, ArrayRef<StringAttr> names) {
    printer << '[';
    llvm::interleaveComma(names, printer, [&](StringAttr name) { print_name(printer, name); });
    printer << ']';
}

LogicalResult parse_names(AsmParser &parser, SmallVectorImpl<StringAttr> &names) {
    return parser.parseCommaSeparatedList(AsmParser::Delimiter::Square,
                                          [&] { return parse_name(parser, names.emplace_back()); });
}

SmallVector<StringAttr> names_of(ArrayAttr names) {
    return llvm::map_to_vector(names, [](Attribute name) { return mlir::cast<StringAttr>(name); });
}

} // namespace

/// The words for the parts of windows, by planrt::WindowPart.
static constexpr StringRef window_parts[] = {"in", "before", "within", "behind"};

/// Parses nothing, or "in 16 windows of 3 stride 2 dilation 1 padding 1". For a part of what the windows touch,
/// "before", "within" or "behind" takes the place of "in".
static LogicalResult parse_window(AsmParser &parser, mlir::DenseI64ArrayAttr &attribute) {
    attribute = LayoutAttr::windowAttribute(parser.getContext(), std::nullopt);
    const auto *const part =
        llvm::find_if(window_parts, [&](StringRef word) { return succeeded(parser.parseOptionalKeyword(word)); });
    if (part == std::end(window_parts))
        return success();
    planrt::Window window;
    window.part = static_cast<planrt::WindowPart>(part - std::begin(window_parts));
    const llvm::SMLoc location = parser.getCurrentLocation();
    if (failed(parser.parseInteger(window.positions)))
        return failure();
    if (succeeded(parser.parseOptionalKeyword("rows"))) {
        if (failed(parser.parseKeyword("of")) || failed(parser.parseKeyword("matrix")) ||
            failed(parser.parseInteger(window.matrix)) || failed(parser.parseKeyword("cut")) ||
            failed(parser.parseKeyword("by")) || failed(parser.parseInteger(window.row_cuts)))
            return failure();
        window.addends = succeeded(parser.parseOptionalKeyword("addends"));
        if (window.positions < 1 || window.matrix == 0 || window.row_cuts < 1)
            return parser.emitError(location, "rows and the axes that cut them are at least 1, the matrix is not 0");
        attribute = LayoutAttr::windowAttribute(parser.getContext(), window);
        return success();
    }
    window.transposed = succeeded(parser.parseOptionalKeyword("transposed"));
    if (failed(parser.parseKeyword("windows")) || failed(parser.parseKeyword("of")) ||
        failed(parser.parseInteger(window.kernel)) || failed(parser.parseKeyword("stride")) ||
        failed(parser.parseInteger(window.stride)) || failed(parser.parseKeyword("dilation")) ||
        failed(parser.parseInteger(window.dilation)) || failed(parser.parseKeyword("padding")) ||
        failed(parser.parseInteger(window.padding)))
        return failure();
    if (window.positions < 1 || window.kernel < 1 || window.stride < 1 || window.dilation < 1 || window.padding < 0)
        return parser.emitError(location, "windows, their extent, stride and dilation are at least 1, padding 0");
    attribute = LayoutAttr::windowAttribute(parser.getContext(), window);
    return success();
}

mlir::DenseI64ArrayAttr LayoutAttr::windowAttribute(mlir::MLIRContext *context,
                                                    const planrt::Boxed<planrt::Window> &window) {
    SmallVector<int64_t> numbers;
    if (window)
        numbers = {window->positions,
                   window->kernel,
                   window->stride,
                   window->dilation,
                   window->padding,
                   window->transposed ? 1 : 0,
                   static_cast<int64_t>(window->part),
                   window->matrix,
                   window->row_cuts,
                   window->addends ? 1 : 0};
    return mlir::DenseI64ArrayAttr::get(context, numbers);
}

std::optional<planrt::Window> LayoutAttr::windowOf(mlir::DenseI64ArrayAttr attribute) {
    const ArrayRef<int64_t> numbers = attribute.asArrayRef();
    if (numbers.empty())
        return std::nullopt;
    return planrt::Window{numbers[0],
                          numbers[1],
                          numbers[2],
                          numbers[3],
                          numbers[4],
                          numbers[5] != 0,
                          static_cast<planrt::WindowPart>(numbers[6]),
                          static_cast<int>(numbers[7]),
                          static_cast<int>(numbers[8]),
                          numbers[9] != 0};
}

// --- #plan.layout -------------------------------------------------------------------------------------------------

void LayoutAttr::print(AsmPrinter &printer) const {
    printer << '<';
    StringRef separator = "";
    for (auto [role, axes, window] : llvm::zip(getRoles(), getAxes(), getWindows())) {
        printer << separator;
        print_name(printer, role);
        printer << " = ";
        print_names(printer, names_of(axes));
        if (const auto moving = windowOf(window))
            printer << ' ' << window_parts[static_cast<int>(moving->part)] << ' ' << moving->positions;
        if (const auto moving = windowOf(window); moving && moving->matrix != 0)
            printer << " rows of matrix " << moving->matrix << " cut by " << moving->row_cuts
                    << (moving->addends ? " addends" : "");
        else if (moving)
            printer << (moving->transposed ? " transposed" : "") << " windows of " << moving->kernel << " stride "
                    << moving->stride << " dilation " << moving->dilation << " padding " << moving->padding;
        separator = ", ";
    }
    if (!getPartial().empty()) {
        printer << separator << "partial " << getReduction().getValue() << " = ";
        print_names(printer, getPartial());
        separator = ", ";
    }
    if (!getStored().empty()) {
        printer << separator << "stored by ";
        print_names(printer, getStored());
    }
    printer << '>';
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
    SmallVector<StringAttr> roles;
    SmallVector<ArrayAttr> axes;
    SmallVector<StringAttr> partial;
    SmallVector<StringAttr> stored;
    SmallVector<mlir::DenseI64ArrayAttr> windows;
    StringAttr reduction = StringAttr::get(parser.getContext(), "sum");
    const auto entry = [&]() -> LogicalResult {
        StringAttr role;
        if (failed(parse_name(parser, role)))
            return failure();
        // So has "stored by […]"; a dimension of the role "stored" is followed by '='.
        if (role.getValue() == "stored" && succeeded(parser.parseOptionalKeyword("by")))
            return parse_names(parser, stored);
        StringRef operation;
        // "partial sum = […]" has a second word; a dimension of the role "partial" has none.
        const bool is_partial = role.getValue() == "partial" && succeeded(parser.parseOptionalKeyword(&operation));
        SmallVector<StringAttr> names;
        if (failed(parser.parseEqual()) || failed(parse_names(parser, names)))
            return failure();
        if (is_partial) {
            if (operation != "sum" && operation != "max" && operation != "min")
                return parser.emitError(parser.getCurrentLocation(), "expected sum, max or min");
            reduction = StringAttr::get(parser.getContext(), operation);
            partial = names;
            return success();
        }
        roles.push_back(role);
        axes.push_back(ArrayAttr::get(parser.getContext(), SmallVector<Attribute>(names.begin(), names.end())));
        return parse_window(parser, windows.emplace_back());
    };
    if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, entry)))
        return {};
    return LayoutAttr::get(parser.getContext(), roles, axes, partial, reduction, stored, windows);
}

// --- #plan.mesh ---------------------------------------------------------------------------------------------------

void MeshAttr::print(AsmPrinter &printer) const {
    const planrt::Mesh mesh = getMesh();
    printer << '<';
    llvm::interleaveComma(llvm::enumerate(getNames()), printer, [&](auto axis) {
        print_name(printer, axis.value());
        const std::string size = planrt::size_text(mesh, static_cast<int>(axis.index()));
        printer << ": " << size;
        if (size.front() == '[') {
            printer << " along ";
            print_name(printer, getNames()[static_cast<size_t>(mesh.uneven_along)]);
        }
    });
    printer << '>';
}

Attribute MeshAttr::parse(AsmParser &parser, Type) {
    SmallVector<StringAttr> names;
    SmallVector<SmallVector<int>> sizes; // of each axis: one, or one by position
    StringAttr along;
    const auto size = [&]() -> LogicalResult {
        if (failed(parser.parseInteger(sizes.back().emplace_back())))
            return failure();
        if (sizes.back().back() < 1)
            return parser.emitError(parser.getCurrentLocation(), "a mesh axis has at least one rank");
        return success();
    };
    const auto axis = [&]() -> LogicalResult {
        if (failed(parse_name(parser, names.emplace_back())) || failed(parser.parseColon()))
            return failure();
        sizes.emplace_back();
        if (failed(parser.parseOptionalLSquare()))
            return size();
        return LogicalResult(success(succeeded(parser.parseCommaSeparatedList(size)) &&
                                     succeeded(parser.parseRSquare()) && succeeded(parser.parseKeyword("along")) &&
                                     succeeded(parse_name(parser, along))));
    };
    if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, axis)))
        return {};
    planrt::Mesh mesh;
    if (!along) {
        for (const SmallVector<int> &own : sizes)
            mesh.sizes.push_back(own.front());
        return MeshAttr::get(parser.getContext(), names, mesh);
    }
    const auto stages = static_cast<size_t>(llvm::find(names, along) - names.begin());
    const auto is_wrong = [&](const SmallVector<int> &own) {
        return own.size() > 1 && static_cast<int>(own.size()) != sizes[stages].front();
    };
    if (stages == names.size() || sizes[stages].size() > 1 || llvm::any_of(sizes, is_wrong)) {
        parser.emitError(parser.getCurrentLocation(),
                         "a mesh axis has one size, or one for each position along an axis with one size");
        return {};
    }
    std::vector<std::vector<int>> sizes_at(static_cast<size_t>(sizes[stages].front()));
    for (auto [position, at] : llvm::enumerate(sizes_at))
        for (auto [index, own] : llvm::enumerate(sizes))
            at.push_back(index == stages ? 1 : own.size() == 1 ? own.front() : own[position]);
    return MeshAttr::get(parser.getContext(), names,
                         planrt::uneven_mesh(static_cast<int>(stages), std::move(sizes_at)));
}

MeshAttr MeshAttr::get(mlir::MLIRContext *context, ArrayRef<StringAttr> names, const planrt::Mesh &mesh) {
    const SmallVector<int64_t> sizes(mesh.sizes.begin(), mesh.sizes.end());
    SmallVector<int64_t> sizes_at;
    for (const std::vector<int> &own : mesh.sizes_at)
        sizes_at.append(own.begin(), own.end());
    return Base::get(context, names, sizes, mesh.uneven_along, sizes_at);
}

planrt::Mesh MeshAttr::getMesh() const {
    const auto ints = [](ArrayRef<int64_t> sizes) { return std::vector<int>(sizes.begin(), sizes.end()); };
    planrt::Mesh mesh{ints(getSizes()), getUnevenAlong(), {}};
    for (ArrayRef<int64_t> rest = getSizesAt(); !rest.empty(); rest = rest.drop_front(mesh.sizes.size()))
        mesh.sizes_at.push_back(ints(rest.take_front(mesh.sizes.size())));
    return mesh;
}

// --- #plan.strategy -----------------------------------------------------------------------------------------------

void StrategyAttr::print(AsmPrinter &printer) const {
    printer << '<';
    llvm::interleaveComma(llvm::zip(getLoops(), getAxes()), printer, [&](auto rule) {
        print_name(printer, std::get<0>(rule));
        printer << " -> ";
        print_name(printer, std::get<1>(rule));
    });
    printer << '>';
}

Attribute StrategyAttr::parse(AsmParser &parser, Type) {
    SmallVector<StringAttr> loops;
    SmallVector<StringAttr> axes;
    const auto rule = [&]() -> LogicalResult {
        return LogicalResult(success(succeeded(parse_name(parser, loops.emplace_back())) &&
                                     succeeded(parser.parseArrow()) &&
                                     succeeded(parse_name(parser, axes.emplace_back()))));
    };
    if (failed(parser.parseCommaSeparatedList(AsmParser::Delimiter::LessGreater, rule)))
        return {};
    return StrategyAttr::get(parser.getContext(), loops, axes);
}

// --- #plan.init ---------------------------------------------------------------------------------------------------

void InitializerAttr::print(AsmPrinter &printer) const {
    printer << '<' << getKind().getValue() << ", ";
    printer.printAttributeWithoutType(getA());
    printer << ", ";
    printer.printAttributeWithoutType(getB());
    printer << '>';
}

Attribute InitializerAttr::parse(AsmParser &parser, Type) {
    StringRef kind;
    double a = 0;
    double b = 0;
    if (failed(parser.parseLess()))
        return {};
    const llvm::SMLoc location = parser.getCurrentLocation();
    if (failed(parser.parseKeyword(&kind)) || failed(parser.parseComma()) || failed(parser.parseFloat(a)) ||
        failed(parser.parseComma()) || failed(parser.parseFloat(b)) || failed(parser.parseGreater()))
        return {};
    if (kind != "constant" && kind != "uniform" && kind != "normal") {
        parser.emitError(location, "expected constant, uniform or normal");
        return {};
    }
    mlir::Builder builder(parser.getContext());
    return InitializerAttr::get(parser.getContext(), builder.getStringAttr(kind), builder.getF64FloatAttr(a),
                                builder.getF64FloatAttr(b));
}

// --- !plan.tensor -------------------------------------------------------------------------------------------------

void TensorType::print(AsmPrinter &printer) const {
    printer << '<';
    for (auto [role, extent] : llvm::zip(getRoles(), getExtents())) {
        print_name(printer, role);
        printer << ": " << extent << ", ";
    }
    printer << getElementType();
    if (getLayout())
        printer << ", " << getLayout();
    printer << '>';
}

Type TensorType::parse(AsmParser &parser) {
    SmallVector<StringAttr> roles;
    SmallVector<int64_t> extents;
    Type element;
    LayoutAttr layout;
    if (failed(parser.parseLess()))
        return {};
    while (true) {
        // A dimension is a name and a colon; the element type is a type: f32, f64, i32.
        const mlir::OptionalParseResult type = parser.parseOptionalType(element);
        if (type.has_value()) {
            if (failed(*type))
                return {};
            break;
        }
        if (failed(parse_name(parser, roles.emplace_back())) || failed(parser.parseColon()) ||
            failed(parser.parseInteger(extents.emplace_back())) || failed(parser.parseComma()))
            return {};
    }
    if (succeeded(parser.parseOptionalComma()) && failed(parser.parseAttribute(layout)))
        return {};
    if (failed(parser.parseGreater()))
        return {};
    return parser.getChecked<TensorType>(parser.getContext(), roles, extents, element, layout);
}

LogicalResult TensorType::verify(llvm::function_ref<mlir::InFlightDiagnostic()> error, ArrayRef<StringAttr> roles,
                                 ArrayRef<int64_t> extents, Type element, LayoutAttr layout) {
    if (!element.isF32() && !element.isF64() && !element.isSignlessInteger(32))
        return error() << "element type " << element << " is none of f32, f64, i32";
    llvm::SmallDenseSet<StringAttr> seen;
    for (auto [role, extent] : llvm::zip(roles, extents)) {
        if (extent < 1)
            return error() << "dimension " << role << " has extent " << extent;
        if (!seen.insert(role).second)
            return error() << "dimension " << role << " appears twice";
    }
    if (!layout)
        return success();
    llvm::SmallDenseSet<StringAttr> used;
    for (auto [role, axes] : llvm::zip(layout.getRoles(), layout.getAxes())) {
        if (!seen.contains(role))
            return error() << "layout cuts " << role << ", which is not a dimension of the tensor";
        for (StringAttr axis : names_of(axes))
            if (!used.insert(axis).second)
                return error() << "mesh axis " << axis << " is used twice in one layout";
    }
    const bool windowed = llvm::any_of(layout.getWindows(), [](mlir::DenseI64ArrayAttr w) { return !w.empty(); });
    if (windowed && !(layout.getPartial().empty() && layout.getStored().empty()))
        return error() << "a tensor with windows can be neither partial nor stored in shares";
    for (StringAttr axis : llvm::concat<const StringAttr>(layout.getPartial(), layout.getStored()))
        if (!used.insert(axis).second)
            return error() << "mesh axis " << axis << " is used twice in one layout";
    return success();
}

int64_t TensorType::find(StringRef role) const {
    for (auto [index, candidate] : llvm::enumerate(getRoles()))
        if (candidate.getValue() == role)
            return static_cast<int64_t>(index);
    return -1;
}

int64_t TensorType::elements() const {
    int64_t product = 1;
    for (int64_t extent : getExtents())
        product *= extent;
    return product;
}

TensorType TensorType::withLayout(LayoutAttr layout) const {
    return TensorType::get(getContext(), getRoles(), getExtents(), getElementType(), layout);
}

} // namespace planc::ir
