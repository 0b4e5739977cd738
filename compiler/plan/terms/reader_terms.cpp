// The part of TermBuilder that prices a value whose readers too many layers decide: one reader after another.
#include "plan/terms/term_builder.h"

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <utility>

namespace planc::plan {

using sharding::Links;

namespace {

/// The most sets of wanted placements that are told apart after a reader.
constexpr std::size_t most_sets = 64;

/// What stands for all sets that are not told apart.
const WantedPlacements more_wanted{{-1, 0}};

/// Sets of wanted placements with numbers. Those with more than `largest` different placements, or that are too many
/// even so, are one, the last.
class WantedSets {
  public:
    explicit WantedSets(std::size_t largest) : largest_(largest) {}
    int number(const WantedPlacements &set) {
        const auto known = known_.find(set);
        if (known != known_.end())
            return known->second;
        if (set == more_wanted || placements(set) > largest_ || (largest_ == 1 && sets_.size() == most_sets)) {
            has_more_ = true;
            return more;
        }
        sets_.push_back(set);
        return known_[set] = static_cast<int>(sets_.size()) - 1;
    }
    static constexpr int more = -1;
    [[nodiscard]] std::size_t size() const { return sets_.size() + (has_more_ ? 1 : 0); }
    [[nodiscard]] bool is_more(std::size_t number) const { return number == sets_.size(); }
    [[nodiscard]] const std::vector<WantedPlacements> &sets() const { return sets_; }

  private:
    static std::size_t placements(const WantedPlacements &set) {
        std::set<int> different;
        for (const auto &[placement, need] : set)
            different.insert(placement);
        return different.size();
    }

