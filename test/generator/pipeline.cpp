#include "pipeline.h"

#include "sema/pipeline_schedules.h"

#include <algorithm>
#include <utility>

namespace planc::test {

namespace {

constexpr int most_ranks = 8;

/// So many different layers, in any order; none where there are too few.
std::vector<std::string> cuts(const RandomNetwork &network, int count, Random &random) {
    std::vector<std::string> layers(network.layers.begin() + 1, network.layers.end());
    std::erase_if(layers, [](const std::string &layer) { return layer.starts_with("w"); }); // parameters
    if (random.chance(0.1))
        layers.emplace_back("loss");
    random.shuffle(layers);
    if (static_cast<int>(layers.size()) < count)
        return {};
    layers.resize(static_cast<std::size_t>(count));
    return layers;
}

} // namespace

int most_micro_batches(int batch, int ranks) {
    return std::min(batch, 2 * ranks + 1);
}

void add_pipeline(RandomNetwork &network, Random &random) {
    const std::string schedule = random.chance(0.8) ? random.pick(sema::lowered_pipeline_schedules()) : "";
    const int chunks = schedule == "interleaved" ? random.whole(1, 3) : schedule == "zb_v" ? 2 : 1;
    const int most = std::clamp(static_cast<int>(network.layers.size()) / chunks, 2, 4);
    const int places = random.whole(2, most);
    auto &axes = network.file.axes;
    for (int ranks = places; const auto &[name, size] : std::exchange(axes, {}))
        if (ranks * size <= most_ranks) {
            ranks *= size;
            axes.emplace_back(name, size);
        }
    axes.emplace(axes.begin() + random.whole(0, static_cast<int>(axes.size())), pipeline_axis, places);
    std::vector<std::string> items;
    if (!schedule.empty())
        items.push_back("schedule = " + schedule);
    if (schedule == "interleaved")
        items.push_back("chunks = " + std::to_string(chunks));
    if (network.independent_samples)
        items.push_back("microbatches = " + std::to_string(random.whole(1, most_micro_batches(network.batch, places))));
    std::string before;
    if (random.chance(0.7))
        for (const std::string &layer : cuts(network, chunks * places - 1, random))
            before += (before.empty() ? "cut before " : ", ") + layer;
    if (!before.empty())
        items.push_back(before);
    std::string list;
    for (const std::string &item : items)
        list += (list.empty() ? " { " : "; ") + item;
    network.file.rules.push_back(std::string("pipeline -> ") + pipeline_axis + (list.empty() ? "" : list + " }"));
}

} // namespace planc::test
