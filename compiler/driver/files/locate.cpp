#include "driver/files/locate.h"

#include <filesystem>
#include <string_view>

namespace planc::driver {

Installation locate_installation() {
    std::error_code error;
    std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        executable = std::filesystem::current_path(error) / "bin" / "planc";
    const std::filesystem::path prefix = executable.parent_path().parent_path();
    return {(prefix / "include").string(), (prefix / "lib").string(), (prefix / "share/planc/stdlib").string()};
}

std::string Installation::path_of(const std::string &file) const {
    constexpr std::string_view standard = "std/";
    std::error_code error;
    if (!file.starts_with(standard) || std::filesystem::exists(file, error))
        return file;
    return stdlib + "/" + file.substr(standard.size());
}

} // namespace planc::driver
