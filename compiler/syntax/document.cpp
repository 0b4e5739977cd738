#include "syntax/document.h"

#include "support/utf8.h"
#include "syntax/align.h"

#include <cstdint>

namespace planc::syntax {

namespace {

constexpr int indent_step = 4;

enum class Kind : std::uint8_t {
    text,
    comment,
    line,
    soft,
    hard,
    blank_line,
    when_flat,
    when_broken,
    value_stop,
    comment_stop,
    row,
    row_end, ///< in the renderer only
    nest,
    group
};

} // namespace

struct Document::Node {
    Kind kind = Kind::text;
    std::string text;
    Document inner = {};
    bool force = false; ///< a group that holds a line end
    bool body = false;  ///< a group that is a body, or has one: it breaks before those in front of it
};

namespace {

using Node = Document::Node;

int columns(const std::string &text) {
    int n = 0;
    for (std::size_t i = 0; i < text.size(); i += support::decode_utf8(text, i).length)
        ++n;
    return n;
}

struct Command {
    const Node *node;
    int indent;
    bool flat;
};

} // namespace

Document make_document(Node node) {
    Document result;
    result.breaks_ = node.kind == Kind::hard || node.kind == Kind::blank_line || node.inner.breaks_;
    result.body_ = node.body || node.inner.body_;
    result.parts_.push_back(std::make_shared<const Node>(std::move(node)));
    return result;
}

Document::Document(const char *text) : Document(std::string(text)) {}
Document::Document(const std::string &text) {
    *this = make_document({Kind::text, text});
}

Document &Document::operator+=(const Document &other) {
    parts_.insert(parts_.end(), other.parts_.begin(), other.parts_.end());
    breaks_ = breaks_ || other.breaks_;
    body_ = body_ || other.body_;
    return *this;
}

Document line() {
    return make_document({Kind::line, " "});
}
Document soft() {
    return make_document({Kind::soft, ""});
}
Document hard() {
    return make_document({Kind::hard, ""});
}
Document blank_line() {
    return make_document({Kind::blank_line, ""});
}
Document when_flat(const std::string &text) {
    return make_document({Kind::when_flat, text});
}
Document when_broken(const std::string &text) {
    return make_document({Kind::when_broken, text});
}
Document comment(const std::string &text) {
    return make_document({Kind::comment, text});
}
Document trailing_comment(const std::string &text) {
    return make_document({Kind::comment_stop, ""}) + comment("  " + text);
}
Document value_stop() {
    return make_document({Kind::value_stop, ""});
}
Document row(const Document &inner) {
    return make_document({Kind::row, "", inner});
}
Document nest(const Document &inner) {
    return make_document({Kind::nest, "", inner});
}
Document group(const Document &inner) {
    return make_document({Kind::group, "", inner, inner.breaks_, inner.body_});
}
Document body_group(const Document &inner) {
    return make_document({Kind::group, "", inner, inner.breaks_, true});
}

namespace {

const Node row_end{Kind::row_end, ""};

/// Lays out commands line by line; the next command is at the top of the stack.
class Renderer {
  public:
    explicit Renderer(int width) : width_(width) {}

    void push(const std::vector<std::shared_ptr<const Node>> &parts, int indent, bool flat) {
        for (auto part = parts.rbegin(); part != parts.rend(); ++part)
            stack_.push_back({part->get(), indent, flat});
    }

    template <class Parts> std::string run(Parts parts_of) {
        while (!stack_.empty()) {
            const Command command = stack_.back();
            stack_.pop_back();
            step(command, parts_of);
        }
        out_.erase(out_.find_last_not_of(" \n") + 1);
        return align(out_, std::move(rows_));
    }

