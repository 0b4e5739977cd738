#include "certificate/sweeps.h"

#include <algorithm>
#include <limits>

namespace planc::certificate {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr int most_sweeps = 30;
constexpr double worthwhile = 1e-3; ///< part of the remaining gap that a further sweep must gain

class Sweeps {
  public:
    Sweeps(const Terms &terms, const Kept &kept, const std::vector<Factor> &factors, Messages &messages)
        : terms_(terms), kept_(kept), factors_(factors), messages_(messages), incident_(kept.size()) {
        for (std::size_t f = 0; f < factors.size(); ++f)
            for (std::size_t i = 0; i < factors[f].layers.size(); ++i)
                incident_[factors[f].layers[i]].push_back({f, i});
        least_.assign(kept.size(), 0.0);
    }

    int run(double enough) {
        double before = -infinity;
        for (int sweep = 0; sweep < most_sweeps; ++sweep) {
            for (const LayerId l : kept_.ids())
                visit(l, true);
            for (LayerId l = kept_.end_id() - 1; l; l = l - 1)
                visit(l, false);
            // After a sweep back nothing is left of factors: their first layers took it.
            double total = terms_.constant();
            for (double least : least_)
                total += least;
            if (total >= enough || total - before < worthwhile * (enough - total))
                return sweep + 1;
            before = total;
        }
        return most_sweeps;
    }

  private:
    struct Incident {
        std::size_t factor = 0;
        std::size_t place = 0;
    };

    /// Whether the factor has a further layer in the direction of the sweep.
    [[nodiscard]] bool leads_on(const Incident &incident, bool forward) const {
        const std::vector<LayerId> &layers = factors_[incident.factor].layers;
        return forward ? incident.place + 1 < layers.size() : incident.place > 0;
    }

    void visit(LayerId layer, bool forward) {
        std::vector<double> own;
        for (int strategy : kept_[layer])
            own.push_back(terms_.alone()[layer][strategy]);
        std::vector<Incident> further;
        for (const Incident &incident : incident_[layer]) {
            take(incident);
            const std::vector<double> &message = messages_[incident.factor][incident.place];
            for (std::size_t x = 0; x < own.size(); ++x)
                own[x] += message[class_of(incident)[x]];
            if (leads_on(incident, forward))
                further.push_back(incident);
        }
        const double least = *std::min_element(own.begin(), own.end());
        for (std::size_t i = 0; i < further.size(); ++i)
            give(further[i], own, least, static_cast<double>(further.size() - i));
        least_[layer] = *std::min_element(own.begin(), own.end());
    }

    [[nodiscard]] const std::vector<int> &class_of(const Incident &incident) const {
        return factors_[incident.factor].class_of[incident.place];
    }

    /// Takes everything that the factor has for each class: the least of its entries, without what it gave to the other
    /// layers. These go from the table one after another.
    void take(const Incident &incident) {
        const Factor &factor = factors_[incident.factor];
        std::vector<std::vector<double>> &messages = messages_[incident.factor];
        left_.assign(factor.seconds.begin(), factor.seconds.end());
        std::size_t length = left_.size();
        for (std::size_t i = 0; i < incident.place; ++i)
            length = take_first(messages[i], 0, 0, length);
        const std::size_t rows = messages[incident.place].size();
        length /= rows;
        for (std::size_t i = incident.place + 1; i < messages.size(); ++i) {
            const std::size_t shorter = length / messages[i].size();
            for (std::size_t row = 0; row < rows; ++row)
                take_first(messages[i], row * length, row * shorter, length);
            length = shorter;
        }
        messages[incident.place].assign(left_.begin(), left_.begin() + static_cast<std::ptrdiff_t>(rows));
    }

    /// The minimum over the layer with the largest steps in `length` entries, which is left of them at `to` <= `from`.
    std::size_t take_first(const std::vector<double> &message, std::size_t from, std::size_t to, std::size_t length) {
        const std::size_t shorter = length / message.size();
        for (std::size_t c = 0; c < message.size(); ++c)
            for (std::size_t i = 0; i < shorter; ++i) {
                const double rest = left_[from + c * shorter + i] - message[c];
                left_[to + i] = c == 0 ? rest : std::min(left_[to + i], rest);
            }
        return shorter;
    }

    /// Gives the factor one of `parts` of what the strategies have above the minimum.
    void give(const Incident &incident, std::vector<double> &own, double least, double parts) {
        std::vector<double> &message = messages_[incident.factor][incident.place];
        std::vector<double> spare(message.size(), infinity);
        for (std::size_t x = 0; x < own.size(); ++x)
            spare[class_of(incident)[x]] = std::min(spare[class_of(incident)[x]], own[x] - least);
        for (std::size_t x = 0; x < own.size(); ++x)
            own[x] -= spare[class_of(incident)[x]] / parts;
        for (std::size_t c = 0; c < spare.size(); ++c)
            message[c] -= spare[c] / parts;
    }

    const Terms &terms_;
    const Kept &kept_;
    const std::vector<Factor> &factors_;
    Messages &messages_;
    PerLayer<std::vector<Incident>> incident_;
    PerLayer<double> least_;   ///< what the layer has at least
    std::vector<double> left_; ///< of a factor, as far as its layers were taken from it
};

} // namespace

Messages zero_messages(const std::vector<Factor> &factors) {
    Messages messages;
    for (const Factor &factor : factors) {
        messages.emplace_back();
        for (int classes : factor.classes)
            messages.back().emplace_back(classes, 0.0);
    }
    return messages;
}

int sweep(const Terms &terms, const Kept &kept, const std::vector<Factor> &factors, double enough, Messages &messages) {
    return Sweeps(terms, kept, factors, messages).run(enough);
}

} // namespace planc::certificate
