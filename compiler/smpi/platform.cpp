#include "smpi/platform.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace planc::smpi {

namespace {

std::string number(double value) {
    std::array<char, 40> text{};
    (void)std::snprintf(text.data(), text.size(), "%.17g", value);
    return text.data();
}

std::string host_name(std::int64_t rank) {
    return "rank" + std::to_string(rank);
}

/// A cluster of SimGrid: for each host a link up and a link down.
std::string cluster(std::int64_t hosts, double bytes_per_second, double latency, const std::string &topology) {
    return "  <cluster id=\"machine\" prefix=\"rank\" suffix=\"\" radical=\"0-" + std::to_string(hosts - 1) +
           "\" speed=\"1Gf\" bw=\"" + number(bytes_per_second) + "Bps\" lat=\"" + number(latency) +
           "s\" sharing_policy=\"SPLITDUPLEX\"" + topology + "/>\n";
}

std::string torus(const cost::Link &link) {
    std::int64_t hosts = 1;
    std::string sizes;
    for (const std::int64_t size :
         link.shape) { // the last dimension is the one in which rank numbers follow each other
        hosts *= size;
        sizes = std::to_string(size) + (sizes.empty() ? "" : ",") + sizes;
    }
    return cluster(hosts, link.bytes_per_second, link.latency.value,
                   " topology=\"TORUS\" topo_parameters=\"" + sizes + "\"");
}

/// Units within units; each is a zone whose gateway is a router in its middle.
class Hierarchy {
  public:
    Hierarchy(const cost::Machine &machine, std::int64_t ranks) : machine_(machine), ranks_(ranks) {}

    std::string text() {
        int outermost = 0;
        while (ranks_in_unit(outermost) < ranks_)
            ++outermost;
        return outermost == 0 ? node("machine", 0, ranks_) : unit(outermost, "machine", 0);
    }

  private:
    /// The number of ranks in a unit whose parts are connected by the links of this level.
    [[nodiscard]] std::int64_t ranks_in_unit(int level) const {
        std::int64_t ranks = 1;
        for (int each = 0; each <= level; ++each) {
            const std::int64_t units = machine_.levels[static_cast<std::size_t>(each)].units;
            if (units == 0)
                return ranks_;
            ranks *= units;
        }
        return level + 1 == static_cast<int>(machine_.levels.size()) ? ranks_ : ranks;
    }

    static std::string link(const std::string &name, double bytes_per_second, double latency, bool shared = true) {
        return "  <link id=\"" + name + "\" bandwidth=\"" + number(bytes_per_second) + "Bps\" latency=\"" +
               number(latency) + "s\" sharing_policy=\"" + (shared ? "SHARED" : "FATPIPE") + "\"/>\n";
    }

    static std::string route(const char *element, const std::string &ends, const std::vector<std::string> &links) {
        std::string text = "  <" + std::string(element) + " " + ends + " symmetrical=\"NO\">";
        for (const std::string &each : links)
            text += "<link_ctn id=\"" + each + "\"/>";
        return text + "</" + element + ">\n";
    }

    /// Ranks that share a node: every pair communicates over its own links, which traffic leaving the node does not
    /// use.
    std::string node(const std::string &name, std::int64_t first, std::int64_t count) const {
        const cost::Link &inside = machine_.levels.front().link;
        std::string text = "  <zone id=\"" + name + "\" routing=\"Full\">\n";
        for (std::int64_t rank = first; rank < first + count; ++rank)
            text += "  <host id=\"" + host_name(rank) + "\" speed=\"1Gf\"/>\n";
        text += "  <router id=\"" + name + "_gateway\"/>\n";
        for (std::int64_t rank = first; rank < first + count; ++rank)
            for (const char *way : {"_up", "_down"})
                text += link(host_name(rank) + way, inside.bytes_per_second, inside.latency.value / 2);
        text += link(name + "_free", 1e18, 0, /*shared=*/false);
        for (std::int64_t rank = first; rank < first + count; ++rank) {
            const std::string from = host_name(rank);
            for (std::int64_t peer = first; peer < first + count; ++peer)
                if (peer != rank)
                    text += route("route", "src=\"" + from + "\" dst=\"" + host_name(peer) + "\"",
                                  {from + "_up", host_name(peer) + "_down"});
            text += route("route", "src=\"" + from + "\" dst=\"" + name + "_gateway\"", {name + "_free"});
            text += route("route", "src=\"" + name + "_gateway\" dst=\"" + from + "\"", {name + "_free"});
        }
        return text + "  </zone>\n";
    }

