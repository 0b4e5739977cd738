#include "sema/names/imports.h"

#include "sema/names/library.h"
#include "syntax/parse.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace planc::sema {

PLANC_DIAGNOSTIC(cannot_read_file, error, "cannot read '{0}': {1}"); // I2
PLANC_DIAGNOSTIC(import_cycle, error, "'{0}' imports itself");       // I2

namespace {

namespace filesystem = std::filesystem;
constexpr std::size_t longest_read = (1U << 20U) + 1; // a byte more than the parser takes

std::string directory_of(const std::string &path) {
    std::error_code error;
    const filesystem::path absolute = filesystem::absolute(path, error);
    return (error ? filesystem::path(path) : absolute).lexically_normal().parent_path().string();
}

class Loader {
  public:
    explicit Loader(Context &context) : context_(context) {}

    int load(support::FileId id, int importer) {
        const int index = static_cast<int>(units_.size());
        const std::string path = context_.files.file(id).path;
        units_.push_back({id, path, directory_of(path), nullptr, importer, {}});
        identities_.push_back(support::identity_of(path));
        chain_.push_back({index, {}});
        units_[static_cast<std::size_t>(index)].file =
            syntax::parse_what_is_well_formed(id, context_.files, context_.diagnostics);
        // The unit is accessed by index, because units_ grows while the imports are loaded; the file's nodes do not
        // move.
        const syntax::File &file = *at(index).file;
        for (const syntax::Declaration &declaration : file.declarations)
            if (const auto *import = std::get_if<syntax::Import>(&declaration))
                if (!context_.attempt([&] { follow(index, *import); }))
                    at(index).incomplete = true;
        chain_.pop_back();
        return index;
    }

    /// The unit of a file, which may have been loaded before.
    int load_once(const std::string &path, SourceRange where, int importer, const std::string &import = {}) {
        const auto known = std::find(identities_.begin(), identities_.end(), support::identity_of(path));
        return known != identities_.end() ? static_cast<int>(known - identities_.begin())
                                          : load(read_file(path, where, context_, import), importer);
    }

    std::vector<SourceUnit> take() { return std::move(units_); }

  private:
    struct Link {
        int unit;
        SourceRange import; ///< the import that is being followed
    };

    SourceUnit &at(int index) { return units_[static_cast<std::size_t>(index)]; }

    std::string resolve(int importer, const syntax::Import &import) {
        const std::string standard = "std/";
        if (import.path.starts_with(standard))
            return (filesystem::path(context_.options.stdlib_directory) / import.path.substr(standard.size())).string();
        const filesystem::path shown = filesystem::path(at(importer).path).parent_path() / import.path;
        return shown.lexically_normal().string();
    }

    void follow(int importer, const syntax::Import &import) {
        const std::string path = resolve(importer, import);
        chain_.back().import = import.path_where;
        const int index = load_once(path, import.path_where, importer, import.path);
        refuse_cycle(index, import);
        at(importer).imports.push_back(index);
    }

    void refuse_cycle(int index, const syntax::Import &import) {
        const auto begin =
            std::find_if(chain_.begin(), chain_.end(), [&](const Link &link) { return link.unit == index; });
        if (begin == chain_.end())
            return;
        std::vector<Note> notes;
        for (auto link = begin; link + 1 != chain_.end(); ++link)
            notes.push_back({link->import, "by way of this import"});
        context_.fail(import_cycle, import.path_where, {at(index).path}, notes);
    }

    Context &context_;
    std::vector<SourceUnit> units_;
    std::vector<std::string> identities_;
    std::vector<Link> chain_; ///< from the root to the file that is being loaded
};

} // namespace

support::FileId read_file(const std::string &path, SourceRange where, const Context &context,
                          const std::string &import) {
    const support::Overlay *overlay = context.options.overlay;
    if (const std::string *text = overlay ? overlay->find(path) : nullptr)
        return context.files.add(path, *text);
    const std::string shown =
        import.starts_with("std/") ? import : path; // the directory of planc is of no use to the user
    const auto fail = [&](const std::string &reason) {
        const std::string near = import.empty() ? std::string() : nearest_import(import, path, context);
        context.fail(cannot_read_file, where, {shown, reason},
                     near.empty() ? std::vector<Note>{} : std::vector<Note>{hint("did you mean '" + near + "'?")});
    };
    std::error_code error;
    if (filesystem::is_directory(path, error))
        fail("it is a directory");
    errno = 0;
    std::ifstream stream(path, std::ios::binary);
    if (!stream)
        fail(std::strerror(errno != 0 ? errno : EIO));
    std::string text;
    std::array<char, 1U << 16U> chunk{};
    while (stream && text.size() < longest_read) {
        stream.read(chunk.data(), chunk.size());
        text.append(chunk.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad())
        fail(std::strerror(errno != 0 ? errno : EIO));
    return context.files.add(path, std::move(text));
}

LoadedUnits load_units(support::FileId root, Context &context) {
    Loader loader(context);
    loader.load(root, -1);
    LoadedUnits loaded;
    if (const std::string &path = context.options.layout_file; !path.empty())
        context.attempt([&] { loaded.layouts = loader.load_once(path, {}, -1); });
    loaded.units = loader.take();
    return loaded;
}

} // namespace planc::sema
