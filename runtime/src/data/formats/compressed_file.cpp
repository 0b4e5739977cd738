#include "data/formats/compressed_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <new>
#include <string_view>

namespace planrt {

CompressedFile::CompressedFile(const std::string &path) : path_(path), file_(nullptr) {
    const int descriptor = open_regular(path);
    file_ = gzdopen(descriptor, "rb");
    if (file_ == nullptr) {
        ::close(descriptor);
        throw std::bad_alloc();
    }
    struct stat status{};
    if (fstat(descriptor, &status) == 0)
        size_ = static_cast<std::uint64_t>(status.st_size);
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
        const auto wanted = static_cast<unsigned>(std::min<std::size_t>(count - done, 1 << 24));
        const int got = gzread(file_, next + done, wanted);
        int code = Z_OK;
        const char *words = gzerror(file_, &code);
        if (std::string_view(words).starts_with("<fd:")) // zlib's name for the file
            words = std::strstr(words, ": ") != nullptr ? std::strstr(words, ": ") + 2 : words;
        if (got < 0 || (code != Z_OK && code != Z_STREAM_END))
            throw Failure(text("%s: %s", path_.c_str(),
                               code == Z_ERRNO       ? std::strerror(errno)
                               : code == Z_BUF_ERROR ? "the gzip data end too early"
                                                     : words));
        if (got == 0)
            break;
        done += static_cast<std::size_t>(got);
        unpacked_ += static_cast<std::uint64_t>(got);
        check_unpacked();
    }
    return done;
}

void CompressedFile::check_unpacked() const {
    if (unpacked_ > most_unpacked && unpacked_ / most_ratio > size_ && gzdirect(file_) == 0)
        throw Failure(
            text("%s: unpacks to more than %llu times its %llu bytes; if that is meant, unpack it with gunzip",
                 path_.c_str(), static_cast<unsigned long long>(most_ratio), static_cast<unsigned long long>(size_)));
}

} // namespace planrt
