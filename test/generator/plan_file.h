// A generated .plan file in parts, so that a failing one can be made smaller by leaving parts out.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace planc::test {

/// The axis of the mesh along which the stages of a pipeline lie.
inline constexpr const char *pipeline_axis = "stage";

struct GridAxis {
    std::string name;
    int size = 1;                ///< the largest of `sizes`, if there are any
    std::vector<int> sizes = {}; ///< at each position along the pipeline's axis; empty: the same at all
};

/// What a data set names.
struct DataFile {
    std::string name;
    std::string text;
};

struct PlanFile {
    std::vector<std::string> declarations;    ///< `dim`s and layers
    std::string signature;                    ///< `network net(…) -> …`
    std::vector<std::string> statements;      ///< of the network's body, the last one returns
    std::string data = "synthetic(seed = 1)"; ///< where the fields come from
    std::vector<DataFile> files;              ///< that `data` names
    std::string training;                     ///< `train net on fields …` under the layout `rules`
    std::vector<GridAxis> axes;               ///< of the mesh
    std::vector<std::string> rules;           ///< of the layout `rules`
    std::vector<std::string> pins;            ///< of the layout `searched`, the rest of which the planner chooses

    [[nodiscard]] std::string text() const;
    /// The text, and behind it the data files as comments.
    [[nodiscard]] std::string text_with_data() const;
    [[nodiscard]] int ranks() const;
    /// Of the pipeline in `rules`; 1: there is none.
    [[nodiscard]] int stages() const;
};

} // namespace planc::test
