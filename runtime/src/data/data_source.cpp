#include "data/data_source.h"

#include <unistd.h>

#include <cstring>

namespace planrt {

std::string DataSource::path(const char *file) const {
    if (file[0] == '/' && !replaced)
        return file;
    const std::string below = directory + "/" + file;
    const char *slash = std::strrchr(file, '/');
    if (!replaced || slash == nullptr || access(below.c_str(), F_OK) == 0)
        return below;
    const std::string directly = directory + slash;
    return access(directly.c_str(), F_OK) == 0 ? directly : below;
}

DataSource data_source(const DataSet &set, const std::string &replacement) {
    return {set, replacement.empty() ? std::string(set.directory) : replacement, !replacement.empty()};
}

} // namespace planrt
