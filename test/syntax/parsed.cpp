#include "parsed.h"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace planc::syntax {

namespace {

std::string place(const support::SourceFiles &files, SourceRange where) {
    const auto at = files.locate(where.file, where.begin);
    return std::to_string(at.line) + ":" + std::to_string(at.column) + ": ";
}

} // namespace

Parsed::Parsed(const std::string &text) {
    file = parse(files.add("test.plan", text), files, diagnostics);
}

std::string Parsed::error() const {
    std::string out;
    for (const auto &diagnostic : diagnostics.all()) {
        out += (out.empty() ? "" : " AND ") + place(files, diagnostic.where) + diagnostic.text;
        for (const auto &note : diagnostic.notes)
            out += " | " + place(files, note.where) + note.text;
    }
    return out;
}

std::string read(const std::filesystem::path &path) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    return text.str();
}

std::vector<std::filesystem::path> plan_files() {
    std::vector<std::filesystem::path> found;
    for (const char *folder : {"examples", "stdlib", "test"}) {
        const auto root = std::filesystem::path(PLANC_SOURCE) / folder;
        for (const auto &entry : std::filesystem::recursive_directory_iterator(root)) {
            if (entry.path().extension() == ".plan" && Parsed(read(entry.path())).file)
                found.push_back(entry.path());
        }
    }
    std::ranges::sort(found);
    return found;
}

} // namespace planc::syntax
