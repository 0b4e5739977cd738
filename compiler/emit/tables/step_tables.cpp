#include "emit/tables/step_tables.h"

#include "emit/names/text.h"

#include <algorithm>

namespace planc::emit {

namespace {

std::string array(const std::string &type, const std::string &name, const std::vector<std::string> &rows) {
    std::string text = "constexpr planrt::" + type + " " + name + "[] = {\n";
    for (const std::string &row : rows)
        text += "    " + row + "\n";
    return text + "};\n\n";
}

std::string braces(const std::vector<std::string> &parts) {
    return "{" + joined(parts) + "}";
}

std::string actions(const Step &step, int role, const std::string &name, const TransferNumbers &transfers) {
    std::vector<std::string> rows;
    for (const program::Action &action : step.program().actions[static_cast<std::size_t>(role)]) {
        const bool moves = action.kind != program::ActionKind::run && action.kind != program::ActionKind::progress;
        const int index = moves ? transfers[static_cast<std::size_t>(action.index)] : action.index;
        rows.push_back(braces({std::string("planrt::ActionKind::") + program::name(action.kind), std::to_string(index),
                               std::to_string(action.micro_batch), std::to_string(action.slot)}) +
                       ", // " + comment(program::text(step.program(), action)));
    }
    return array("Action", name, rows);
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
    std::vector<std::string> parts;
    for (const program::MicroBatch &part : program.micro_batches) {
        std::vector<std::string> row{std::to_string(part.first), std::to_string(part.samples)};
        if (part.update > 0)
            row.push_back(std::to_string(part.update));
        parts.push_back(braces(row) + ",");
    }
    std::string text = array("Body", "bodies", bodies) + array("MicroBatch", "micro_batches", parts);
    std::vector<std::string> roles;
    for (std::size_t i = 0; i < program.roles.size(); ++i) {
        const program::Role &role = program.roles[i];
        const std::string suffix = program.roles.size() == 1 ? "" : "_" + std::to_string(i);
        std::vector<std::string> row{string_literal(role.name), "{}", "{}"};
        if (!program.actions[i].empty()) { // a stage may have nothing to do
            text += actions(step, static_cast<int>(i), "actions" + suffix, transfers);
            row[2] = "actions" + suffix;
        }
        if (!role.ranks.coordinates.empty()) {
            text += "constexpr planrt::Range ranks" + suffix + "[] = {" + ranges(role.ranks) + "};\n\n";
            row[1] = "ranks" + suffix;
        }
        if (program.roles.size() > 1 || role.slots > 1)
            row.push_back(std::to_string(arenas[i]));
        if (role.slots > 1)
            for (const std::int64_t number : {std::int64_t{role.slots}, role.slot_offset, role.slot_bytes})
                row.push_back(std::to_string(number));
        roles.push_back(braces(row) + ",");
    }
    return text + array("RoleProgram", "roles", roles);
}

} // namespace planc::emit
