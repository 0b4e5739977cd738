#include "checkpoint/directory.h"

#include "checkpoint/checkpoint.h"
#include "support/failure.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <new>
#include <string_view>

namespace planrt {

namespace {

constexpr std::string_view prefix = "step-";
constexpr std::string_view suffix = ".safetensors";

/// Returns the step in "step-00000040.safetensors" and, in `rest`, the text after it; -1 for other names.
std::int64_t step_of(std::string_view name, std::string_view &rest) {
    if (!name.starts_with(prefix))
        return -1;
    name.remove_prefix(prefix.size());
    std::int64_t step = -1;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), step);
    name.remove_prefix(static_cast<std::size_t>(end - name.data()));
    if (error != std::errc{} || !name.starts_with(suffix))
        return -1;
    rest = name.substr(suffix.size());
    return step;
}

/// Calls body(step, what follows the name of its file, path).
template <class Body> void for_each_file(const std::string &path, const Body &body) {
    std::error_code error;
    for (std::filesystem::directory_iterator entry(path, error), end; !error && entry != end; entry.increment(error)) {
        const std::string name = entry->path().filename().string();
        std::string_view rest;
        if (const std::int64_t step = step_of(name, rest); step >= 0)
            body(step, rest, entry->path());
    }
    if (error && error != std::errc::no_such_file_or_directory)
        throw Failure("cannot read " + path + ": " + error.message());
}

} // namespace

std::string CheckpointDirectory::file(std::int64_t step) const {
    return path_ + "/" + std::string(prefix) + text("%08lld", static_cast<long long>(step)) + std::string(suffix);
}

void CheckpointDirectory::make() const {
    std::error_code error;
    std::filesystem::create_directories(path_, error);
    if (error)
        throw Failure("cannot write " + path_ + ": " + error.message());
}

void CheckpointDirectory::remove_begun() const {
    for_each_file(path_, [](std::int64_t, std::string_view rest, const std::filesystem::path &begun) {
        std::error_code ignored;
        if (rest.ends_with(".tmp"))
            std::filesystem::remove(begun, ignored);
    });
}

std::vector<std::int64_t> CheckpointDirectory::steps() const {
    std::vector<std::int64_t> result;
    for_each_file(path_, [&](std::int64_t step, std::string_view rest, const std::filesystem::path &path) {
        if (rest.empty() && path.filename() == std::filesystem::path(file(step)).filename()) // not "step-40"
            result.push_back(step);
    });
    std::ranges::sort(result);
    return result;
}

std::int64_t CheckpointDirectory::newest(std::vector<std::string> &damaged) const {
    std::vector<std::int64_t> left = steps();
    for (; !left.empty(); left.pop_back()) {
        try {
            const std::string path = file(left.back());
            verify_checkpoint(path);
            if (const std::int64_t step = read_run_state(path).step; step != left.back())
                throw Failure(
                    text("%s: has been renamed: it is of step %lld", path.c_str(), static_cast<long long>(step)));
            return left.back();
        } catch (const std::bad_alloc &) {
            damaged.emplace_back(file(left.back()) + ": its header does not fit in memory");
        } catch (const Failure &failure) {
            damaged.emplace_back(failure.what());
        }
    }
    return -1;
}

void CheckpointDirectory::prune(std::int64_t kept, std::int64_t step) const {
    std::vector<std::int64_t> all = steps();
    std::erase_if(all, [step](std::int64_t each) { return each > step; });
    const auto surplus = static_cast<std::int64_t>(all.size()) - kept;
    for (std::int64_t i = 0; i < surplus; ++i) {
        std::error_code ignored;
        std::filesystem::remove(file(all[static_cast<std::size_t>(i)]), ignored);
    }
}

} // namespace planrt