  private:
    template <class Parts> void step(const Command &command, Parts parts_of) {
        const Node &node = *command.node;
        switch (node.kind) {
        case Kind::text:
            write(node.text);
            break;
        case Kind::comment:
            out_ += node.text;
            break;
        case Kind::line:
        case Kind::soft:
            command.flat ? write(node.text) : break_line(command.indent, 1);
            break;
        case Kind::hard:
            break_line(command.indent, 1);
            break;
        case Kind::blank_line:
            break_line(command.indent, 2);
            break;
        case Kind::when_flat:
            write(command.flat ? node.text : "");
            break;
        case Kind::when_broken:
            write(command.flat ? "" : node.text);
            break;
        case Kind::value_stop:
        case Kind::comment_stop:
            if (!command.flat && !open_rows_.empty())
                (node.kind == Kind::value_stop ? open_rows_.back().value : open_rows_.back().comment) = here();
            break;
        case Kind::row:
            begin_row(command);
            push(parts_of(node.inner), command.indent, command.flat);
            break;
        case Kind::row_end:
            end_row();
            break;
        case Kind::nest:
            push(parts_of(node.inner), command.indent + indent_step, command.flat);
            break;
        case Kind::group:
            push(parts_of(node.inner), command.indent, !node.force && fits(node, command.indent, parts_of));
            break;
        }
    }

    [[nodiscard]] Stop here() const { return {out_.size(), column_}; }

    /// A row that shares its line with other text is not aligned.
    void begin_row(const Command &command) {
        if (command.flat)
            return;
        open_rows_.push_back({line_, command.indent, {}, {}});
        stack_.push_back({&row_end, 0, false});
    }
    void end_row() {
        if (open_rows_.back().line == line_)
            rows_.push_back(open_rows_.back());
        open_rows_.pop_back();
    }

    void write(const std::string &text) {
        out_ += text;
        column_ += columns(text);
    }

    void break_line(int indent, std::size_t count) {
        out_.erase(out_.find_last_not_of(' ') + 1);
        out_.append(count, '\n').append(static_cast<std::size_t>(indent), ' ');
        column_ = indent;
        line_ += static_cast<int>(count);
    }

    /// Whether the group, flat, and everything after it up to the next possible line end would fit on this line.
    template <class Parts> bool fits(const Node &group, int indent, Parts parts_of) const {
        std::vector<Command> ahead{{&group, indent, true}};
        std::size_t behind = stack_.size();
        int room = width_ - column_;
        while (room >= 0) {
            if (ahead.empty()) {
                if (behind == 0)
                    return true;
                ahead.push_back(stack_[--behind]);
            }
            const Command command = ahead.back();
            ahead.pop_back();
            const Node &node = *command.node;
            const bool breaks = node.kind == Kind::hard || node.kind == Kind::blank_line ||
                                (!command.flat && (node.kind == Kind::line || node.kind == Kind::soft));
            if (breaks)
                return true;
            if (node.kind == Kind::nest || node.kind == Kind::group || node.kind == Kind::row) {
                const bool breakable = node.force || (node.body && !command.flat);
                const bool flat = node.kind == Kind::group ? !breakable : command.flat;
                const auto &parts = parts_of(node.inner);
                for (auto part = parts.rbegin(); part != parts.rend(); ++part)
                    ahead.push_back({part->get(), command.indent, flat});
            } else if (node.kind != Kind::comment && !(node.kind == Kind::when_broken && command.flat) &&
                       !(node.kind == Kind::when_flat && !command.flat)) {
                room -= columns(node.text);
            }
        }
        return false;
    }

    int width_;
    int line_ = 0;
    int column_ = 0;
    std::string out_;
    std::vector<Command> stack_;
    std::vector<Row> rows_;      ///< done, each on one line
    std::vector<Row> open_rows_; ///< innermost last
};

} // namespace

std::string Document::render(int width) const {
    Renderer renderer(width);
    renderer.push(parts_, 0, false);
    const std::string out = renderer.run([](const Document &document) -> const auto & { return document.parts_; });
    return out.empty() ? out : out + '\n';
}

} // namespace planc::syntax
