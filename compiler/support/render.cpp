// Diagnostics as text (E1), in the manner of clang.
#include "support/diagnostics.h"
#include "support/utf8.h"

namespace planc::support {

namespace {

constexpr int tab_width = 4;
constexpr int longest_line = 160; ///< columns of a source line that are shown

const char *word(Severity severity) {
    switch (severity) {
    case Severity::error:
        return "error";
    case Severity::warning:
        return "warning";
    case Severity::note:
        return "note";
    }
    return "error";
}

/// A source line as a terminal can show it, and the column of every byte (and one more for the line's end).
struct Shown {
    std::string text;
    std::vector<int> column;
};

Shown show(std::string_view line) {
    Shown shown;
    int column = 0;
    for (std::size_t i = 0; i < line.size();) {
        const Utf8 character = decode_utf8(line, i);
        const int from = column;
        if (line[i] == '\t') {
            column += tab_width - column % tab_width;
            shown.text.append(static_cast<std::size_t>(column - from), ' ');
        } else {
            const bool printable = character.valid && character.code >= 0x20 && character.code != 0x7f;
            shown.text += printable ? line.substr(i, character.length) : std::string_view("?");
            column += 1;
        }
        shown.column.insert(shown.column.end(), character.length, from);
        i += character.length;
    }
    shown.column.push_back(column);
    return shown;
}

/// Cuts a very long line to the columns around the caret. Text and marks then both start with "...".
void shorten(std::string &text, std::string &marks, int caret) {
    const auto length = [](std::string_view s) {
        int n = 0;
        for (std::size_t i = 0; i < s.size(); i += decode_utf8(s, i).length)
            ++n;
        return n;
    };
    if (length(text) <= longest_line)
        return;
    const int first = std::max(0, caret - longest_line / 2);
    std::string part;
    int column = 0;
    for (std::size_t i = 0; i < text.size();) {
        const auto bytes = decode_utf8(text, i).length;
        if (column >= first && column < first + longest_line)
            part += text.substr(i, bytes);
        ++column;
        i += bytes;
    }
    const std::string dots = first > 0 ? "..." : "";
    text = dots + part + (first + longest_line < column ? "..." : "");
    marks = std::string(dots.size(), ' ') + marks.substr(static_cast<std::size_t>(first));
    marks = marks.substr(0, longest_line + dots.size());
}

/// "^~~~" below bytes [begin, end) of a line, at least one mark wide.
std::string underline(const Shown &shown, std::size_t begin, std::size_t end) {
    const int first = shown.column[begin];
    const int last = std::max(first + 1, shown.column[end]);
    return std::string(static_cast<std::size_t>(first), ' ') + '^' +
           std::string(static_cast<std::size_t>(last - first - 1), '~');
}

bool is_place(const SourceFiles &files, SourceRange where) {
    return where.file >= 0 && where.file < files.count();
}

/// "digits.plan:13:28: error: unknown name 'hiden'"
void render_message(std::string &out, const SourceFiles &files, Severity severity, SourceRange where,
                    std::string_view text) {
    if (is_place(files, where)) {
        const LineColumn start = files.locate(where.file, where.begin);
        out.append(files.file(where.file).path).append(":").append(std::to_string(start.line)).append(":");
        out.append(std::to_string(start.column));
    } else {
        out.append("planc");
    }
    out.append(": ").append(word(severity)).append(": ").append(text) += '\n';
}

/// The line of a place, and the marks below it.
void render_line(std::string &out, const SourceFiles &files, SourceRange where) {
    if (!is_place(files, where))
        return;
    const LineColumn start = files.locate(where.file, where.begin);
    const std::string_view line = files.line(where.file, start.line);
    Shown shown = show(line);
    const auto begin = std::min(static_cast<std::size_t>(start.column - 1), line.size());
    // A range over several lines is marked to the end of its first line.
    const auto end = std::min(begin + static_cast<std::size_t>(std::max(0, where.end - where.begin)), line.size());
    std::string marks = underline(shown, begin, end);
    shorten(shown.text, marks, shown.column[begin]);
    out.append("    ").append(shown.text) += '\n';
    out.append("    ").append(marks) += '\n';
}

void render_diagnostic(std::string &out, const SourceFiles &files, const Diagnostic &diagnostic) {
    render_message(out, files, diagnostic.kind->severity, diagnostic.where, diagnostic.text);
    render_line(out, files, diagnostic.where);
    for (const Note &note : diagnostic.notes) {
        // A note without a place of its own is about the place just shown.
        const SourceRange where = is_place(files, note.where) ? note.where : diagnostic.where;
        render_message(out, files, Severity::note, where, note.text);
        render_line(out, files, note.where);
    }
}

} // namespace

std::string Diagnostics::render() const {
    std::string out;
    int errors = 0;
    for (const Diagnostic *diagnostic : sorted()) {
        if (diagnostic->kind->severity == Severity::error && ++errors > most_errors)
            continue;
        render_diagnostic(out, files_, *diagnostic);
    }
    if (errors > most_errors)
        out += "planc: note: and " + std::to_string(errors - most_errors) + " more " +
               (errors == most_errors + 1 ? "error" : "errors") + '\n';
    return out;
}

} // namespace planc::support
