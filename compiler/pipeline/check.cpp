#include "pipeline/check.h"

#include "pipeline/walk.h"
#include "pipeline/weights.h"

#include <algorithm>
#include <array>
#include <set>

namespace planc::pipeline {

namespace {

constexpr std::int64_t most_pairs = std::int64_t{1} << 28; // so that results have numbers of type int

class Check {
  public:
    explicit Check(const Schedule &schedule) : schedule_(schedule) {}

    std::string run() {
        for (const auto part :
             {&Check::sizes, &Check::replicas, &Check::once, &Check::complete, &Check::feasible, &Check::weights})
            if (std::string wrong = (this->*part)(); !wrong.empty())
                return wrong;
        return {};
    }

  private:
    std::string sizes() {
        const auto size = [](const auto &items) { return static_cast<int>(items.size()); };
        if (schedule_.ranks < 1 || schedule_.stages < 1 || schedule_.micro_batches < 1)
            return "a schedule has at least one rank, one stage and one micro-batch";
        if (size(schedule_.actions) != schedule_.ranks)
            return "there are " + std::to_string(schedule_.actions.size()) + " lists of actions for " +
                   std::to_string(schedule_.ranks) + " ranks";
        if (size(schedule_.replica_of) != schedule_.micro_batches)
            return std::to_string(schedule_.replica_of.size()) + " of " + std::to_string(schedule_.micro_batches) +
                   " micro-batches have a replica";
        if (schedule_.name.find_first_of("\r\n") != std::string::npos || schedule_.name.starts_with(' ') ||
            schedule_.name.ends_with(' '))
            return "the name of a schedule is one line, without blanks at its ends";
        if (std::int64_t{schedule_.stages} * schedule_.micro_batches > most_pairs)
            return "stages times micro-batches are more than " + std::to_string(most_pairs);
        if (schedule_.placement.size() > 1 && schedule_.weights != Weights::synchronous)
            return "several replicas of the weights must be synchronous";
        if ((schedule_.weights == Weights::two_versions) != (schedule_.accumulated > 0))
            return "a number of accumulated micro-batches belongs to two versions of the weights, and to nothing else";
        std::vector<char> has_stage(static_cast<std::size_t>(schedule_.ranks), 0);
        for (int replica = 0; replica < size(schedule_.placement); ++replica) {
            const std::vector<int> &ranks = schedule_.placement[static_cast<std::size_t>(replica)];
            if (size(ranks) != schedule_.stages)
                return "replica " + std::to_string(replica) + " places " + std::to_string(ranks.size()) + " of " +
                       std::to_string(schedule_.stages) + " stages";
            for (const int rank : ranks) {
                if (rank < 0 || rank >= schedule_.ranks)
                    return "a stage of replica " + std::to_string(replica) + " is on rank " + std::to_string(rank) +
                           ", which does not exist";
                has_stage[static_cast<std::size_t>(rank)] = 1;
            }
        }
        const auto idle = std::find(has_stage.begin(), has_stage.end(), 0);
        return idle == has_stage.end() ? "" : "rank " + std::to_string(idle - has_stage.begin()) + " has no stage";
    }

    std::string replicas() {
        const auto count = static_cast<int>(schedule_.placement.size());
        int seen = 0;
        for (int micro_batch = 0; micro_batch < schedule_.micro_batches; ++micro_batch) {
            const int replica = schedule_.replica_of[static_cast<std::size_t>(micro_batch)];
            if (replica < 0 || replica >= count)
                return "micro-batch " + std::to_string(micro_batch) + " takes replica " + std::to_string(replica) +
                       ", which does not exist";
            if (replica > seen)
                return "replica " + std::to_string(seen) + " has no micro-batch before micro-batch " +
                       std::to_string(micro_batch) + " of replica " + std::to_string(replica);
            seen = std::max(seen, replica + 1);
        }
        if (seen < count)
            return "replica " + std::to_string(seen) + " has no micro-batch";
        const std::set<std::vector<int>> placements(schedule_.placement.begin(), schedule_.placement.end());
        return static_cast<int>(placements.size()) == count ? "" : "two replicas have the same ranks";
    }

