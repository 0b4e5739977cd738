#include "support/overlay.h"

#include <filesystem>

namespace planc::support {

std::string identity_of(const std::string &path) {
    namespace filesystem = std::filesystem;
    std::error_code error;
    const filesystem::path absolute = filesystem::absolute(path, error);
    if (error)
        return path;
    const filesystem::path canonical = filesystem::weakly_canonical(absolute, error);
    return error ? path : canonical.string();
}

} // namespace planc::support