    std::size_t largest_;
    std::map<WantedPlacements, int> known_;
    std::vector<WantedPlacements> sets_;
    bool has_more_ = false;
};

} // namespace

void TermBuilder::add_readers(ValueId v, const ScopedTerm &value) {
    const std::vector<StepStructure::Reader> &readers = step_.readers[v];
    std::shared_ptr<const ReaderTables> &tables = cache_.readers[value.key];
    if (!tables) {
        std::size_t largest = readers.size();
        while (!tables)
            tables = reader_tables(v, value.term, largest--);
    }
    objective_.is_exact &= tables->is_exact;
    LayerId before;
    for (std::size_t r = 0; r < readers.size(); ++r) {
        Term step = part_of(value.term, readers[r].variables);
        if (before)
            append(step, before, tables->sets[r - 1]);
        append(step, readers[r].wanted, tables->sets[r]);
        step.table = tables->steps[r];
        objective_.domains[readers[r].wanted.index()] = tables->sets[r];
        step.binds = true;
        if (!is_zero(*step.table)) // else there is one value
            objective_.terms.push_back(std::move(step));
        before = readers[r].wanted;
    }
    Term price = part_of(value.term, Structure::of_origin(index_, step_.sums, v).variables());
    append(price, before, tables->sets.back());
    price.table = tables->price;
    price.life = value.term.life;
    if (!is_zero(*price.table))
        objective_.terms.push_back(std::move(price));
}

/// The term without those of its variables that are not among these.
Term TermBuilder::part_of(const Term &term, const std::vector<LayerId> &variables) {
    Term part;
    for (std::size_t i = 0; i < term.variables.size(); ++i)
        if (std::binary_search(variables.begin(), variables.end(), term.variables[i])) {
            part.variables.push_back(term.variables[i]);
            part.class_of.push_back(term.class_of[i]);
            part.classes.push_back(term.classes[i]);
        }
    return part;
}

void TermBuilder::append(Term &term, LayerId variable, int values) {
    std::shared_ptr<const std::vector<int>> &each = cache_.each_value[values];
    if (!each) {
        std::vector<int> numbers(static_cast<std::size_t>(values));
        std::iota(numbers.begin(), numbers.end(), 0);
        each = std::make_shared<const std::vector<int>>(std::move(numbers));
    }
    term.variables.push_back(variable);
    term.class_of.push_back(each);
    term.classes.push_back(values);
}

/// Null: with up to `largest` placements, there are too many sets.
std::shared_ptr<const ReaderTables> TermBuilder::reader_tables(ValueId v, const Term &term, std::size_t largest) {
    const std::vector<StepStructure::Reader> &readers = step_.readers[v];
    const std::vector<sharding::Need> needs = sharding::needs(index_, v);
    const auto pass = [&](std::size_t need) {
        const OperationId reader = needs[need].operation;
        return graph_.values[v].kind == sharding::ValueKind::variable && reader < graph_.end_of_program()
                   ? index_.pass[reader]
                   : sharding::Pass::forward;
    };
    const auto first_alike = [&](std::size_t need) { // needs for which copies cost as much are one
        std::size_t first = 0;
        while (pass(first) != pass(need) ||
               kind_of_use(graph_, needs[first].operation) != kind_of_use(graph_, needs[need].operation))
            ++first;
        return first;
    };
    const auto add = [&](WantedPlacements &set, int placement, std::size_t need) {
        if (set != more_wanted && std::none_of(set.begin(), set.end(), [&](const auto &known) {
                return known.first == placement && pass(known.second) == pass(need);
            }))
            set.emplace_back(placement, need);
    };
    auto tables = std::make_shared<ReaderTables>();
    std::vector<WantedPlacements> before{{}};
    for (const StepStructure::Reader &reader : readers) {
        const Term part = part_of(term, reader.variables);
        std::vector<Column> columns;
        std::vector<std::size_t> alike;
        for (const std::size_t need : reader.needs) {
            columns.push_back(wanted(part, v, needs[need]));
            alike.push_back(first_alike(need));
        }
        WantedSets after(largest);
        std::vector<int> next; // by class of the reader's variables, then by set
        std::vector<int> at(part.variables.size(), 0);
        do {
            for (WantedPlacements set : before) {
                for (std::size_t n = 0; n < columns.size(); ++n)
                    add(set, columns[n].at(at), alike[n]);
                next.push_back(after.number(set));
            }
        } while (advance(part, all(part), at, [](std::size_t) {}));
        if (after.size() > most_sets && largest > 1)
            return nullptr;
        TermTable step;
        for (const int number : next)
            for (std::size_t set = 0; set < after.size(); ++set)
                step.prices.seconds.push_back(
                    (number == WantedSets::more ? after.is_more(set) : static_cast<std::size_t>(number) == set)
                        ? 0
                        : std::numeric_limits<double>::infinity());
        std::shared_ptr<const TermTable> &known = cache_.reader_steps[step.prices.seconds];
        if (!known)
            known = std::make_shared<const TermTable>(std::move(step));
        tables->steps.push_back(known);
        tables->sets.push_back(static_cast<int>(after.size()));
        before = after.sets();
        tables->is_exact &= after.size() == before.size();
        if (after.size() > before.size())
            before.push_back(more_wanted);
    }
    tables->price = price_sets(v, term, before);
    return tables;
}

std::shared_ptr<const TermTable> TermBuilder::price_sets(ValueId v, const Term &term,
                                                         const std::vector<WantedPlacements> &sets) {
    const bool stored = step_.facts->residences[v] != cost::Residence::in_place;
    const bool free = graph_.values[v].kind == sharding::ValueKind::free;
    const Term of_origin = part_of(term, Structure::of_origin(index_, step_.sums, v).variables());
    const Column lies = free ? Column{} : origin(of_origin, v);
    ValuePrices prices(index_, mesh_, cache_.known, cache_.links, v, step_.facts->residences[v]);
    TermTable table;
    std::vector<int> at(of_origin.variables.size(), 0);
    std::vector<Links::Wanted> wanted;
    do {
        for (const WantedPlacements &set : sets) {
            if (set == more_wanted) { // a lower bound: what is priced as a whole decides
                add_price({}, stored, table);
                continue;
            }
            wanted.clear();
            for (const auto &[placement, need] : set)
                wanted.push_back({need, placement});
            add_price(prices.of(free ? -1 : lies.at(at), wanted), stored, table);
        }
    } while (advance(of_origin, all(of_origin), at, [](std::size_t) {}));
    return std::make_shared<const TermTable>(without_empty_parts(std::move(table)));
}

} // namespace planc::plan
