#include "syntax/build.h"

namespace planc::syntax {

DimensionItem Builder::dimension(Grammar::DimensionContext &context) {
    DimensionItem result;
    result.where = where(context);
    if (context.name())
        result.name = name(*context.name());
    if (context.DOTS())
        result.kind = context.name() ? DimensionItem::Kind::spread : DimensionItem::Kind::rest;
    result.extent = expression_pointer(context.expression());
    return result;
}

Type Builder::type(Grammar::TypeContext &context) {
    Type result;
    result.where = where(context);
    if (context.name())
        result.word = name(*context.name());
    if (context.dimensionList()) {
        result.tensor = true;
        for (auto *child : context.dimensionList()->dimension())
            result.dimensions.push_back(dimension(*child));
    }
    return result;
}

Parameter Builder::parameter(Grammar::ParameterContext &context) {
    return {name(*context.name()), type(*context.type()), expression_pointer(context.expression()), where(context)};
}

Block Builder::block(Grammar::BlockContext &context) {
    Block result;
    if (tree_.bodies.contains(&context))
        result.push_back({where(context), Binding{}});
    for (auto *child : context.statement())
        if (!attempt(*child, [&] { result.push_back(statement(*child)); }))
            result.push_back({places_.range(*child->start), Binding{bound_names(*child), nullptr}});
    return result;
}

Statement Builder::statement(Grammar::StatementContext &context) {
    Statement result;
    result.where = where(context);
    if (context.conditional()) {
        result.node = conditional(*context.conditional());
    } else if (context.RETURN()) {
        result.node = Return{expression_pointer(context.expression())};
    } else if (context.YIELD()) {
        result.node = Yield{expression_pointer(context.expression())};
    } else if (auto *declared = context.parameterDeclaration()) {
        result.node = ParameterDeclaration{declared->PARAM() != nullptr, name(*declared->name()),
                                           type(*declared->type()), expression_pointer(declared->expression())};
    } else if (auto *shared = context.sharedLayer()) {
        Expression layer;
        layer.where = where(*shared->name(1));
        layer.where.end = result.where.end;
        layer.node = Call{name(*shared->name(1)), arguments(*shared->arguments())};
        result.node = SharedLayer{name(*shared->name(0)), std::make_unique<Expression>(std::move(layer))};
    } else {
        Binding bound{{}, expression_pointer(context.binding()->expression())};
        for (auto *child : context.binding()->name())
            bound.names.push_back(name(*child));
        result.node = std::move(bound);
    }
    return result;
}

Conditional Builder::conditional(Grammar::ConditionalContext &context) {
    Conditional result;
    result.condition = expression_pointer(context.expression());
    result.then = block(*context.block(0));
    result.then_braces = where(context.block(0));
    if (auto *next = context.conditional()) {
        Statement nested;
        nested.where = where(*next);
        nested.node = conditional(*next);
        result.otherwise.push_back(std::move(nested));
    } else if (context.ELSE()) {
        result.otherwise = block(*context.block(1));
        result.otherwise_braces = where(context.block(1));
    }
    return result;
}

} // namespace planc::syntax
