// Of each plan of the literature the fastest over all meshes. Most meshes' need not be priced: they are bounded above
// what another one takes.
#pragma once

#include "plan/baselines.h"
#include "plan/meshes.h"
#include "plan/plan.h"
#include "plan/space.h"

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
    /// All must outlive this. `limit`: bytes of memory that a rank has; 0: any number.
    FastestBaselines(const Request &request, const sharding::GraphIndex &index, const cost::GraphFacts &facts,
                     double limit, std::vector<OnMesh> meshes);

    /// Those that are priced in any case: of their names there is one mesh alone.
    [[nodiscard]] std::size_t alone() const { return alone_.size(); }
    /// May be called side by side.
    void price_alone(std::size_t number);
    /// What a plan on a mesh takes at least, given each layer's strategy by its place in the space.
    using AtLeast = std::function<double(std::size_t mesh, const std::vector<int> &places)>;
    /// Of the others, side by side; then there are so many groups to be priced. `at_least`: null: nothing is known.
    [[nodiscard]] std::size_t bound_others(const AtLeast &at_least);
    /// May be called side by side.
    void price_rivals(std::size_t group);
    /// Seconds of the fastest so far that may be the answer.
    [[nodiscard]] double least() const;

    /// In the order of baselines(); one that may be the answer before a faster one that may not.
    [[nodiscard]] std::vector<Baseline> take();

  private:
    struct Wanted {
        std::size_t mesh = 0;
        NamedStrategies named;
        double at_least = 0;
        std::optional<Baseline> priced = {};
    };
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
    /// Of others_, those of one name, in the order of their bounds: the fastest of them is among the first.
    std::vector<std::vector<std::size_t>> rivals_;
};

} // namespace planc::plan
