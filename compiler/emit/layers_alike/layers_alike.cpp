#include "emit/layers_alike/layers_alike.h"

#include "emit/names/text.h"

#include <algorithm>
#include <optional>
#include <span>

namespace planc::emit {

namespace {

/// The longest common path of the layers: "stage[1].block[2]" for "stage[1].block[2].conv1" and
/// "stage[1].block[2].conv2"; for a single layer, its name.
std::string common_layer(std::span<const Statement> statements) {
    std::string common = statements.front().layer;
    for (const Statement &statement : statements.subspan(1))
        while (!common.empty() && statement.layer != common && !statement.layer.starts_with(common + ".")) {
            const std::size_t dot = common.rfind('.');
            common.erase(dot == std::string::npos ? 0 : dot);
        }
    return common;
}

/// Numbers the keys of the statements: equal keys have equal numbers.
std::vector<int> kinds(const std::vector<Statement> &statements) {
    std::map<std::string, int> numbers;
    std::vector<int> result;
    for (const Statement &statement : statements)
        result.push_back(numbers.try_emplace(statement.key(), static_cast<int>(numbers.size())).first->second);
    return result;
}

/// The approximate number of lines of each statement.
std::vector<int> lines(const std::vector<Statement> &statements) {
    constexpr std::ptrdiff_t width = 110;
    std::vector<int> result;
    for (const Statement &statement : statements) {
        const std::string text = statement.comment + LayersAlike::alone(statement);
        const auto length = static_cast<std::ptrdiff_t>(text.size());
        result.push_back(static_cast<int>(std::max(std::count(text.begin(), text.end(), '\n'), length / width + 1)));
    }
    return result;
}

/// The best blocks are exactly one layer each; the deeper its name, the better.
std::vector<Repeat> repeats(const std::vector<Statement> &statements) {
    return find_repeats(kinds(statements), lines(statements), [&](std::size_t begin, std::size_t period) {
        const std::string layer = common_layer(std::span(statements).subspan(begin, period));
        return layer.empty() ? 0 : static_cast<int>(std::count(layer.begin(), layer.end(), '.')) + 1;
    });
}

std::string replaced(std::string text, const std::string &part, const std::string &by) {
    for (std::size_t at = 0; !part.empty() && (at = text.find(part, at)) != std::string::npos; at += by.size())
        text.replace(at, part.size(), by);
    return text;
}

/// One function for layers alike, and its calls.
class Block {
  public:
    Block(std::span<const Statement> statements, const Repeat &repeat, std::string argument, bool named)
        : statements_(statements.subspan(repeat.begin, repeat.period * repeat.count)), period_(repeat.period),
          count_(repeat.count), argument_(std::move(argument)), named_(named) {
        name_layers();
        for (std::size_t s = 0; s < period_; ++s)
            for (std::size_t h = 0; h < statements_[s].holes().size(); ++h)
                uses_.push_back(use_of(s, h));
    }

    [[nodiscard]] const std::string &layer() const { return layers_.front(); }

    /// Equal for blocks that can share a function.
    [[nodiscard]] std::string key() const {
        std::string key;
        for (std::size_t s = 0; s < period_; ++s)
            key += statements_[s].key() + "\n";
        for (const Use &use : uses_)
            key += std::to_string(use.column) + " " + std::to_string(use.distance) + " " + use.constant + "\n";
        for (const Column &column : columns_)
            key += column.text ? "t" : "n";
        return key;
    }

    std::string definition(const std::string &name, const std::string &parameter, UniqueNames unique) {
        std::string before;
        const std::vector<std::string> names = column_names(unique);
        std::vector<std::string> parameters{parameter, "[[maybe_unused]] const char *layer"};
        for (std::size_t i = 0; i < columns_.size(); ++i) {
            parameters.push_back((columns_[i].text ? "const char *" : "int64_t ") + names[i]);
            if (columns_[i].is_place)
                before += described(names[i], *columns_[i].first) + "\n";
        }
        std::string places;
        const std::vector<std::string> fillings = fill(names, unique, places);
        std::string body;
        auto filling = fillings.begin();
        for (const Statement &statement : statements_.first(period_)) {
            const auto end = filling + static_cast<std::ptrdiff_t>(statement.holes().size());
            body += statement.comment + statement.text({filling, end});
            filling = end;
        }
        const std::string head = "void " + name + "(";
        return "// " + comment(layer()) + " and layers alike\n" + before +
               wrapped(head, parameters, ") {\n", head.size()) + places + body + "}\n\n";
    }

