#include "data/formats/compressed_file.h"

#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

namespace planrt {

CompressedFile::CompressedFile(const std::string &path) : path_(path), file_(nullptr) {
    struct stat status{};
    if (stat(path.c_str(), &status) == 0 && S_ISDIR(status.st_mode))
        errno = EISDIR;
    else
        file_ = gzopen(path.c_str(), "rb");
    if (file_ == nullptr && errno == ENOENT)
        throw MissingFile(text("cannot read %s: %s", path.c_str(), std::strerror(errno)));
    if (file_ == nullptr)
        throw Failure(text("cannot read %s: %s", path.c_str(), std::strerror(errno)));
    gzbuffer(file_, 1 << 18);
}

CompressedFile::~CompressedFile() {
    if (file_ != nullptr)
        gzclose(file_);
}

std::size_t CompressedFile::read(void *bytes, std::size_t count) {
    char *next = static_cast<char *>(bytes);
    std::size_t done = 0;
    while (done < count) {
        const auto wanted = static_cast<unsigned>(std::min<std::size_t>(count - done, 1 << 30));
        const int got = gzread(file_, next + done, wanted);
        int code = Z_OK;
        const char *words = gzerror(file_, &code);
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
            throw Failure(text("%s: %s", path_.c_str(),
                               code == Z_ERRNO       ? std::strerror(errno)
                               : code == Z_BUF_ERROR ? "the gzip data end too early"
                                                     : words));
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
    }
    return done;
}

} // namespace planrt
