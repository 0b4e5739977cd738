#include "emit/tables/step_tables.h"

#include "emit/names/text.h"
#include "program/repeats.h"

#include <algorithm>
#include <utility>

namespace planc::emit {

namespace {

std::string array(const std::string &type, const std::string &name, const std::vector<std::string> &rows) {
    std::string text = "constexpr planrt::" + type + " " + name + "[] = {\n";
    for (const std::string &row : rows)
        text += "    " + row + "\n";
    return text + "};\n\n";
}

std::string action_row(const program::Program &program, const program::Action &action,
                       const TransferNumbers &transfers) {
    const bool moves = action.kind != program::ActionKind::run && action.kind != program::ActionKind::progress;
    const int index = moves ? transfers[static_cast<std::size_t>(action.index)] : action.index;
    return braces({std::string("planrt::ActionKind::") + program::name(action.kind), std::to_string(index),
                   std::to_string(action.micro_batch), std::to_string(action.slot)}) +
           ", // " + comment(program::text(program, action));
}

/// "repeated: 12 times, each time 1 micro-batch and 1 slot (of 4) further"
std::string description(const program::Repeat &repeat, int slots) {
    const std::string number = std::to_string(repeat.micro_batches);
    const std::string what =
        repeat.micro_batches == 1 || repeat.micro_batches == -1 ? " micro-batch" : " micro-batches";
    std::string text = "repeated: " + std::to_string(repeat.times) + " times, each time " + number + what;
    if (repeat.slots != 0)
        text += " and " + std::to_string(repeat.slots) + (repeat.slots == 1 ? " slot" : " slots") + " (of " +
                std::to_string(slots) + ")";
    return text + " further";
}

/// The tables `actions` + suffix and, where actions repeat, `repeats` + suffix. Returns the names of both, "{}" for
/// none.
std::pair<std::string, std::string> actions(const Step &step, int role, const std::string &suffix,
                                            const TransferNumbers &transfers, std::string &text) {
    const program::Program &program = step.program();
    const int slots = program.roles[static_cast<std::size_t>(role)].slots;
    const program::Folded folded = program::folded(program.actions[static_cast<std::size_t>(role)], slots);
    if (folded.actions.empty()) // a stage may have nothing to do
        return {"{}", "{}"};
    std::vector<std::string> rows;
    std::vector<std::string> repeats;
    std::size_t done = 0;
    const auto write = [&](int end) {
        for (; done < static_cast<std::size_t>(end); ++done)
            rows.push_back(action_row(program, folded.actions[done], transfers));
    };
    for (const program::Repeat &repeat : folded.repeats) {
        write(repeat.first);
        rows.push_back("// " + description(repeat, slots) + ":");
        write(repeat.first + repeat.actions);
        rows.emplace_back("// until here");
        repeats.push_back(
            braces({std::to_string(repeat.first), std::to_string(repeat.actions), std::to_string(repeat.times),
                    std::to_string(repeat.micro_batches), std::to_string(repeat.slots)}) +
            ",");
    }
    write(static_cast<int>(folded.actions.size()));
    text += array("Action", "actions" + suffix, rows);
    if (repeats.empty())
        return {"actions" + suffix, "{}"};
    text += array("Repeat", "repeats" + suffix, repeats);
    return {"actions" + suffix, "repeats" + suffix};
}

/// Rows of micro-batches of one size.
std::string micro_batches(const std::vector<program::MicroBatch> &all) {
    std::vector<std::string> rows;
    for (std::size_t i = 0; i < all.size();) {
        const std::size_t first = i;
        while (i < all.size() && all[i].samples == all[first].samples)
            ++i;
        rows.push_back(braces({std::to_string(i - first), std::to_string(all[first].samples)}) + ",");
    }
    return array("MicroBatches", "micro_batches", rows);
}

/// "planrt::BodyKind::input_gradient"
std::string body_kind(planrt::BodyKind kind) {
    std::string name = planrt::name_of(kind);
    std::replace(name.begin(), name.end(), ' ', '_');
    return "planrt::BodyKind::" + name;
}

std::string ranges(const planrt::Role &ranks) {
    std::vector<std::string> parts;
    for (const planrt::Range &range : ranks.coordinates)
        parts.push_back(braces({std::to_string(range.begin), std::to_string(range.end)}));
    return joined(parts);
}

} // namespace

std::string step_tables(const Step &step, const std::vector<std::int64_t> &arenas,
                        const std::map<int, std::string> &fields, const TransferNumbers &transfers) {
    const program::Program &program = step.program();
    std::vector<std::string> bodies;
    for (std::size_t i = 0; i < program.bodies.size(); ++i) {
        std::vector<std::string> row{program.bodies[i].function};
        const auto loaded = fields.find(static_cast<int>(i));
        const bool loads = loaded != fields.end();
        const bool is_plain = program.bodies[i].kind == planrt::BodyKind::forward && program.bodies[i].stage == 0;
        if (loads || !is_plain)
            row.push_back(loads ? loaded->second : "{}");
        if (!is_plain)
            row.push_back(body_kind(program.bodies[i].kind));
        if (program.bodies[i].stage > 0)
            row.push_back(std::to_string(program.bodies[i].stage));
        bodies.push_back(braces(row) + ",");
    }
    std::string text = array("Body", "bodies", bodies) + micro_batches(program.micro_batches);
    std::vector<std::string> roles;
    for (std::size_t i = 0; i < program.roles.size(); ++i) {
        const program::Role &role = program.roles[i];
        const std::string suffix = program.roles.size() == 1 ? "" : "_" + std::to_string(i);
        const auto [listed, repeats] = actions(step, static_cast<int>(i), suffix, transfers, text);
        std::vector<std::string> row{string_literal(role.name), "{}", listed};
        if (!role.ranks.coordinates.empty()) {
            text += "constexpr planrt::Range ranks" + suffix + "[] = {" + ranges(role.ranks) + "};\n\n";
            row[1] = "ranks" + suffix;
        }
        const bool has_arena = program.roles.size() > 1 || role.slots > 1;
        if (has_arena || repeats != "{}")
            row.push_back(repeats);
        if (has_arena)
            row.push_back(std::to_string(arenas[i]));
        if (role.slots > 1)
            for (const std::int64_t number : {std::int64_t{role.slots}, role.slot_offset, role.slot_bytes})
                row.push_back(std::to_string(number));
        roles.push_back(braces(row) + ",");
    }
    return text + array("RoleProgram", "roles", roles);
}

} // namespace planc::emit
