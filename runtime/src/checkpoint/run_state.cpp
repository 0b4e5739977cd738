#include "checkpoint/run_state.h"

#include "support/failure.h"
#include "support/file.h"

#include <zlib.h>

#include <algorithm>
#include <charconv>
#include <vector>

namespace planrt {

namespace {

constexpr const char *step_key = "planc.step";
constexpr const char *seed_key = "planc.seed";
constexpr const char *batch_key = "planc.batch";
constexpr const char *samples_key = "planc.samples";
constexpr const char *loss_sum_key = "planc.loss_sum";
constexpr const char *loss_count_key = "planc.loss_count";
constexpr const char *checksum_key = "planc.crc32";

template <class Number> void read(const SafetensorsIndex &index, const char *key, const std::string &path, Number &to) {
    const std::string *word = index.word(key);
    if (word == nullptr)
        throw Failure(path + ": is no checkpoint: its header has no " + key);
    const auto [rest, error] = std::from_chars(word->data(), word->data() + word->size(), to);
    if (error != std::errc{} || rest != word->data() + word->size())
        throw Failure(path + ": " + key + ": expected a number, got '" + *word + "'");
}

} // namespace

Metadata metadata_of(const RunState &state) {
    return {{"format", "pt"},
            {step_key, std::to_string(state.step)},
            {seed_key, std::to_string(state.seed)},
            {batch_key, std::to_string(state.batch)},
            {samples_key, std::to_string(state.samples)},
            {loss_sum_key, text("%.17g", state.loss_sum)},
            {loss_count_key, std::to_string(state.loss_count)},
            {checksum_key, std::string(Checksum::length, '0')}};
}

bool is_checkpoint(const SafetensorsIndex &index) {
    return index.word(step_key) != nullptr;
}

RunState read_run_state(const std::string &path) {
    const InputFile file(path);
    const SafetensorsIndex index = read_safetensors_index(file, path);
    RunState state;
    read(index, step_key, path, state.step);
    read(index, seed_key, path, state.seed);
    read(index, batch_key, path, state.batch);
    read(index, samples_key, path, state.samples);
    read(index, loss_sum_key, path, state.loss_sum);
    read(index, loss_count_key, path, state.loss_count);
    return state;
}

void Checksum::add(const void *bytes, std::size_t count) {
    sum_ = crc32_z(sum_, static_cast<const Bytef *>(bytes), count);
}

std::string Checksum::digits() const {
    return text("%08lx", sum_);
}

std::size_t Checksum::place(const std::string &header) {
    const std::string key = std::string("\"") + checksum_key + "\":\"";
    const std::size_t found = header.find(key);
    const std::size_t begin = found + key.size();
    return found == std::string::npos || begin + length > header.size() ? std::string::npos : begin;
}

void verify_checkpoint(const std::string &path) {
    const InputFile file(path);
    const SafetensorsIndex index = read_safetensors_index(file, path);
    std::string header(index.numbers, '\0');
    file.read(0, header.data(), header.size());
    const std::size_t place = Checksum::place(header);
    if (place == std::string::npos)
        throw Failure(path + ": is no checkpoint: it has no checksum");
    const std::string written = header.substr(place, Checksum::length);
    header.replace(place, Checksum::length, Checksum::length, '0');
    Checksum sum;
    sum.add(header.data(), header.size());
    std::vector<char> piece(1 << 20);
    for (std::uint64_t at = index.numbers; at < file.size(); at += piece.size()) {
        const std::size_t count = std::min<std::uint64_t>(piece.size(), file.size() - at);
        file.read(at, piece.data(), count);
        sum.add(piece.data(), count);
    }
    if (sum.digits() != written)
        throw Failure(path + ": is damaged: its checksum is " + sum.digits() + ", written was " + written);
}

} // namespace planrt
