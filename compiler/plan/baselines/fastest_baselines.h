// The fastest plan over all meshes, for each kind of plan of the literature, or of all kinds together where neither the
// user sees them nor a simulation decides. Most meshes need not be priced: their lower bounds exceed the price on
// another mesh.
#pragma once

#include "plan/baselines/baselines.h"
#include "plan/plan.h"
#include "plan/space/meshes.h"
#include "plan/space/space.h"

#include <functional>
#include <optional>
#include <vector>

namespace planc::plan {

class FastestBaselines {
  public:
    struct OnMesh {
        const MeshShape *shape = nullptr;
        const Space *space = nullptr;
    };
    /// All must outlive this. `limit`: bytes of memory of a rank; 0: no limit.
    FastestBaselines(const Request &request, const sharding::GraphIndex &index, const cost::GraphFacts &facts,
                     double limit, std::vector<OnMesh> meshes);

    /// The number of baselines that are priced whatever their bounds, because they have one mesh only. Those that rules
    /// exclude are priced only where they are shown.
    [[nodiscard]] std::size_t alone() const { return alone_.size(); }
    /// May be called in parallel.
    void price_alone(std::size_t number);
    /// A lower bound for a plan on a mesh, given each layer's strategy by its index in the space.
    using AtLeast = std::function<double(std::size_t mesh, const std::vector<int> &places)>;
    /// Bounds the others, in parallel, and returns the number of groups to be priced. `at_least`: null if nothing is
    /// known.
    [[nodiscard]] std::size_t bound_others(const AtLeast &at_least);
    /// May be called in parallel.
    void price_rivals(std::size_t group);
    /// The seconds of the fastest baseline so far that may be the answer.
    [[nodiscard]] double least() const;

    /// In the order of baselines(); those that were priced. A baseline that may be the answer comes before a faster one
    /// that may not.
    [[nodiscard]] std::vector<Baseline> take();

  private:
    struct Wanted {
        std::size_t mesh = 0;
        NamedStrategies named;
        double at_least = 0;
        std::optional<Baseline> priced = {};
    };
    static bool each_counts(const Request &request);
    [[nodiscard]] bool is_known(const NamedStrategies &named, std::size_t mesh) const;
    void price(std::size_t wanted);
    void bound(std::size_t wanted, const AtLeast &at_least);

    const Request &request_;
    const sharding::GraphIndex &index_;
    const cost::GraphFacts &facts_;
    double limit_;
    std::vector<OnMesh> meshes_;
    std::vector<Wanted> wanted_;
    std::vector<std::size_t> alone_;
    std::vector<std::size_t> others_;
    /// Those of others_ with the same name, in the order of their bounds: the fastest is among the first.
    std::vector<std::vector<std::size_t>> rivals_;
};

} // namespace planc::plan
