#include "driver/files/locate.h"

#include <algorithm>
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

std::string Installation::path_of_machine(const std::string &name) const {
    std::error_code error;
    const std::string file = path_of(name);
    if (std::filesystem::exists(file, error) || (name.ends_with(".plan") && file == name))
        return file;
    const std::string of_library = stdlib + "/machines/" + name + ".plan";
    return std::filesystem::exists(of_library, error) ? of_library : "";
}

std::vector<std::string> Installation::machines() const {
    std::vector<std::string> names;
    std::error_code error;
    for (const auto &entry : std::filesystem::directory_iterator(stdlib + "/machines", error))
        if (entry.path().extension() == ".plan")
            names.push_back(entry.path().stem().string());
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace planc::driver