    std::string once() {
        done_.assign(static_cast<std::size_t>(schedule_.stages * schedule_.micro_batches), {});
        for (int rank = 0; rank < schedule_.ranks; ++rank) {
            for (const Action &action : schedule_.actions[static_cast<std::size_t>(rank)]) {
                if (action.stage < 0 || action.stage >= schedule_.stages || action.micro_batch < 0 ||
                    action.micro_batch >= schedule_.micro_batches)
                    return at(rank, action) + " does not exist";
                if (const int home = schedule_.rank_of(action.stage, action.micro_batch); home != rank)
                    return at(rank, action) + " belongs to rank " + std::to_string(home);
                char &done = of(action.stage, action.micro_batch)[static_cast<std::size_t>(action.kind)];
                if (done++ != 0)
                    return at(rank, action) + " occurs twice";
            }
        }
        return {};
    }

    std::string complete() {
        const auto missing = [&](Kind kind, int stage, int micro_batch) {
            return at(schedule_.rank_of(stage, micro_batch), {kind, stage, micro_batch}) + " is missing";
        };
        for (int stage = 0; stage < schedule_.stages; ++stage) {
            for (int micro_batch = 0; micro_batch < schedule_.micro_batches; ++micro_batch) {
                const auto [forward, backward, input, weight] = of(stage, micro_batch);
                if (!forward)
                    return missing(Kind::forward, stage, micro_batch);
                if (backward && (input || weight))
                    return at(schedule_.rank_of(stage, micro_batch), {Kind::backward, stage, micro_batch}) +
                           " occurs beside I or W, which it contains";
                if (!backward && !input)
                    return missing(weight ? Kind::input_gradient : Kind::backward, stage, micro_batch);
                if (!backward && !weight)
                    return missing(Kind::weight_gradient, stage, micro_batch);
            }
        }
        return {};
    }

    std::string feasible() {
        std::vector<char> given(2 * done_.size(), 0);
        const std::vector<std::size_t> visited = walk(schedule_, [&](int, const Action &action) {
            if (const int result = gives(schedule_, action); result >= 0)
                given[static_cast<std::size_t>(result)] = 1;
        });
        for (int rank = 0; rank < schedule_.ranks; ++rank) {
            const std::vector<Action> &actions = schedule_.actions[static_cast<std::size_t>(rank)];
            if (visited[static_cast<std::size_t>(rank)] == actions.size())
                continue;
            const Action &stuck = actions[visited[static_cast<std::size_t>(rank)]];
            for (const Need &need : needs(schedule_, stuck))
                if (need.result >= 0 && !given[static_cast<std::size_t>(need.result)])
                    return at(rank, stuck) + " waits for ever for stage " + std::to_string(need.stage) + " on rank " +
                           std::to_string(schedule_.rank_of(need.stage, stuck.micro_batch));
        }
        return {};
    }

    std::string weights() {
        std::vector<int> backward(static_cast<std::size_t>(schedule_.stages), 0); // the first micro-batch that has not
        std::vector<char> done(done_.size(), 0);
        for (int rank = 0; rank < schedule_.ranks; ++rank) {
            for (const Action &action : schedule_.actions[static_cast<std::size_t>(rank)]) {
                const auto first = static_cast<std::size_t>(action.stage * schedule_.micro_batches);
                int &ready = backward[static_cast<std::size_t>(action.stage)];
                if (frees(action.kind)) {
                    done[first + static_cast<std::size_t>(action.micro_batch)] = 1;
                    while (ready < schedule_.micro_batches && done[first + static_cast<std::size_t>(ready)])
                        ++ready;
                }
                const int version = weight_version(schedule_, action.stage, action.micro_batch);
                if (action.kind == Kind::forward && ready < micro_batches_before(schedule_, version))
                    return at(rank, action) + " needs weights of version " + std::to_string(version) +
                           ", to which micro-batch " + std::to_string(ready) + " has not contributed";
            }
        }
        return {};
    }

    /// How often the kinds of action occur on a stage and a micro-batch.
    std::array<char, 4> &of(int stage, int micro_batch) {
        return done_[static_cast<std::size_t>(stage * schedule_.micro_batches + micro_batch)];
    }
    static std::string at(int rank, const Action &action) {
        return "rank " + std::to_string(rank) + ": " + text(action);
    }

    const Schedule &schedule_;
    std::vector<std::array<char, 4>> done_; ///< by stage and micro-batch, then by kind
};

} // namespace

std::string fault(const Schedule &schedule) {
    return Check(schedule).run();
}

} // namespace planc::pipeline
