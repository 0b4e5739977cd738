// Named cost models of the literature, on the same graph and machine as the default one, `exact` (price.h).
//
//   gholami18   communication of Gholami, Azad, Jin, Keutzer, Buluc (SPAA 2018) as their figures count it
//   slides21    the same with the formulas of Buluc's and Gholami's slides, corrected
//   cagnet20    words of CAGNET (Tripathy, Yelick, Buluc, SC 2020) on graph networks, as its code sends them
//   castello19  time of a data-parallel step of Castello, Dolz, Quintana-Orti, Duato (HPML 2019)
//
// assumptions() says what each counts and leaves out; the reports print it. Weights, inputs and outputs of a layer are
// read off the loop nests (products.h). If a profile does not cover a plan, ProfileLayer::unsupported says why.
//
// Symbols of the formulas: P ranks of a term; Pr of them split a layer's outputs or rows, Pc its samples; B batch, d
// elements of a sample, |W| weights, alpha and beta of the machine's outermost network; lg rounds up.
#pragma once

#include "cost/machine.h"
#include "cost/profiles/products.h"
#include "cost/profiles/sparse_layers.h"
#include "sharding/lay_out.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace planc::cost {

enum class Profile : std::uint8_t { exact, gholami18, slides21, castello19, cagnet20 };
[[nodiscard]] const char *name(Profile profile);
/// What the profile counts and what it does not, one line each.
[[nodiscard]] std::vector<std::string> assumptions(Profile profile);

/// One figure of a table.
struct ProfileTerm {
    std::string what; ///< "all-reduce of weight gradients"
    sharding::Phase phase = sharding::Phase::forward;
    std::int64_t ranks = 1;
    bool compute = false;
    double messages = 0; ///< the number that one rank sends one after another
    Bytes wire{};        ///< that one rank sends
    Seconds seconds{};
    std::string formula; ///< "2(lg P alpha + (P-1)/P |W| beta), P = 512, |W| = 34848"
};

struct ProfileLayer {
    sharding::LayerId layer;
    std::vector<ProfileTerm> terms;
    double parameters = 0;
    std::string unsupported; ///< "splits the inputs of its weights"; empty: covered

    [[nodiscard]] Seconds compute() const;
    [[nodiscard]] Seconds communication() const;
    [[nodiscard]] Seconds phase(sharding::Phase phase, bool compute) const;
};

struct ProfileTable {
    Profile profile = Profile::gholami18;
    std::vector<std::string> axes;
    sharding::Mesh mesh;
    std::vector<ProfileLayer> layers;  ///< those that the profile prices, in the graph's order
    std::vector<ProfileTerm> variants; ///< castello19: all gradients in one all-reduce, by each algorithm;
                                       ///< cagnet20: the table of the slides, by scheme
    Seconds compute{};
    Seconds communication{};
    Seconds step{}; ///< the time of a step under the profile; castello19: with overlap
};

/// Prices the layers of one graph under strategies. Pure; construct once for many questions.
class ProfileModel {
  public:
    /// All must outlive this. `batch`: name of the loop over samples.
    ProfileModel(Profile profile, const sharding::Graph &graph, const Machine &machine, std::string batch);

    /// The layers that the profile prices, ascending.
    [[nodiscard]] const std::vector<sharding::LayerId> &layers() const { return layers_; }
    /// Prices layer layers()[index]. `gathered`: gathers() is true of it and the previous layer.
    [[nodiscard]] ProfileLayer price(std::size_t index, const sharding::LayerStrategy &strategy,
                                     const sharding::Mesh &mesh, bool gathered) const;
    /// Mesh axes, as bits, over which the layer splits outputs, and over which it splits samples or rows.
    struct Axes {
        std::uint64_t outputs = 0;
        std::uint64_t others = 0;
    };
    [[nodiscard]] Axes axes(std::size_t index, const sharding::LayerStrategy &strategy,
                            const sharding::Mesh &mesh) const;
    /// Whether a layer over `axes` needs inputs of samples that the previous layer, over `before`, leaves on other
    /// ranks.
    [[nodiscard]] static bool gathers(const Axes &before, const Axes &axes) {
        return (before.others & axes.outputs) != 0;
    }
    [[nodiscard]] ProfileTable table(const sharding::LayerStrategies &layers, const sharding::Mesh &mesh,
                                     const std::vector<std::string> &axes) const;

  private:
    void price_data_parallel(sharding::LayerId layer, const sharding::LayerStrategy &strategy,
                             const sharding::Mesh &mesh, ProfileLayer &row) const;
    void add_fused(ProfileTable &table) const;

    Profile profile_;
    const sharding::Graph &graph_;
    const Machine &machine_;
    std::string batch_;
    std::vector<Product> products_;
    std::vector<SparseLayer> sparse_layers_; ///< cagnet20
    sharding::PerLayer<double> parameters_;
    sharding::PerLayer<bool> has_samples_;
    std::vector<sharding::LayerId> layers_;
};

} // namespace planc::cost
