#include "driver/locate.h"

#include <filesystem>

namespace planc::driver {

Installation locate_installation() {
    std::error_code error;
    std::filesystem::path executable = std::filesystem::read_symlink("/proc/self/exe", error);
    if (error)
        executable = std::filesystem::current_path(error) / "bin" / "planc";
    const std::filesystem::path prefix = executable.parent_path().parent_path();
    return {(prefix / "include").string(), (prefix / "lib").string(), (prefix / "share/planc/stdlib").string()};
}

} // namespace planc::driver