    /// A table with a row for each of the layers, and the loop over it.
    std::string calls(const std::string &function, UniqueNames &unique) {
        UniqueNames members(std::set<std::string>{"layer"});
        const std::vector<std::string> names = column_names(members);
        const std::string rows = unique.add("rows");
        std::string text = "    // " + comment(layer()) + " to " + comment(layers_.back()) + "\n" +
                           "    static constexpr struct {\n        const char *layer;\n";
        for (const bool texts : {false, true}) {
            std::vector<std::string> those;
            for (std::size_t i = 0; i < columns_.size(); ++i)
                if (columns_[i].text == texts)
                    those.push_back((texts ? "*" : "") + names[i]);
            if (!those.empty())
                text += wrapped(texts ? "        const char " : "        int64_t ", those, ";\n", 16);
        }
        text += "    } " + rows + "[] = {\n";
        for (std::size_t r = 0; r < count_; ++r)
            text += "        {" + joined(row(r)) + "},\n";
        std::vector<std::string> arguments{argument_, "row.layer"};
        for (const std::string &name : names)
            arguments.push_back("row." + name);
        return text + "    };\n    for (const auto &row : " + rows + ")\n" +
               wrapped("        " + function + "(", arguments, ");\n", 12);
    }

  private:
    /// A column of the table: what differs from row to row.
    struct Column {
        bool text = false;
        bool is_place = false;
        std::vector<std::int64_t> numbers; ///< one a row
        std::vector<std::string> texts;
        const Hole *first = nullptr; ///< the hole that made it
    };
    /// The content of one hole: a constant, or a column and the distance from it.
    struct Use {
        const Hole *hole = nullptr;
        int column = -1;
        std::int64_t distance = 0;
        std::string constant;
    };

    [[nodiscard]] std::vector<std::string> row(std::size_t number) const {
        std::vector<std::string> cells{string_literal(layers_[number])};
        for (const bool texts : {false, true})
            for (const Column &column : columns_)
                if (column.text == texts)
                    cells.push_back(texts ? string_literal(column.texts[number])
                                          : std::to_string(column.numbers[number]));
        return cells;
    }

    /// Names each row after its layer, or after its first layer if it is not exactly one.
    void name_layers() {
        for (std::size_t r = 0; r < count_; ++r) {
            const auto statements = statements_.subspan(r * period_, period_);
            const std::string common = common_layer(statements);
            layers_.push_back(common.empty() ? statements.front().layer : common);
        }
    }

    Use use_of(std::size_t statement, std::size_t hole) {
        std::vector<const Hole *> holes;
        for (std::size_t r = 0; r < count_; ++r)
            holes.push_back(&statements_[r * period_ + statement].holes()[hole]);
        return holes.front()->kind == Hole::Kind::text ? use_of_texts(holes) : use_of_numbers(holes);
    }

    Use use_of_numbers(const std::vector<const Hole *> &holes) {
        const Hole &first = *holes.front();
        std::vector<std::int64_t> numbers;
        for (const Hole *hole : holes)
            numbers.push_back(hole->number);
        const bool constant = std::ranges::all_of(numbers, [&](std::int64_t n) { return n == first.number; });
        // The place of a temporary is a parameter even if it is constant, because the function may serve other layers,
        // whose temporaries lie elsewhere.
        if (constant && first.kind != Hole::Kind::place)
            return {&first, -1, 0, first.name};
        for (std::size_t c = 0; c < columns_.size(); ++c) {
            const Column &column = columns_[c];
            if (column.text || column.first->kind != first.kind)
                continue;
            const std::int64_t distance = first.number - column.numbers.front();
            bool same = true;
            for (std::size_t r = 0; r < count_; ++r)
                same = same && numbers[r] - column.numbers[r] == distance;
            if (same)
                return {&first, static_cast<int>(c), distance, ""};
        }
        columns_.push_back({false, first.kind != Hole::Kind::number, numbers, {}, &first});
        return {&first, static_cast<int>(columns_.size()) - 1, 0, ""};
    }

