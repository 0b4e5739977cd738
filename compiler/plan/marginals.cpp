#include "plan/marginals.h"

#include "plan/elimination.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

namespace planc::plan {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double rounding = 1e-9;
constexpr int most_sweeps = 6;
constexpr double worthwhile = 1e-3; ///< gain of the bound for which another sweep is made

/// One end of a table of two variables.
struct End {
    int variable = 0;
    std::vector<int> class_of; ///< by value
    std::vector<double> moved; ///< by class: what has been taken from the table for the variable
};

/// A table of two variables. What is left of an entry, not negative: the table's less what both ends have taken.
struct Edge {
    std::array<End, 2> ends;
    std::shared_ptr<const std::vector<double>> seconds; ///< by class of the first and of the second
};

End end_of(const Function &function, std::size_t position, std::vector<int> &offsets) {
    End end;
    end.variable = function.variables[position];
    for (int offset : *function.offsets[position]) {
        const auto known = std::find(offsets.begin(), offsets.end(), offset);
        end.class_of.push_back(static_cast<int>(known - offsets.begin()));
        if (known == offsets.end())
            offsets.push_back(offset);
    }
    end.moved.assign(offsets.size(), 0.0);
    return end;
}

Edge edge_of(const Function &function) {
    std::array<std::vector<int>, 2> offsets;
    Edge edge{{end_of(function, 0, offsets[0]), end_of(function, 1, offsets[1])}, nullptr};
    auto seconds = std::make_shared<std::vector<double>>();
    for (int a : offsets[0])
        for (int b : offsets[1])
            seconds->push_back((*function.seconds)[static_cast<std::size_t>(a) + static_cast<std::size_t>(b)]);
    edge.seconds = std::move(seconds);
    return edge;
}

class Sweeps {
  public:
    Sweeps(const Problem &problem, double at_most)
        : at_most_(at_most), own_(problem.domains.size()), edges_of_(problem.domains.size()) {
        for (std::size_t v = 0; v < own_.size(); ++v) {
            own_[v].assign(problem.domains[v], 0.0);
            result_.of.emplace_back(problem.domains[v], 0.0);
        }
        least_.assign(own_.size(), 0.0);
        for (const Function &function : functions(problem))
            add(function);
    }

    Marginals run() {
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

  private:
    [[nodiscard]] int variables() const { return static_cast<int>(own_.size()); }
    [[nodiscard]] double total() const { return std::accumulate(least_.begin(), least_.end(), constant_); }

    void add(const Function &function) {
        if (function.variables.empty())
            constant_ += (*function.seconds)[0];
        if (function.variables.size() == 1)
            for (std::size_t value = 0; value < function.offsets[0]->size(); ++value)
                own_[function.variables[0]][value] +=
                    (*function.seconds)[static_cast<std::size_t>((*function.offsets[0])[value])];
        if (function.variables.size() != 2)
            return;
        const std::size_t edge = edges_.size();
        edges_.push_back(edge_of(function));
        for (std::size_t end : {0, 1})
            edges_of_[function.variables[end]].push_back({edge, end});
    }

    struct Incident {
        std::size_t edge = 0;
        std::size_t end = 0;
    };

    /// Takes what the variable's tables have for it, bounds its values, gives the rest to the tables `ahead`.
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

    /// By class of the end: the least of the table that is left.
    void take(const Incident &incident) {
        Edge &edge = edges_[incident.edge];
        End &end = edge.ends[incident.end];
        End &other = edge.ends[1 - incident.end];
        std::vector<double> moved(other.moved.size(), infinity); // of classes that no value is left of: never
        for (std::size_t value = 0; value < other.class_of.size(); ++value)
            if (!std::isinf(own_[other.variable][value]))
                moved[other.class_of[value]] = -other.moved[other.class_of[value]];
        const std::size_t rows = edge.ends[0].moved.size();
        const std::size_t columns = edge.ends[1].moved.size();
        std::vector<double> left(end.moved.size(), infinity);
        for (std::size_t row = 0; row < rows; ++row)
            for (std::size_t column = 0; column < columns; ++column) {
                const double seconds = (*edge.seconds)[row * columns + column];
                double &least = left[incident.end == 0 ? row : column];
                least = std::min(least, seconds + moved[incident.end == 0 ? column : row]);
            }
        for (std::size_t value = 0; value < end.class_of.size(); ++value)
            own_[end.variable][value] += left[end.class_of[value]] - end.moved[end.class_of[value]];
        for (std::size_t c = 0; c < left.size(); ++c)
            if (!std::isinf(left[c]))
                end.moved[c] = left[c];
    }

    /// One of `parts` of what the values have above the least, to the table.
    void give(const Incident &incident, double parts) {
        End &end = edges_[incident.edge].ends[incident.end];
        std::vector<double> &own = own_[end.variable];
        const double least = *std::min_element(own.begin(), own.end());
        std::vector<double> spare(end.moved.size(), infinity);
        for (std::size_t value = 0; value < own.size(); ++value)
            spare[end.class_of[value]] = std::min(spare[end.class_of[value]], own[value] - least);
        for (std::size_t value = 0; value < own.size(); ++value)
            if (!std::isinf(own[value]))
                own[value] -= spare[end.class_of[value]] / parts;
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

} // namespace

Marginals marginals(const Problem &problem, double at_most) {
    return Sweeps(problem, at_most).run();
}

} // namespace planc::plan
