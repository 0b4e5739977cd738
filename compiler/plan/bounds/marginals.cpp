#include "plan/bounds/marginals.h"

#include "plan/numbers.h"
#include "plan/solver/elimination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <numeric>
#include <tuple>
#include <unordered_map>

namespace planc::plan {

namespace {

constexpr int most_sweeps = 6;
constexpr double worthwhile = 1e-3; ///< gain of the bound that justifies another sweep

/// One end of a table of two variables.
struct End {
    int variable = 0;
    std::shared_ptr<const std::vector<int>> class_of; ///< by value
    std::vector<double> moved;                        ///< by class: what was moved from the table to the variable
};

/// A table of two variables by their classes; each class of the first one is a line. What is left of an entry is the
/// table's value less what both ends have taken, and is not negative.
struct Edge {
    std::array<End, 2> ends;
    std::shared_ptr<const std::vector<float>> table;
};

/// Tables of one kind occur between many pairs of layers.
class Edges {
  public:
    Edge of(const Function &function) {
        const Classes &first = classes(function.offsets[0]);
        const Classes &second = classes(function.offsets[1]);
        Edge edge;
        edge.ends[0] = {function.variables[0], first.of_value, std::vector<double>(first.offsets.size(), 0.0)};
        edge.ends[1] = {function.variables[1], second.of_value, std::vector<double>(second.offsets.size(), 0.0)};
        std::shared_ptr<const std::vector<float>> &table =
            tables_[{function.rounded, function.offsets[0], function.offsets[1]}];
        if (!table)
            table = lines(function.rounded, first.offsets, second.offsets);
        edge.table = table;
        return edge;
    }

  private:
    using Offsets = std::shared_ptr<const std::vector<int>>;
    struct Classes {
        Offsets of_value;
        std::vector<int> offsets; ///< by class
    };

    const Classes &classes(const Offsets &offsets) {
        const auto [known, is_new] = classes_.try_emplace(offsets);
        Classes &result = known->second;
        if (!is_new)
            return result;
        std::unordered_map<int, int> numbers;
        auto of_value = std::make_shared<std::vector<int>>();
        for (int offset : *offsets) {
            const auto [at, is_first] = numbers.emplace(offset, static_cast<int>(numbers.size()));
            of_value->push_back(at->second);
            if (is_first)
                result.offsets.push_back(offset);
        }
        result.of_value = std::move(of_value);
        return result;
    }

    /// The function's own table if its classes are already in this order, as they nearly always are.
    static std::shared_ptr<const std::vector<float>> lines(const std::shared_ptr<const std::vector<float>> &table,
                                                           const std::vector<int> &first,
                                                           const std::vector<int> &second) {
        const auto are_steps = [](const std::vector<int> &offsets, std::size_t step) {
            for (std::size_t i = 0; i < offsets.size(); ++i)
                if (static_cast<std::size_t>(offsets[i]) != i * step)
                    return false;
            return true;
        };
        if (are_steps(first, second.size()) && are_steps(second, 1) && table->size() == first.size() * second.size())
            return table;
        auto result = std::make_shared<std::vector<float>>();
        result->reserve(first.size() * second.size());
        for (int a : first)
            for (int b : second)
                result->push_back((*table)[static_cast<std::size_t>(a) + static_cast<std::size_t>(b)]);
        return result;
    }