    Use use_of_texts(const std::vector<const Hole *> &holes) {
        const Hole &first = *holes.front();
        std::vector<std::string> texts;
        std::vector<std::string> patterns;
        for (std::size_t r = 0; r < count_; ++r) {
            texts.push_back(holes[r]->text);
            patterns.push_back(replaced(texts.back(), layers_[r], "%"));
        }
        const auto same = [](const std::vector<std::string> &all) {
            return std::ranges::all_of(all, [&](const std::string &each) { return each == all.front(); });
        };
        if (same(texts))
            return {&first, -1, 0, first.name};
        if (named_ && same(patterns))
            return {&first, -1, 0, argument_ + ".in_layer(" + string_literal(patterns.front()) + ", layer)"};
        for (std::size_t c = 0; c < columns_.size(); ++c)
            if (columns_[c].text && columns_[c].texts == texts)
                return {&first, static_cast<int>(c), 0, ""};
        columns_.push_back({true, false, {}, texts, &first});
        return {&first, static_cast<int>(columns_.size()) - 1, 0, ""};
    }

    std::vector<std::string> column_names(UniqueNames &unique) const {
        std::vector<std::string> names;
        for (const Column &column : columns_)
            names.push_back(unique.add(within_layer(column.first->title, layer())));
        return names;
    }

    static std::string described(const std::string &name, const Hole &hole) {
        return "//   " + name + ": " + comment(hole.title + " " + hole.shape);
    }

    /// The texts for all holes; `places`: definitions of the places that lie at a distance from a column.
    std::vector<std::string> fill(const std::vector<std::string> &names, UniqueNames &unique, std::string &places) {
        std::map<std::pair<int, std::int64_t>, std::string> known;
        std::vector<std::string> fillings;
        for (const Use &use : uses_) {
            if (use.column < 0) {
                fillings.push_back(use.constant);
                continue;
            }
            const std::string &column = names[static_cast<std::size_t>(use.column)];
            const std::string shifted = use.distance == 0 ? column
                                                          : column + (use.distance < 0 ? " - " : " + ") +
                                                                std::to_string(std::abs(use.distance));
            if (use.distance == 0 || use.hole->kind == Hole::Kind::number) {
                fillings.push_back(shifted);
                continue;
            }
            std::string &name = known[{use.column, use.distance}];
            if (name.empty()) {
                name = unique.add(within_layer(use.hole->title, layer()));
                const std::string line = "    const int64_t " + name + " = " + shifted + ";";
                const std::string what = "// " + comment(use.hole->title + " " + use.hole->shape);
                places += line.size() + 1 + what.size() <= 120 ? line + " " + what + "\n"
                                                               : "    " + what + "\n" + line + "\n";
            }
            fillings.push_back(name);
        }
        return fillings;
    }

    std::span<const Statement> statements_; ///< of all rows
    std::size_t period_;
    std::size_t count_;
    std::string argument_;
    bool named_;
    std::vector<std::string> layers_; ///< one a row
    std::vector<Column> columns_;
    std::vector<Use> uses_; ///< of the holes of the first row's statements, in order
};

} // namespace

bool LayersAlike::any(const std::vector<Statement> &statements) {
    return !repeats(statements).empty();
}

std::string LayersAlike::alone(const Statement &statement) {
    std::vector<std::string> fillings;
    for (const Hole &hole : statement.holes())
        fillings.push_back(hole.name);
    return statement.text(fillings);
}

std::string LayersAlike::write(const std::vector<Statement> &statements, const std::string &what) {
    std::string text;
    UniqueNames tables;
    std::size_t next = 0;
    const auto write_alone = [&](std::size_t end) {
        for (; next < end; ++next)
            text += statements[next].comment + alone(statements[next]);
    };
    for (const Repeat &repeat : repeats(statements)) {
        write_alone(repeat.begin);
        Block block(statements, repeat, argument_, named_);
        std::string &function = names_[block.key()];
        if (function.empty()) {
            function = functions_.add("layers like " + block.layer() + " " + what);
            UniqueNames locals = functions_;
            (void)locals.add("layer");
            (void)locals.add(argument_);
            definitions_ += block.definition(function, parameter_, std::move(locals));
        }
        text += block.calls(function, tables);
        next = repeat.begin + repeat.period * repeat.count;
    }
    write_alone(statements.size());
    return text;
}

} // namespace planc::emit
