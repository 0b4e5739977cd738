// A text as samples: consecutive windows of characters, each character as its index in the sorted list of the
// characters that occur. UTF-8; also gzipped.
#include "data/formats/compressed_file.h"
#include "data/formats/readers.h"
#include "data/formats/vocabulary.h"

#include "support/failure.h"

#include <algorithm>

namespace planrt {

namespace {

std::string read_whole(const std::string &path) {
    CompressedFile file(path);
    std::string content;
    constexpr std::size_t piece = 1 << 20;
    while (true) {
        const std::size_t before = content.size();
        content.resize(before + piece);
        const std::size_t got = file.read(content.data() + before, piece);
        content.resize(before + got);
        if (got < piece)
            return content;
    }
}

void append_windows(const std::string &path, const std::vector<std::int32_t> &tokens, std::int64_t samples,
                    FieldStore &store) {
    const std::int64_t length = store.sample_elements();
    const auto shift = static_cast<std::int64_t>(store.field().shift);
    std::vector<double> window(static_cast<std::size_t>(length));
    std::string reason;
    store.reserve(samples);
    for (std::int64_t sample = 0; sample < samples; ++sample) {
        const auto first = tokens.begin() + sample * length + shift;
        // The store adds the shift to its values, but here the shift counts characters.
        std::transform(first, first + length, window.begin(), [&](std::int32_t token) { return token - shift; });
        if (!store.append(window.data(), reason))
            throw Failure(text("%s: %s: ", path.c_str(), store.field().name) + reason);
    }
}

} // namespace

std::vector<std::int32_t> decode_utf8(const std::string &path, const std::string &content) {
    std::vector<std::int32_t> result;
    result.reserve(content.size());
    for (std::size_t i = 0; i < content.size();) {
        const auto lead = static_cast<unsigned char>(content[i]);
        const std::size_t length = lead < 0x80         ? 1
                                   : (lead >> 5) == 6  ? 2
                                   : (lead >> 4) == 14 ? 3
                                   : (lead >> 3) == 30 ? 4
                                                       : 0;
        std::int32_t point = length == 1 ? lead : lead & (0xFF >> (length + 1));
        bool good = length > 0 && i + length <= content.size();
        for (std::size_t k = 1; good && k < length; ++k) {
            const auto next = static_cast<unsigned char>(content[i + k]);
            good = (next >> 6) == 2;
            point = (point << 6) | (next & 0x3F);
        }
        if (!good)
            throw Failure(text("%s: is not UTF-8 text: no character begins at byte %zu", path.c_str(), i));
        result.push_back(point);
        i += length;
    }
    return result;
}

Vocabulary::Vocabulary(const std::vector<std::int32_t> &characters) : characters_(characters) {
    std::ranges::sort(characters_);
    characters_.erase(std::unique(characters_.begin(), characters_.end()), characters_.end());
}

std::int32_t Vocabulary::index(std::int32_t character) const {
    const auto found = std::ranges::lower_bound(characters_, character);
    return found != characters_.end() && *found == character ? static_cast<std::int32_t>(found - characters_.begin())
                                                             : -1;
}

void read_text(const DataSource &source, const std::string &vocabulary_path, std::vector<FieldStore> &stores) {
    const std::string path = source.path(source.set.path);
    std::vector<std::int32_t> characters = decode_utf8(path, read_whole(path));
    const Vocabulary vocabulary(path == vocabulary_path ? characters
                                                        : decode_utf8(vocabulary_path, read_whole(vocabulary_path)));
    auto samples = static_cast<std::int64_t>(characters.size());
    for (const FieldStore &store : stores) {
        const Field &field = store.field();
        if (field.classes.count > 0 && vocabulary.size() > field.classes.count)
            throw Failure(text("%s: has %lld different characters, but %s is declared with %lld",
                               vocabulary_path.c_str(), static_cast<long long>(vocabulary.size()), field.name,
                               static_cast<long long>(field.classes.count)));
        const auto behind = static_cast<std::int64_t>(characters.size()) - static_cast<std::int64_t>(field.shift);
        samples = std::min(samples, std::max<std::int64_t>(behind, 0) / store.sample_elements());
    }
    if (samples == 0)
        throw Failure(path + ": is too short for one sample");
    for (std::int32_t &character : characters) {
        const std::int32_t token = vocabulary.index(character);
        if (token < 0)
            throw Failure(text("%s: contains the character U+%04X, which %s does not", path.c_str(),
                               static_cast<unsigned>(character), vocabulary_path.c_str()));
        character = token;
    }
    for (FieldStore &store : stores)
        append_windows(path, characters, samples, store);
}

} // namespace planrt
