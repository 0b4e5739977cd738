#include "support/checksum.h"

#include "support/failure.h"
#include "support/file.h"

#include <zlib.h>

#include <algorithm>
#include <vector>

namespace planrt {

void Checksum::add(const void *bytes, std::size_t count) {
    sum_ = crc32_z(sum_, static_cast<const Bytef *>(bytes), count);
}

void Checksum::add(const InputFile &file, std::uint64_t begin) {
    std::vector<char> piece(1 << 20);
    for (std::uint64_t at = begin; at < file.size(); at += piece.size()) {
        const std::size_t count = std::min<std::uint64_t>(piece.size(), file.size() - at);
        file.read(at, piece.data(), count);
        add(piece.data(), count);
    }
}

std::string Checksum::digits() const {
    return text("%08lx", sum_);
}

std::string checksum_of_file(const std::string &path) {
    Checksum sum;
    sum.add(InputFile(path), 0);
    return sum.digits();
}

} // namespace planrt
