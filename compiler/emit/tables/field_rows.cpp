#include "emit/tables/field_rows.h"

#include "emit/names/text.h"

#include <algorithm>

namespace planc::emit {

namespace {

std::string part_name(sema::Field::Part part) {
    switch (part) {
    case sema::Field::Part::label:
        return "label";
    case sema::Field::Part::coarse_label:
        return "coarse_label";
    case sema::Field::Part::pixels:
        break;
    }
    return "pixels";
}

std::string augmentation(const sema::Augmentation &augmentation) {
    if (!augmentation.any())
        return "{}";
    return std::string("{") + (augmentation.flip ? "true" : "false") + ", " + std::to_string(augmentation.padding) +
           "}";
}

std::string drawn(const sema::Drawn &drawn) {
    constexpr const char *kinds[] = {"automatic", "normal", "uniform", "bernoulli", "tokens"};
    if (drawn.kind == sema::Drawn::Kind::automatic)
        return "{}";
    return std::string("{planrt::Draw::") + kinds[static_cast<std::size_t>(drawn.kind)] + ", " +
           number(drawn.parameter) + "}";
}

} // namespace

std::string FieldRows::classes(const std::string &field) const {
    const auto bound = info_.bounds.find(field);
    if (bound == info_.bounds.end())
        return "0";
    const auto ignored = info_.ignored.find(field);
    const std::string count = std::to_string(bound->second);
    return ignored == info_.ignored.end() ? count : "{" + count + ", " + std::to_string(ignored->second) + "}";
}

std::string FieldRows::row(const std::string &name, const std::string &tensor, bool training, int role) {
    const InputProduct product = input_product(name);
    const auto found = std::ranges::find(info_.data.fields, product.field, &sema::Field::name);
    const sema::Field field = found == info_.data.fields.end() ? sema::Field() : *found;
    const bool by_trees = product.hops >= 0;
    std::vector<std::string> members{string_literal(!by_trees           ? name
                                                    : product.entries() ? product.matrix
                                                                        : product.field),
                                     tensor,
                                     string_literal(field.file),
                                     std::to_string(field.first_column),
                                     std::to_string(field.last_column),
                                     number(field.affine.scale),
                                     number(field.affine.shift),
                                     classes(product.matrix.empty() ? product.field : name),
                                     field.channels.empty() ? "{}" : channels(field),
                                     training ? augmentation(field.augmentation) : "{}",
                                     "planrt::CifarPart::" + part_name(field.part),
                                     drawn(field.drawn)};
    const std::string file = matrices_.file_of(product.field);
    const std::string factor = matrices_.file_of(product.matrix);
    if (by_trees)
        members.insert(members.end(),
                       {std::to_string(role), file, factor, boolean(product.mean), std::to_string(product.hops),
                        boolean(product.entries()), std::to_string(info_.sampled_vertices)});
    else if (file != "nullptr" || factor != "nullptr") {
        members.insert(members.end(), {std::to_string(role), file});
        if (factor != "nullptr")
            members.insert(members.end(), {factor, product.mean ? "true" : "false"});
    } else if (role > 0)
        members.push_back(std::to_string(role));
    else if (field.part == sema::Field::Part::pixels && members.back() == "{}") // what a row ends with by itself
        members.resize(members.size() - 2);
    while (members.back() == "{}")
        members.pop_back();
    return "{" + joined(members) + "}";
}

std::vector<std::string> FieldRows::hops(const std::vector<std::string> &inputs) const {
    std::vector<std::string> rows(info_.fanout.size());
    for (const std::string &name : inputs)
        if (const InputProduct product = input_product(name); product.hops >= 0 && !product.matrix.empty()) {
            const auto hop = static_cast<std::size_t>(product.sampled_hop() - 1);
            rows[hop] = braces({matrices_.file_of(product.matrix), std::to_string(info_.fanout[hop])});
        }
    return rows;
}

std::string FieldRows::channels(const sema::Field &field) {
    std::vector<std::string> rows;
    for (const sema::Affine &channel : field.channels)
        rows.push_back("{" + joined({number(channel.scale), number(channel.shift)}) + "}");
    std::string &name = names_[joined(rows)];
    if (name.empty()) {
        name = "channels_" + std::to_string(names_.size());
        arrays_ += wrapped("constexpr planrt::Affine " + name + "[] = {", rows, "};\n\n", 4);
    }
    return name;
}

} // namespace planc::emit
