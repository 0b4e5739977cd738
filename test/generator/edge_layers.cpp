#include "edge_layers.h"

namespace planc::test {

EdgeLayers::Sides EdgeLayers::sides(bool heads) {
    const Value x = any();
    const GraphMatrix matrix = matrix_over(rows_of(x));
    const Value y = at(any(), matrix.rows);
    Dimensions features;
    if (heads)
        features.push_back({"head", random_.whole(1, 3)});
    features.push_back({"part", random_.whole(1, 3)});
    const auto side = [&](const std::string &stem, const Value &value) {
        Dimensions dimensions = features;
        dimensions.insert(dimensions.begin(), value.dimensions.front());
        std::string outputs;
        for (const Dimension &dimension : features)
            outputs += (outputs.empty() ? "" : ", ") + word(dimension);
        return bind(stem, "dense(" + value.name + ", [" + outputs + "])", dimensions);
    };
    const Value rows = side("q", y);
    return {matrix, rows, random_.chance(0.3) && matrix.is_square() ? rows : side("k", x)};
}

std::string EdgeLayers::number_of(const Value &x) {
    Dimensions dimensions(x.dimensions.begin() + 1, x.dimensions.end());
    const std::string w = parameter(dimensions);
    dimensions.pop_back();
    dimensions.insert(dimensions.begin(), x.dimensions.front());
    return bind("n", "einsum(" + x.name + ", " + w + " -> " + names(dimensions) + ")", dimensions).name;
}

std::string EdgeLayers::scores(const Sides &sides) {
    const std::string &a = sides.matrix.name;
    std::string text;
    switch (random_.whole(0, 4)) {
    case 0:
    case 1:
        text = "sddmm(" + a + ", " + sides.rows.name + ", " + sides.columns.name + ")";
        break;
    case 2:
        text = "sddmm(" + a + ", " + sides.rows.name + ", " + sides.columns.name + ") * edges(" + a + ")";
        break;
    default: {
        const std::string s = number_of(sides.rows);
        const std::string t = number_of(sides.columns);
        text = s + random_.pick<std::string>({" + ", " * "}) + "columns_of(" + a + ", " + t + ")";
    }
    }
    const std::string e = bind("e", text, {}).name;
    switch (random_.whole(0, 3)) {
    case 0:
        return smooth(e);
    case 1:
        return "select(" + e + " > 0, " + e + ", 0.2 * " + e + ")";
    default:
        return e;
    }
}

std::string EdgeLayers::weights(const Sides &sides) {
    const std::string &a = sides.matrix.name;
    const std::string e = scores(sides);
    const std::string softmax = "edge_softmax(" + a + ", " + e + ")";
    switch (random_.whole(0, 8)) {
    case 0:
        return e;
    case 1:
        return smooth(e);
    case 2:
        return "0.5 * edges(" + a + ")";
    case 3:
        return "dropout(" + softmax + ", rate = 0.3)";
    case 4: // of what is itself a softmax
        return "edge_softmax(" + a + ", 2.0 * " + softmax + ")";
    case 5: { // a share of what all rows have of the column
        const std::string part = bind("e", "square(" + e + ") * edges(" + a + ")", {}).name;
        return part + " / (1 + square(reduce_sum(" + part + ", over = [" + sides.matrix.rows + "])))";
    }
    default:
        return softmax;
    }
}

/// Heads are joined to one dimension.
void EdgeLayers::keep_flat(const std::string &expression, Dimensions dimensions) {
    if (dimensions.size() == 2)
        return keep("z", expression, dimensions);
    const Value y = bind("y", expression, dimensions);
    const Dimension flat{"hidden", dimensions[1].extent * dimensions[2].extent};
    keep("z", "reshape(" + y.name + ", [" + dimensions[0].role + ", " + word(flat) + "])",
         shape(dimensions[0].role, flat));
}

void EdgeLayers::attended() {
    const Sides both = sides(random_.chance(0.5));
    Dimensions dimensions = both.columns.dimensions;
    dimensions.front() = declared(both.matrix.rows);
    const std::string all = weights(both);
    keep_flat("spmm(" + both.matrix.name + ", " + both.columns.name + ", weights = " + all + ")", dimensions);
}

void EdgeLayers::weighted_largest() {
    const Sides both = sides(random_.chance(0.3));
    Dimensions dimensions = both.columns.dimensions;
    dimensions.front() = declared(both.matrix.rows);
    const std::string all = weights(both);
    keep_flat("spmm(" + both.matrix.name + ", " + both.columns.name + ", weights = " + all + ", reduce = max)",
              dimensions);
}

/// A number for each row, by which its features are multiplied.
void EdgeLayers::sums_of_entries() {
    const Sides both = sides(false);
    const std::string columns = both.matrix.columns + (both.matrix.is_square() ? "'" : "");
    const std::string sum =
        "reduce_sum(" + scores(both) + " * edges(" + both.matrix.name + "), over = [" + columns + "])";
    const Value s = bind("i", "tanh(" + sum + ")", {declared(both.matrix.rows)});
    keep("u", both.rows.name + " * " + s.name, both.rows.dimensions);
}

} // namespace planc::test