    std::map<Offsets, Classes> classes_;
    std::map<std::tuple<std::shared_ptr<const std::vector<float>>, Offsets, Offsets>,
             std::shared_ptr<const std::vector<float>>>
        tables_;
};

using Lanes [[gnu::vector_size(16)]] = double;
using Entries [[gnu::vector_size(8)]] = float;
constexpr std::size_t lanes = sizeof(Lanes) / sizeof(double);

Lanes entries_at(const float *line) {
    Entries entries;
    std::memcpy(&entries, line, sizeof(entries));
    return __builtin_convertvector(entries, Lanes);
}

/// least[i] = min(least[i], line[i] + added)
void lower(const float *line, std::size_t length, double added, double *least) {
    std::size_t i = 0;
    for (; i + lanes <= length; i += lanes) {
        const Lanes sums = entries_at(line + i) + added;
        Lanes best;
        std::memcpy(&best, least + i, sizeof(best));
        best = sums < best ? sums : best;
        std::memcpy(least + i, &best, sizeof(best));
    }
    for (; i < length; ++i)
        least[i] = std::min(least[i], static_cast<double>(line[i]) + added);
}

/// The minimum of line[i] + added[i].
double least_of(const float *line, const std::vector<double> &added) {
    Lanes best;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        best[lane] = infinity;
    std::size_t i = 0;
    for (; i + lanes <= added.size(); i += lanes) {
        Lanes more;
        std::memcpy(&more, added.data() + i, sizeof(more));
        const Lanes sums = entries_at(line + i) + more;
        best = sums < best ? sums : best;
    }
    double least = infinity;
    for (std::size_t lane = 0; lane < lanes; ++lane)
        least = std::min(least, best[lane]);
    for (; i < added.size(); ++i)
        least = std::min(least, static_cast<double>(line[i]) + added[i]);
    return least;
}

} // namespace

class MarginalSweeps::Sweeps {
  public:
    Sweeps(const Problem &problem, double at_most)
        : at_most_(at_most), own_(problem.domains.size()), edges_of_(problem.domains.size()) {
        for (std::size_t v = 0; v < own_.size(); ++v)
            own_[v].assign(problem.domains[v], 0.0);
        least_.assign(own_.size(), 0.0);
        Edges edges;
        for (const Function &function : rounded_functions(problem))
            add(function, edges);
    }

    Marginals run() {
        result_ = {};
        for (const std::vector<double> &own : own_)
            result_.of.emplace_back(own.size(), 0.0);
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            const double before = total();
            for (int v = 0; v < variables(); ++v)
                visit(v, [v](int other) { return other > v; });
            for (int v = variables(); v-- > 0;)
                visit(v, [v](int other) { return other < v; });
            if (!(total() > before * (1 + worthwhile)) || std::isinf(total()))
                break;
        }
        result_.lower_bound = total();
        for (const std::vector<double> &of_variable : result_.of)
            result_.lower_bound =
                std::max(result_.lower_bound, *std::min_element(of_variable.begin(), of_variable.end()));
        return std::move(result_);
    }

    bool change(const std::vector<std::vector<double>> &added, double at_most) {
        double least = 0;
        for (const std::vector<double> &of_variable : added)
            least += *std::min_element(of_variable.begin(), of_variable.end());
        if (at_most_ + least < at_most * (1 + rounding))
            return false;
        at_most_ = at_most;
        for (std::size_t v = 0; v < added.size(); ++v) {
            for (std::size_t value = 0; value < own_[v].size(); ++value)
                own_[v][value] += added[v][value];
            least_[v] = *std::min_element(own_[v].begin(), own_[v].end());
        }
        return true;
    }

    /// The cost of an assignment; moving parts of tables does not change it. Of variables that are not known, and of
    /// what is left of tables with them, the least counts.
    [[nodiscard]] double of(const std::vector<int> &values) const {
        const auto is_known = [&](const End &end) { return static_cast<std::size_t>(end.variable) < values.size(); };
        double sum = constant_;
        for (std::size_t v = 0; v < own_.size(); ++v)
            sum += v < values.size() ? own_[v][values[v]] : least_[v];
        for (const Edge &edge : edges_) {
            const auto &[first, second] = edge.ends;
            if (!is_known(first) || !is_known(second))
                continue;
            const auto line = static_cast<std::size_t>((*first.class_of)[values[first.variable]]);
            const auto column = static_cast<std::size_t>((*second.class_of)[values[second.variable]]);
            sum += static_cast<double>((*edge.table)[line * second.moved.size() + column]) - first.moved[line] -
                   second.moved[column];
        }
        return std::min(sum, at_most_);
    }

  private:
    [[nodiscard]] int variables() const { return static_cast<int>(own_.size()); }
    [[nodiscard]] double total() const { return std::accumulate(least_.begin(), least_.end(), constant_); }

    void add(const Function &function, Edges &edges) {
        if (function.variables.empty())
            constant_ += (*function.seconds)[0];
        if (function.variables.size() == 1)
            for (std::size_t value = 0; value < function.offsets[0]->size(); ++value)
                own_[function.variables[0]][value] +=
                    (*function.seconds)[static_cast<std::size_t>((*function.offsets[0])[value])];
        if (function.variables.size() != 2)
            return;
        const std::size_t edge = edges_.size();
        edges_.push_back(edges.of(function));
        for (std::size_t end : {0, 1})
            edges_of_[function.variables[end]].push_back({edge, end});
    }

    struct Incident {
        std::size_t edge = 0;
        std::size_t end = 0;
    };