    /// Units of the level below, each with a link to the middle.
    std::string unit(int level, const std::string &name, std::int64_t first) const {
        const cost::Link &network = machine_.levels[static_cast<std::size_t>(level)].link;
        const double below = level > 1 ? machine_.levels[static_cast<std::size_t>(level - 1)].link.latency.value : 0;
        const double latency = (network.latency.value - below) / 2;
        const std::int64_t ranks = std::min(ranks_in_unit(level), ranks_ - first);
        const std::int64_t in_part = ranks_in_unit(level - 1);
        std::string text = "  <zone id=\"" + name + "\" routing=\"Floyd\">\n  <zone id=\"" + name +
                           "_middle\" routing=\"Full\"><router id=\"" + name + "_gateway\"/></zone>\n";
        std::string routes;
        std::string links;
        for (std::int64_t begin = 0; begin < ranks; begin += in_part) {
            const std::string part = name + "_" + std::to_string(begin / in_part);
            text += level == 1 ? node(part, first + begin, std::min(in_part, ranks - begin))
                               : unit(level - 1, part, first + begin);
            const std::string inner = part + "_gateway";
            const std::string outer = name + "_gateway";
            std::vector<std::string> one;
            if (network.count > 1) {
                links += link(part + "_one", network.bytes_per_second, 0, /*shared=*/false);
                one.push_back(part + "_one");
            }
            for (const bool up : {true, false}) {
                const std::string way = part + (up ? "_up" : "_down");
                links += link(way, network.bytes_per_second * static_cast<double>(network.count), latency);
                std::vector<std::string> taken = one;
                taken.push_back(way);
                const std::string middle = name + "_middle";
                routes += route("zoneRoute",
                                "src=\"" + (up ? part : middle) + "\" dst=\"" + (up ? middle : part) + "\" gw_src=\"" +
                                    (up ? inner : outer) + "\" gw_dst=\"" + (up ? outer : inner) + "\"",
                                taken);
            }
        }
        return text + links + routes + "  </zone>\n";
    }

    const cost::Machine &machine_;
    std::int64_t ranks_;
};

} // namespace

std::string unsupported(const cost::Machine &machine, std::int64_t ranks) {
    const std::vector<cost::Level> &levels = machine.levels;
    const bool joined =
        std::any_of(levels.begin(), levels.end(), [](const cost::Level &level) { return !level.link.shape.empty(); });
    if (joined && levels.size() > 1)
        return "a torus or mesh within a hierarchy cannot be simulated";
    std::int64_t most = 1;
    for (const std::int64_t size : levels.front().link.shape)
        most *= size;
    if (joined && ranks > most)
        return "the torus has " + std::to_string(most) + " units, fewer than ranks";
    for (std::size_t level = 2; level < levels.size(); ++level)
        if (levels[level].link.latency < levels[level - 1].link.latency)
            return "an outer level with a smaller latency than the one inside it cannot be simulated";
    return {};
}

std::string platform(const cost::Machine &machine, std::int64_t ranks) {
    const cost::Link &link = machine.levels.front().link;
    std::string text = "<?xml version='1.0'?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n"
                       "<platform version=\"4.1\">\n  <zone id=\"world\" routing=\"Full\">\n";
    if (!link.shape.empty())
        text += torus(link);
    else if (machine.levels.size() == 1)
        text += cluster(ranks, link.bytes_per_second, link.latency.value / 2, "");
    else
        text += Hierarchy(machine, ranks).text();
    return text + "  </zone>\n</platform>\n";
}

std::string host_file(std::int64_t ranks) {
    std::string text;
    for (std::int64_t rank = 0; rank < ranks; ++rank)
        text += host_name(rank) + "\n";
    return text;
}

std::string platform_words(const cost::Machine &machine) {
    const std::vector<std::int64_t> &shape = machine.levels.front().link.shape;
    if (machine.levels.size() > 1)
        return std::to_string(machine.levels.size()) + " levels";
    if (shape.empty())
        return "a star";
    std::string sizes;
    for (const std::int64_t size : shape)
        sizes += (sizes.empty() ? "" : " x ") + std::to_string(size);
    return "a torus of " + sizes;
}

std::vector<std::string> smpirun_options() {
    return {"-no-privatize",                        // the runtime keeps nothing that ranks must not share
            "--cfg=smpi/simulate-computation:no",   // the time of this computer is not the ranks'
            "--cfg=smpi/host-speed:1Gf",            //
            "--cfg=smpi/bw-factor:0:1",             // messages of all sizes at the same rate,
            "--cfg=smpi/lat-factor:0:1",            // with the same latency,
            "--cfg=network/crosstraffic:0",         // full duplex,
            "--cfg=network/TCP-gamma:1e15",         // without TCP's window,
            "--cfg=network/weight-S:0",             // with equal shares of links;
            "--cfg=smpi/os:0:0:0",                  // calls of MPI take no time
            "--cfg=smpi/or:0:0:0",                  //
            "--cfg=smpi/ois:0:0:0",                 //
            "--cfg=smpi/test:0",                    //
            "--cfg=smpi/wtime:0",                   //
            "--cfg=smpi/send-is-detached-thresh:0", // a message is sent when it has arrived
            "--cfg=smpi/shared-malloc:local",       // the ranks' arenas are one
            "--log=root.thres:critical"};
}

} // namespace planc::smpi
