#include "support/source.h"

#include <algorithm>
#include <stdexcept>

namespace planc::support {

FileId SourceFiles::add(std::string path, std::string text) {
    SourceFile file{std::move(path), std::move(text), {0}};
    for (std::size_t i = 0; i < file.text.size(); ++i) {
        if (file.text[i] == '\n')
            file.line_starts.push_back(static_cast<std::int32_t>(i + 1));
    }
    files_.push_back(std::move(file));
    return count() - 1;
}

const SourceFile &SourceFiles::file(FileId id) const {
    if (id < 0 || id >= count())
        throw std::out_of_range("no source file " + std::to_string(id));
    return files_[static_cast<std::size_t>(id)];
}

LineColumn SourceFiles::locate(FileId id, std::int32_t offset) const {
    const SourceFile &source = file(id);
    offset = std::clamp(offset, 0, static_cast<std::int32_t>(source.text.size()));
    const auto next = std::upper_bound(source.line_starts.begin(), source.line_starts.end(), offset);
    const auto line = static_cast<int>(next - source.line_starts.begin());
    return {line, offset - *std::prev(next) + 1};
}

std::string_view SourceFiles::line(FileId id, int line) const {
    const SourceFile &source = file(id);
    if (line < 1 || line > static_cast<int>(source.line_starts.size()))
        return {};
    const auto begin = static_cast<std::size_t>(source.line_starts[static_cast<std::size_t>(line - 1)]);
    std::string_view text = std::string_view(source.text).substr(begin);
    text = text.substr(0, text.find('\n'));
    if (text.ends_with('\r'))
        text.remove_suffix(1);
    return text;
}

std::string_view SourceFiles::text(SourceRange range) const {
    if (range.file < 0)
        return {};
    const std::string_view all = file(range.file).text;
    const auto size = static_cast<std::int32_t>(all.size());
    const auto begin = std::clamp(range.begin, 0, size);
    const auto end = std::clamp(range.end, begin, size);
    return all.substr(static_cast<std::size_t>(begin), static_cast<std::size_t>(end - begin));
}

} // namespace planc::support
