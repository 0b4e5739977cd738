#include "sema/names/library.h"

#include "syntax/parse.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace planc::sema {
namespace {

namespace filesystem = std::filesystem;

/// The .plan files of a folder and those below it, relative to it.
std::vector<std::string> plan_files(const filesystem::path &folder, bool below) {
    std::vector<std::string> files;
    std::error_code error;
    filesystem::recursive_directory_iterator entries(folder, error);
    for (const filesystem::recursive_directory_iterator end; !error && entries != end; entries.increment(error)) {
        if (!below)
            entries.disable_recursion_pending();
        if (entries->path().extension() == ".plan")
            files.push_back(entries->path().lexically_relative(folder).string());
    }
    std::sort(files.begin(), files.end());
    return files;
}

void add_callables(const std::string &path, const std::string &import, std::map<std::string, std::string> &all) {
    std::ostringstream text;
    text << std::ifstream(path, std::ios::binary).rdbuf();
    support::SourceFiles files;
    support::Diagnostics ignored(files);
    const auto file = syntax::parse_what_is_well_formed(files.add(path, text.str()), files, ignored);
    for (const syntax::Declaration &declaration : file->declarations)
        if (const auto *callable = std::get_if<syntax::CallableDeclaration>(&declaration))
            all.emplace(callable->name.text, import);
}

} // namespace

const std::map<std::string, std::string> &library_callables(const Context &context) {
    static std::map<std::string, std::map<std::string, std::string>> known; // by directory: it does not change
    const std::string &directory = context.options.stdlib_directory;
    const auto [entry, fresh] = known.try_emplace(directory);
    if (fresh && !directory.empty())
        for (const std::string &file : plan_files(directory, true))
            add_callables(directory + "/" + file, "std/" + file, entry->second);
    return entry->second;
}

std::string nearest_import(const std::string &import, const std::string &beside, const Context &context) {
    std::vector<std::string> candidates;
    if (!context.options.stdlib_directory.empty())
        for (const std::string &file : plan_files(context.options.stdlib_directory, true)) {
            candidates.push_back("std/" + file);
            const filesystem::path path(file);
            if (filesystem::path(import).filename() == path.filename() || import + ".plan" == candidates.back() ||
                import + ".plan" == path.filename())
                return candidates.back();
        }
    const filesystem::path folder = filesystem::path(beside).parent_path();
    const filesystem::path written = filesystem::path(import).parent_path();
    if (!import.starts_with("std/"))
        for (const std::string &file : plan_files(folder.empty() ? filesystem::path(".") : folder, false))
            candidates.push_back((written / file).string());
    return support::nearest(import, candidates);
}

} // namespace planc::sema
