#include "pipeline.h"

#include "sema/pipeline_schedules.h"

#include <algorithm>
#include <utility>

namespace planc::test {

namespace {

constexpr int most_ranks = 8;

/// So many different cuts, in any order, each before a layer or after the one in front of it; none where there are too
/// few layers.
std::vector<std::string> cuts(const RandomNetwork &network, int count, Random &random) {
    std::vector<std::string> layers = network.layers;
    std::erase_if(layers, [](const std::string &layer) { return layer.starts_with("w"); }); // parameters
    if (random.chance(0.1))
        layers.emplace_back("loss");
    std::vector<std::string> cuts;
    for (std::size_t i = 1; i < layers.size(); ++i)
        cuts.push_back(random.chance(0.3) ? "cut after " + layers[i - 1] : "cut before " + layers[i]);
    random.shuffle(cuts);
    if (static_cast<int>(cuts.size()) < count)
        return {};
    cuts.resize(static_cast<std::size_t>(count));
    return cuts;
}

/// Any table that a step program can follow: stages on random ranks, actions in a random order of those that their
/// needs permit, backward passes whole or split.
std::string random_table(int ranks, int stages, int micro_batches, Random &random) {
    std::vector<int> rank_of;
    for (int stage = 0; stage < stages; ++stage)
        rank_of.push_back(stage % ranks);
    random.shuffle(rank_of);
    struct Done {
        int forward = 0;
        int backward = 0;
        int weights = 0;
    };
    std::vector<Done> done(static_cast<std::size_t>(stages));
    std::vector<std::string> rows(static_cast<std::size_t>(ranks));
    for (int left = stages; left > 0;) {
        const int stage = random.whole(0, stages - 1);
        const auto at = static_cast<std::size_t>(stage);
        Done &own = done[at];
        const auto act = [&](char kind, int micro_batch) {
            rows[static_cast<std::size_t>(rank_of[at])] +=
                std::string(" ") + kind + std::to_string(micro_batch) + "." + std::to_string(stage);
        };
        switch (random.whole(0, 2)) {
        case 0:
            if (own.forward < (stage == 0 ? micro_batches : done[at - 1].forward))
                act('F', own.forward++);
            break;
        case 1:
            if (own.backward < (stage + 1 == stages ? own.forward : done[at + 1].backward)) {
                const bool whole = own.weights == own.backward && random.chance(0.5);
                act(whole ? 'B' : 'I', own.backward++);
                own.weights += whole ? 1 : 0;
                left -= own.weights == micro_batches ? 1 : 0;
            }
            break;
        default:
            if (own.weights < own.backward) {
                act('W', own.weights++);
                left -= own.weights == micro_batches ? 1 : 0;
            }
        }
    }
    std::string table = "table {";
    for (std::size_t rank = 0; rank < rows.size(); ++rank)
        table += (rank == 0 ? " " : "; ") + std::to_string(rank) + ":" + rows[rank];
    return table + " }";
}

/// Gives axes sizes by position, also to a new one, as far as there are ranks for them.
void make_uneven(PlanFile &file, int places, Random &random) {
    if (file.axes.size() == 1 || random.chance(0.3))
        file.axes.push_back({"uneven", 1});
    for (GridAxis &axis : file.axes) {
        if (axis.name == pipeline_axis || random.chance(0.3))
            continue;
        for (int place = 0; place < places; ++place)
            axis.sizes.push_back(random.whole(1, 4));
        axis.size = *std::ranges::max_element(axis.sizes);
        if (file.ranks() > most_ranks)
            axis = {axis.name, 1};
    }
}

bool is_uneven(const PlanFile &file) {
    return std::ranges::any_of(file.axes, [](const GridAxis &axis) { return !axis.sizes.empty(); });
}

} // namespace

int most_micro_batches(int batch, int ranks) {
    return std::min(batch, 2 * ranks + 1);
}

void add_pipeline(RandomNetwork &network, Random &random) {
    static const std::vector<std::string> schedules{"gpipe",   "one_f_one_b", "interleaved",   "zero_bubble", "zb_v",
                                                    "chimera", "pipedream",   "pipedream_2bw", "table"};
    const std::string schedule = random.chance(0.8) ? random.pick(schedules) : "";
    const bool many = schedule == "interleaved" || schedule == "table";
    const int chunks = many ? random.whole(1, 3) : schedule == "zb_v" ? 2 : 1;
    const int most = std::clamp(static_cast<int>(network.layers.size()) / chunks, 2, 4);
    const int places = schedule == "chimera" ? 2 * random.whole(1, most / 2) : random.whole(2, most);
    auto &axes = network.file.axes;
    for (int ranks = places; const GridAxis &axis : std::exchange(axes, {}))
        if (ranks * axis.size <= most_ranks) {
            ranks *= axis.size;
            axes.push_back(axis);
        }
    axes.insert(axes.begin() + random.whole(0, static_cast<int>(axes.size())), {pipeline_axis, places});
    if (random.chance(0.5))
        make_uneven(network.file, places, random);
    std::vector<std::string> items;
    const int count = network.independent_samples ? random.whole(1, most_micro_batches(network.batch, places)) : 1;
    if (schedule == "table")
        items.push_back("schedule = " + random_table(places, chunks * places, count, random));
    else if (!schedule.empty())
        items.push_back("schedule = " + schedule);
    if (schedule == "interleaved")
        items.push_back("chunks = " + std::to_string(chunks));
    if (sema::changes_weights(schedule) || (count > 1 && (schedule != "table" || random.chance(0.5))))
        items.push_back("microbatches = " + std::to_string(count));
    if (schedule == "pipedream_2bw" && random.chance(0.7))
        items.push_back("accumulate = " + std::to_string(random.whole(std::max(places - 1, 1), 2 * places)));
    if (random.chance(0.7))
        for (const std::string &cut : cuts(network, chunks * places - 1, random))
            items.push_back(cut);
    std::string list;
    for (const std::string &item : items)
        list += (list.empty() ? " { " : "; ") + item;
    if (is_uneven(network.file)) // the other layout has the same mesh
        network.file.pins.push_back(std::string("pipeline -> ") + pipeline_axis +
                                    (count > 1 ? " { microbatches = " + std::to_string(count) + " }" : ""));
    network.file.rules.push_back(std::string("pipeline -> ") + pipeline_axis + (list.empty() ? "" : list + " }"));
}

} // namespace planc::test
