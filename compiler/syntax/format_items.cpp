// Bodies, lists, and the comments and blank lines between their items.
#include "syntax/formatter.h"
#include "syntax/print.h"

#include <algorithm>
#include <utility>

namespace planc::syntax {

Formatter::Formatter(const File &file, const support::SourceFiles &files)
    : file_(file), text_(files.file(file.file).text) {}

const Comment *Formatter::comment_before(std::int32_t offset) const {
    if (next_comment_ == file_.comments.size() || file_.comments[next_comment_].where.begin >= offset)
        return nullptr;
    return &file_.comments[next_comment_];
}

std::string Formatter::take_comment() {
    const SourceRange where = file_.comments[next_comment_++].where;
    return std::string(
        text_.substr(static_cast<std::size_t>(where.begin), static_cast<std::size_t>(where.end - where.begin)));
}

void Formatter::hoist_before(std::int32_t offset) {
    while (comment_before(offset))
        hoisted_.push_back(take_comment());
}

int Formatter::line_ends(std::int32_t begin, std::int32_t end) const {
    int count = 0;
    for (auto i = static_cast<std::size_t>(begin); i < static_cast<std::size_t>(end); ++i) {
        const bool lone_return = text_[i] == '\r' && (i + 1 == text_.size() || text_[i + 1] != '\n');
        if (text_[i] == '\n' || lone_return)
            ++count;
    }
    return count;
}

/// A body stays on one line if the user wrote it on one.
Document Formatter::body(SourceRange braces, const Entries &entries) {
    hoist_before(braces.begin);
    const Comment *first = comment_before(braces.end);
    if (entries.empty() && !first)
        return "{}";
    if (line_ends(braces.begin, braces.end) == 0)
        return inline_body(entries);
    Document out = "{";
    std::int32_t begin = braces.begin + 1;
    if (first && line_ends(begin, first->where.begin) == 0) {
        begin = first->where.end;
        out += comment("  " + take_comment());
    }
    const Document inner = items(entries, begin, braces.end);
    if (!inner.empty())
        out += nest(hard() + inner);
    return out + hard() + "}";
}

Document Formatter::inline_body(const Entries &entries) {
    Document inner;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        inner += line() + row(entries[i].print());
        if (i + 1 < entries.size())
            inner += when_flat(";");
    }
    return body_group("{" + nest(inner) + line() + "}");
}

void Formatter::start_line(Document &out, std::int32_t begin, std::int32_t last_end) {
    if (last_end >= 0)
        out += line_ends(last_end, begin) > 1 ? blank_line() : hard();
}

/// Items with their comments, from byte `begin` of the file to byte `end`.
Document Formatter::items(const Entries &entries, std::int32_t begin, std::int32_t end) {
    Document out;
    std::int32_t last_end = -1;
    for (std::size_t i = 0; i < entries.size(); ++i) {
        while (const Comment *own = comment_before(entries[i].where.begin)) {
            start_line(out, std::max(begin, own->where.begin), last_end);
            last_end = own->where.end;
            out += comment(take_comment());
        }
        Document printed = item(out, entries[i], last_end);
        const std::int32_t next = i + 1 < entries.size() ? entries[i + 1].where.begin : end;
        if (const Comment *trailing = comment_before(next);
            trailing && line_ends(last_end, trailing->where.begin) == 0) {
            last_end = trailing->where.end;
            printed += trailing_comment(take_comment());
        }
        out += row(printed);
    }
    while (const Comment *own = comment_before(end)) {
        start_line(out, own->where.begin, last_end);
        last_end = own->where.end;
        out += comment(take_comment());
    }
    return out;
}

/// The item itself. Comments above it have been printed already.
Document Formatter::item(Document &out, const Entry &entry, std::int32_t &last_end) {
    auto outer = std::exchange(hoisted_, {});
    Document printed = entry.print();
    hoist_before(entry.where.end);
    start_line(out, entry.where.begin, last_end);
    for (const std::string &above : hoisted_)
        out += comment(above) + hard();
    last_end = entry.where.end;
    hoisted_ = std::move(outer);
    return printed;
}

/// `open a, b close` on one line, or an item a line, with its comments.
Document Formatter::list(const char *open, const char *close, SourceRange where, const Entries &entries) {
    hoist_before(where.begin);
    Document rows;
    Document item; // the last one, to which a comment may come
    bool after_comment = false;
    const auto separator = [&](const Document &otherwise) { return after_comment ? hard() : otherwise; };
    const auto finish_row = [&] {
        if (!item.empty())
            rows += row(std::exchange(item, {}));
    };
    std::int32_t last_end = where.end;
    const auto comments_before = [&](std::int32_t offset) {
        while (const Comment *next = comment_before(offset)) {
            const bool trailing = next->where.begin >= last_end && line_ends(last_end, next->where.begin) == 0;
            last_end = next->where.end;
            if (trailing)
                item += trailing_comment(take_comment());
            finish_row();
            if (!trailing)
                rows += hard() + comment(take_comment());
            after_comment = true;
        }
        finish_row();
    };
    for (std::size_t i = 0; i < entries.size(); ++i) {
        comments_before(entries[i].where.begin);
        rows += separator(i == 0 ? soft() : line());
        item = entries[i].print() + (i + 1 < entries.size() ? Document(",") : when_broken(","));
        after_comment = false;
        last_end = entries[i].where.end;
    }
    comments_before(where.end);
    if (rows.empty())
        return Document(open) + close;
    return group(open + nest(rows) + separator(soft()) + close);
}

Document Formatter::file() {
    Entries entries;
    for (const Declaration &one : file_.declarations) {
        const SourceRange where = std::visit([](const auto &node) { return node.where; }, one);
        entries.push_back({where, [this, &one] { return declaration(one); }});
    }
    return items(entries, 0, static_cast<std::int32_t>(text_.size()) + 1);
}

std::string format(const File &file, const support::SourceFiles &files) {
    constexpr int width = 120;
    return Formatter(file, files).file().render(width);
}

} // namespace planc::syntax
