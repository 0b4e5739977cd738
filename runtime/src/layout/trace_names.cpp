#include <planrt/trace_names.h>

#include <algorithm>

namespace planrt {

namespace {

constexpr std::size_t most_named = 3;

} // namespace

const char *name_of(BodyKind kind) {
    static constexpr const char *names[] = {"forward", "backward", "input gradient", "weight gradient", "update"};
    return names[static_cast<int>(kind)];
}

char letter_of(BodyKind kind) {
    return "FBIWU"[static_cast<int>(kind)];
}

std::string run_name(BodyKind kind, int micro_batch, std::optional<int> stage) {
    return letter_of(kind) + (kind == BodyKind::update ? "" : std::to_string(micro_batch)) +
           (stage ? "." + std::to_string(*stage) : "");
}

std::string row_name(std::string_view role, int rank) {
    return (role.empty() ? "" : std::string(role) + ": ") + "rank " + std::to_string(rank);
}

std::string first_ones(std::string_view list) {
    std::string result;
    std::size_t count = 0;
    for (std::size_t begin = 0; begin <= list.size();) {
        const std::size_t end = std::min(list.find(", ", begin), list.size());
        if (++count <= most_named)
            result += (count == 1 ? "" : ", ") + std::string(list.substr(begin, end - begin));
        begin = end + 2;
    }
    return count > most_named ? result + " and " + std::to_string(count - most_named) + " more" : result;
}

std::string collective_name(CollectiveKind kind, std::string_view tensors) {
    return std::string(name_of(kind)) + " of " + first_ones(tensors);
}

std::string transfer_name(std::string_view tensor) {
    return "transfer of " + std::string(tensor);
}

std::string event_name(Communicating what, std::string_view name) {
    static constexpr const char *words[] = {"", "works for ", "waits for "};
    return words[static_cast<int>(what)] + std::string(name);
}

} // namespace planrt
