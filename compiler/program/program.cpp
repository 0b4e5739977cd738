#include "program/program.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <stdexcept>

namespace planc::program {

namespace {

constexpr std::array<const char *, 7> names{"run", "start", "wait", "send", "receive", "progress", "move"};

template <class Items, class Name> int find(const Items &items, const std::string &wanted, Name name) {
    const auto found = std::find_if(items.begin(), items.end(), [&](const auto &item) { return name(item) == wanted; });
    return found == items.end() ? -1 : static_cast<int>(found - items.begin());
}

} // namespace

const char *name(ActionKind kind) {
    return names[static_cast<std::size_t>(kind)];
}

std::int64_t Program::runs(int body) const {
    const auto &list = actions[static_cast<std::size_t>(bodies[static_cast<std::size_t>(body)].role)];
    return std::count_if(list.begin(), list.end(), [body](const Action &action) {
        return action.kind == ActionKind::run && action.index == body;
    });
}

int Program::owner(int micro_batch) const {
    const bool ends = std::ranges::find(last_of_replicas, micro_batch) != last_of_replicas.end();
    return ends ? last_of_replicas.front() : micro_batch;
}

int Program::body_of(const std::string &function) const {
    return find(bodies, function, [](const Body &body) { return body.function; });
}

bool Program::names_stages(int role) const {
    return std::any_of(bodies.begin(), bodies.end(),
                       [role](const Body &body) { return body.role == role && body.stage != role; });
}

std::string text(const Program &program, const Action &action) {
    std::string result =
        std::to_string(action.micro_batch) + ":" + std::to_string(action.slot) + " " + name(action.kind);
    if (action.kind == ActionKind::run)
        result += " " + program.bodies[static_cast<std::size_t>(action.index)].function;
    else if (action.kind != ActionKind::progress)
        result += " " + program.transfers[static_cast<std::size_t>(action.index)].name;
    return result;
}

Action action(const Program &program, const std::string &text) {
    std::istringstream words(text);
    Action result;
    char colon = 0;
    std::string kind;
    if (!(words >> result.micro_batch >> colon >> result.slot >> kind) || colon != ':')
        throw std::invalid_argument("'" + text + "' is not an action: MICRO-BATCH:SLOT KIND [NAME]");
    const int found = find(names, kind, [](const char *known) { return std::string(known); });
    if (found < 0)
        throw std::invalid_argument("'" + kind + "' is not a kind of action");
    result.kind = static_cast<ActionKind>(found);
    std::string what;
    std::getline(words >> std::ws, what);
    if (result.kind == ActionKind::run)
        result.index = program.body_of(what);
    else if (result.kind != ActionKind::progress)
        result.index = find(program.transfers, what, [](const Transfer &transfer) { return transfer.name; });
    if (result.index < 0)
        throw std::invalid_argument("'" + text + "': there is no '" + what + "'");
    return result;
}

} // namespace planc::program
