#include "checkpoint/run_state.h"

#include "support/checksum.h"
#include "support/failure.h"
#include "support/file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace planrt {

namespace {

constexpr const char *step_key = "planc.step";
constexpr const char *seed_key = "planc.seed";
constexpr const char *batch_key = "planc.batch";
constexpr const char *samples_key = "planc.samples";
constexpr const char *loss_sum_key = "planc.loss_sum";
constexpr const char *loss_count_key = "planc.loss_count";
constexpr const char *best_epoch_key = "planc.best_epoch"; // with the next two, once there is such an epoch
constexpr const char *best_accuracy_key = "planc.best_accuracy";
constexpr const char *best_loss_key = "planc.best_loss";
constexpr const char *checksum_key = "planc.crc32";

/// More than any run does, and far from where counting overflows.
constexpr std::int64_t most_steps = std::int64_t{1} << 53;

[[noreturn]] void fail(const std::string &path, const char *key, const std::string &expected, const std::string &got) {
    throw Failure(path + ": " + key + ": expected " + expected + ", got '" + got + "'");
}

template <class Number> void read(const SafetensorsIndex &index, const char *key, const std::string &path, Number &to) {
    const std::string *word = index.word(key);
    if (word == nullptr)
        throw Failure(path + ": is not a checkpoint: its header has no " + key);
    const auto [rest, error] = std::from_chars(word->data(), word->data() + word->size(), to);
    if (error != std::errc{} || rest != word->data() + word->size())
        fail(path, key, "a number", *word);
}

/// Rejects a state that no run can have written, even if the checksum is right.
void check(const RunState &state, const std::string &path) {
    const auto within = [&path](const char *key, std::int64_t number, std::int64_t least, std::int64_t most) {
        if (number < least || number > most)
            fail(path, key,
                 text("a number from %lld to %lld", static_cast<long long>(least), static_cast<long long>(most)),
                 std::to_string(number));
    };
    within(step_key, state.step, 0, most_steps);
    within(batch_key, state.batch, 1, most_steps);
    within(samples_key, state.samples, state.batch, most_steps);
    within(loss_count_key, state.loss_count, 0, std::min(state.step, state.samples / state.batch));
    const auto finite = [&path](const char *key, double number) {
        if (!std::isfinite(number))
            fail(path, key, "a finite number", text("%g", number));
    };
    finite(loss_sum_key, state.loss_sum);
    within(best_epoch_key, state.best.epoch, 0, state.step);
    finite(best_accuracy_key, state.best.accuracy);
    finite(best_loss_key, state.best.loss);
}

} // namespace

Metadata metadata_of(const RunState &state) {
    Metadata all = {{"format", "pt"},
                    {step_key, std::to_string(state.step)},
                    {seed_key, std::to_string(state.seed)},
                    {batch_key, std::to_string(state.batch)},
                    {samples_key, std::to_string(state.samples)},
                    {loss_sum_key, text("%.17g", state.loss_sum)},
                    {loss_count_key, std::to_string(state.loss_count)}};
    if (state.best.epoch > 0) {
        all.emplace_back(best_epoch_key, std::to_string(state.best.epoch));
        all.emplace_back(best_accuracy_key, text("%.17g", state.best.accuracy));
        all.emplace_back(best_loss_key, text("%.17g", state.best.loss));
    }
    all.emplace_back(checksum_key, std::string(Checksum::length, '0'));
    return all;
}

bool is_checkpoint(const SafetensorsIndex &index) {
    return index.word(step_key) != nullptr;
}

bool has_best_epoch(const SafetensorsIndex &index) {
    return index.word(best_epoch_key) != nullptr;
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
    if (has_best_epoch(index)) {
        read(index, best_epoch_key, path, state.best.epoch);
        read(index, best_accuracy_key, path, state.best.accuracy);
        read(index, best_loss_key, path, state.best.loss);
    }
    check(state, path);
    return state;
}

std::size_t checksum_place(const std::string &header) {
    const std::string key = std::string("\"") + checksum_key + "\":\"";
    const std::size_t found = header.find(key);
    const std::size_t begin = found + key.size();
    return found == std::string::npos || begin + Checksum::length > header.size() ? std::string::npos : begin;
}

void verify_checkpoint(const std::string &path) {
    const InputFile file(path);
    const SafetensorsIndex index = read_safetensors_index(file, path);
    std::string header(index.numbers, '\0');
    file.read(0, header.data(), header.size());
    const std::size_t place = checksum_place(header);
    if (place == std::string::npos)
        throw Failure(path + ": is not a checkpoint: it has no checksum");
    const std::string written = header.substr(place, Checksum::length);
    header.replace(place, Checksum::length, Checksum::length, '0');
    Checksum sum;
    sum.add(header.data(), header.size());
    sum.add(file, index.numbers);
    if (sum.digits() != written)
        throw Failure(path + ": is damaged: its checksum is " + sum.digits() + ", written was " + written);
}

std::string weights_checksum(const std::string &path) {
    const InputFile file(path);
    const SafetensorsIndex index = read_safetensors_index(file, path);
    Checksum sum;
    std::string header(index.numbers, '\0');
    file.read(0, header.data(), header.size());
    sum.add(header.data(), header.size());
    if (!is_checkpoint(index)) // the header of a checkpoint contains the checksum of the rest
        sum.add(file, index.numbers);
    return sum.digits();
}

} // namespace planrt