    /// Takes what the variable's tables have for it, bounds its values, and gives the rest to the tables `ahead`.
    template <class Ahead> void visit(int variable, const Ahead &ahead) {
        std::vector<double> &own = own_[variable];
        std::vector<Incident> further;
        for (const Incident &incident : edges_of_[variable]) {
            take(incident);
            if (ahead(edges_[incident.edge].ends[1 - incident.end].variable))
                further.push_back(incident);
        }
        least_[variable] = 0;
        const double others = total();
        for (std::size_t value = 0; value < own.size(); ++value) {
            double &bound = result_.of[variable][value];
            bound = std::max(bound, own[value] + others);
            if (bound > at_most_ * (1 + rounding))
                bound = own[value] = infinity;
        }
        least_[variable] = *std::min_element(own.begin(), own.end());
        if (std::isinf(least_[variable]))
            return;
        for (std::size_t i = 0; i < further.size(); ++i)
            give(further[i], static_cast<double>(further.size() - i));
    }

    /// By class of the end: the minimum of what is left of the table.
    void take(const Incident &incident) {
        Edge &edge = edges_[incident.edge];
        End &end = edge.ends[incident.end];
        End &other = edge.ends[1 - incident.end];
        std::vector<double> moved(other.moved.size(), infinity); // of classes that no value is left of: never
        for (std::size_t value = 0; value < other.class_of->size(); ++value)
            if (!std::isinf(own_[other.variable][value]))
                moved[(*other.class_of)[value]] = -other.moved[(*other.class_of)[value]];
        const std::vector<double> left = least_left(*edge.table, incident.end == 0, moved, end.moved.size());
        for (std::size_t value = 0; value < end.class_of->size(); ++value)
            own_[end.variable][value] += left[(*end.class_of)[value]] - end.moved[(*end.class_of)[value]];
        for (std::size_t c = 0; c < left.size(); ++c)
            if (!std::isinf(left[c]))
                end.moved[c] = left[c];
    }

    /// For each class of an end, whose classes are either lines or columns: the minimum of what is left.
    static std::vector<double> least_left(const std::vector<float> &table, bool by_line,
                                          const std::vector<double> &moved, std::size_t classes) {
        std::vector<double> left(classes, infinity);
        const float *line = table.data();
        if (by_line) {
            for (double &of_class : left) {
                of_class = least_of(line, moved);
                line += moved.size();
            }
            return left;
        }
        for (const double added : moved) {
            if (!std::isinf(added))
                lower(line, classes, added, left.data());
            line += classes;
        }
        return left;
    }

    /// Gives the table one of `parts` of what the values have above the minimum.
    void give(const Incident &incident, double parts) {
        End &end = edges_[incident.edge].ends[incident.end];
        std::vector<double> &own = own_[end.variable];
        const double least = *std::min_element(own.begin(), own.end());
        std::vector<double> spare(end.moved.size(), infinity);
        for (std::size_t value = 0; value < own.size(); ++value)
            spare[(*end.class_of)[value]] = std::min(spare[(*end.class_of)[value]], own[value] - least);
        for (std::size_t value = 0; value < own.size(); ++value)
            if (!std::isinf(own[value]))
                own[value] -= spare[(*end.class_of)[value]] / parts;
        for (std::size_t c = 0; c < spare.size(); ++c)
            if (!std::isinf(spare[c]))
                end.moved[c] -= spare[c] / parts;
    }

    double at_most_;
    double constant_ = 0;
    std::vector<std::vector<double>> own_; ///< per variable and value
    std::vector<double> least_;            ///< per variable: of own_
    std::vector<std::vector<Incident>> edges_of_;
    std::vector<Edge> edges_;
    Marginals result_;
};

MarginalSweeps::MarginalSweeps(const Problem &problem, double at_most)
    : sweeps_(std::make_unique<Sweeps>(problem, at_most)) {}
MarginalSweeps::~MarginalSweeps() = default;

Marginals MarginalSweeps::run() {
    return sweeps_->run();
}

double MarginalSweeps::of(const std::vector<int> &values) const {
    return sweeps_->of(values);
}

bool MarginalSweeps::add(const std::vector<std::vector<double>> &seconds, double at_most) {
    return sweeps_->change(seconds, at_most);
}

Marginals marginals(const Problem &problem, double at_most) {
    return MarginalSweeps(problem, at_most).run();
}

} // namespace planc::plan
