#include "interpret/buffers.h"

#include "interpret/interpret.h"

namespace planc::interpret {

template <class Visit> void Buffers::for_each_cell(const Value &value, Visit visit) {
    for (std::int64_t at = value.offset; at < value.offset + value.bytes; at += cell_bytes)
        visit(cells_.at(static_cast<std::size_t>(at / cell_bytes)));
}

int Buffers::write(std::int64_t offset, std::int64_t bytes, const std::string &name) {
    const int number = static_cast<int>(values_.size());
    values_.push_back({offset, bytes, name});
    if (offset < 0 || offset + bytes > static_cast<std::int64_t>(cells_.size()) * cell_bytes)
        throw Failure(name + " lies outside of the arena");
    for_each_cell(values_.back(), [&](Cell &cell) {
        const std::int64_t user =
            cell.written_by == none && !cell.read_by.empty() ? cell.read_by.front() : cell.written_by;
        if (user != none)
            throw Failure(name + " is written where collective " + std::to_string(user) + " is under way");
        cell.owner = number;
    });
    return number;
}

void Buffers::read(int value) const {
    const Value &wanted = values_[static_cast<std::size_t>(value)];
    for (std::int64_t at = wanted.offset; at < wanted.offset + wanted.bytes; at += cell_bytes) {
        const Cell &cell = cells_[static_cast<std::size_t>(at / cell_bytes)];
        if (cell.owner != value)
            throw Failure(wanted.name + " was overwritten by " + values_[static_cast<std::size_t>(cell.owner)].name);
        if (cell.written_by != none)
            throw Failure(wanted.name + " is read before collective " + std::to_string(cell.written_by) +
                          " is waited for");
    }
}

void Buffers::start(std::int64_t collective, const std::vector<int> &inputs, const std::vector<int> &outputs) {
    for (const int input : inputs)
        for_each_cell(values_[static_cast<std::size_t>(input)],
                      [&](Cell &cell) { cell.read_by.push_back(collective); });
    for (const int output : outputs)
        for_each_cell(values_[static_cast<std::size_t>(output)], [&](Cell &cell) { cell.written_by = collective; });
    active_[collective] = {inputs, outputs};
}

void Buffers::wait(std::int64_t collective) {
    const auto started = active_.extract(collective);
    if (started.empty())
        throw Failure("collective " + std::to_string(collective) + " is waited for but not under way");
    const Active &done = started.mapped();
    for (const int input : done.inputs)
        for_each_cell(values_[static_cast<std::size_t>(input)],
                      [&](Cell &cell) { std::erase(cell.read_by, collective); });
    for (const int output : done.outputs)
        for_each_cell(values_[static_cast<std::size_t>(output)], [](Cell &cell) { cell.written_by = none; });
}

} // namespace planc::interpret
