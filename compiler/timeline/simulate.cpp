#include "timeline/simulate.h"

#include "timeline/agenda.h"

#include <algorithm>
#include <stdexcept>

namespace planc::timeline {

namespace {

/// An active collective on one group.
struct Transfer {
    int collective = 0;
    const Group *group = nullptr;
    int missing = 0; ///< members that have not called MPI since the last round
    int rounds_left = 0;
    int rounds_now = 0; ///< rounds currently on the links: one, or several at once
    Seconds begin{};
    Seconds alone{};         ///< the time of the round if it had the links for itself
    bool on_its_way = false; ///< its latency passes; afterwards it is on the links
    Seconds left{};          ///< on the links, at the time `since`
    Seconds since{};
    std::size_t shared_by = 0; ///< number of transfers on the fullest of its links from then on, including itself; 0:
                               ///< none yet
    std::size_t sharing = 0;   ///< the same while it is being computed
    bool complete = false;
    Event event = {}; ///< for all whose links it uses: its last rounds without a pause between them
};

/// Transfers with rounds on links of a rank.
struct Links {
    std::vector<int> out;
    std::vector<int> in;
};

struct Rank {
    std::size_t next = 0; ///< action
    Seconds now{};
    int waits_for = -1;         ///< collective; -1: computes
    int until = 0;              ///< so many of its rounds are done; 0: all
    int run = -1;               ///< that has begun
    std::vector<int> under_way; ///< transfers
    std::vector<int> waiting;   ///< of them, those whose next round waits for a call of this rank
    Links inside;               ///< of the node
    Links leaving;
};

class Simulation {
  public:
    explicit Simulation(const Program &program)
        : program_(program), ranks_(program.classes.size()), calls_(ranks_.size()), rounds_(groups_of(program)) {
        transfers_.reserve(groups_of(program));
        for (const Collective &collective : program.collectives) {
            first_of_.push_back(static_cast<int>(transfers_.size()));
            for (const Group &group : collective.groups)
                transfers_.push_back({static_cast<int>(first_of_.size()) - 1, &group,
                                      static_cast<int>(group.members.size()), std::max(group.rounds, 1)});
        }
        result_.ranks.resize(ranks_.size());
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank)
            result_.ranks[rank].compute.reserve(static_cast<std::size_t>(
                std::count_if(actions_of(rank).begin(), actions_of(rank).end(),
                              [](const Action &action) { return action.kind != ActionKind::progress; })));
    }

    Timeline run() {
        for (int rank = 0; rank < static_cast<int>(ranks_.size()); ++rank)
            go_on(rank);
        while (!calls_.empty() || !rounds_.empty()) {
            const Seconds time = rounds_.empty()  ? calls_.time()
                                 : calls_.empty() ? rounds_.time()
                                                  : std::min(calls_.time(), rounds_.time());
            happen(time);
            for (int transfer : ready_)
                begin_round(transfer, time);
            ready_.clear();
        }
        finish();
        return std::move(result_);
    }

  private:
    [[nodiscard]] const std::vector<Action> &actions_of(std::size_t rank) const {
        return program_.actions[program_.classes[rank].role];
    }

    static std::size_t groups_of(const Program &program) {
        std::size_t groups = 0;
        for (const Collective &collective : program.collectives)
            groups += collective.groups.size();
        return groups;
    }

    /// The time at which the round's latency has passed, or the round ends.
    void foresee(int transfer, Seconds time) { rounds_.set(transfer, time); }
    [[nodiscard]] int transfer_of(int collective, int rank) const {
        return first_of_[collective] + program_.collectives[collective].group_of[rank];
    }

    /// Everything that happens at this time comes before the next rounds begin, so that the numbers of ranks do not
    /// matter. Rounds end first, then ranks call MPI in their order.
    void happen(Seconds time) {
        while (true)
            if (rounds_.is_next(time))
                carry_on(rounds_.take_next(), time);
            else if (calls_.is_next(time))
                call_mpi(calls_.take_next());
            else
                return;
    }

    /// Computes until the rank's next call of MPI.
    void go_on(int number) {
        Rank &rank = ranks_[number];
        const std::vector<Action> &actions = actions_of(number);
        for (; rank.next < actions.size(); ++rank.next) {
            const Action &action = actions[rank.next];
            if (action.run != rank.run)
                change_run(number, action.run);
            if (action.kind == ActionKind::progress && rank.under_way.empty())
                continue; // nothing is active until the rank itself starts something
            if (action.kind == ActionKind::start)
                do_part(action.index, number);
            if (action.kind != ActionKind::compute)
                return calls_.set(number, rank.now);
            const Seconds end = rank.now + program_.kernels[action.index].seconds[number];
            result_.ranks[number].compute.push_back({EventKind::compute, action.index, rank.now, end});
            rank.now = end;
        }
    }

    /// Ends the current run, if there is one, and begins another.
    void change_run(int number, int run) {
        Rank &rank = ranks_[number];
        std::vector<RunTime> &runs = result_.ranks[number].runs;
        if (rank.run >= 0)
            runs.back().end = rank.now;
        rank.run = run;
        if (run >= 0)
            runs.push_back({run, rank.now, rank.now});
    }

    /// The work of the rank's processor for a collective that it starts.
    void do_part(int collective, int number) {
        const std::vector<Seconds> &work = program_.collectives[collective].work;
        if (work.empty() || work[number].value == 0)
            return;
        Seconds &now = ranks_[number].now;
        result_.ranks[number].compute.push_back({EventKind::work, collective, now, now + work[number]});
        now += work[number];
    }

    void call_mpi(int number) {
        Rank &rank = ranks_[number];
        const Action &action = actions_of(number)[rank.next];
        std::erase_if(rank.waiting, [&](int transfer) {
            const bool waits = action.kind == ActionKind::wait && transfer == transfer_of(action.index, number);
            if (is_staged(transfer) && !waits)
                return false;
            note_call(transfer);
            return true;
        });
        if (action.kind == ActionKind::start) {
            const int transfer = transfer_of(action.index, number);
            rank.under_way.push_back(transfer);
            note_call(transfer);
        }
        if (action.kind == ActionKind::wait && !is_done(transfer_of(action.index, number), action.rounds)) {
            rank.waits_for = action.index;
            rank.until = action.rounds;
            return;
        }
        ++rank.next;
        go_on(number);
    }

    [[nodiscard]] bool is_staged(int transfer) const {
        return program_.collectives[transfers_[transfer].collective].staged;
    }

    /// Whether so many of its rounds are done; 0: all.
    [[nodiscard]] bool is_done(int number, int rounds) const {
        const Transfer &transfer = transfers_[number];
        return transfer.complete || (rounds > 0 && transfer.group->rounds - transfer.rounds_left >= rounds);
    }

    template <class Use> void for_each_link(const Group &group, const Use &use) {
        const auto use_all = [&](Links Rank::*links) {
            for (int sender : group.senders)
                use((ranks_[sender].*links).out);
            for (int receiver : group.receivers)
                use((ranks_[receiver].*links).in);
        };
        if (group.stays_inside)
            use_all(&Rank::inside);
        if (group.leaves)
            use_all(&Rank::leaving);
    }

    /// Notes a member's first call since the last round.
    void note_call(int number) {
        if (--transfers_[number].missing == 0)
            ready_.push_back(number);
    }

    void begin_round(int number, Seconds time) {
        Transfer &transfer = transfers_[number];
        const Group &ranks = *transfer.group;
        // If all members wait for nothing else, no call and no other round comes in between.
        const bool alone = std::all_of(ranks.members.begin(), ranks.members.end(), [&](int m) {
            return ranks_[m].waits_for >= 0 && ranks_[m].under_way.size() == 1;
        });
        transfer.rounds_now = alone && !is_staged(number) ? transfer.rounds_left : 1;
        const double part = static_cast<double>(transfer.rounds_now) / std::max(ranks.rounds, 1);
        transfer.begin = time;
        transfer.alone = part * ranks.seconds;
        if (ranks.senders.empty() && ranks.receivers.empty()) // nothing to carry
            return foresee(number, time);
        const Seconds latency = part * ranks.latency;
        transfer.left = std::max(Seconds(0), transfer.alone - latency);
        transfer.on_its_way = true;
        foresee(number, time + latency);
    }

    void carry_on(int number, Seconds time) {
        Transfer &transfer = transfers_[number];
        if (!transfer.on_its_way)
            return end_round(number, time);
        transfer.on_its_way = false;
        transfer.since = time;
        transfer.shared_by = 0;
        transfer.sharing = 0;
        affected_.clear();
        for_each_link(*transfer.group, [&](std::vector<int> &carries) {
            carries.push_back(number);
            for (int other : carries)
                if (Transfer &sharer = transfers_[other]; sharer.sharing < carries.size()) {
                    if (sharer.sharing == sharer.shared_by)
                        affected_.push_back(other);
                    sharer.sharing = carries.size();
                }
        });
        for (int other : affected_)
            share(other, time);
    }

    /// From now on, the new number of transfers shares its links.
    void share(int number, Seconds time) {
        Transfer &transfer = transfers_[number];
        if (transfer.shared_by > 0) {
            const Seconds carried = (time - transfer.since) / static_cast<double>(transfer.shared_by);
            transfer.left = std::max(Seconds(0), transfer.left - carried);
        }
        transfer.since = time;
        transfer.shared_by = transfer.sharing;
        foresee(number, time + static_cast<double>(transfer.shared_by) * transfer.left);
    }

    /// Removes the transfer from its links.
    void leave_links(int number, Seconds time) {
        affected_.clear();
        for_each_link(*transfers_[number].group, [&](std::vector<int> &carries) {
            std::erase(carries, number);
            for (int other : carries)
                if (Transfer &sharer = transfers_[other];
                    sharer.shared_by == carries.size() + 1 && sharer.sharing > 0) {
                    affected_.push_back(other);
                    sharer.sharing = 0; // found out below
                }
        });
        for (int other : affected_) {
            Transfer &sharer = transfers_[other];
            for_each_link(*sharer.group, [&](const std::vector<int> &carries) {
                sharer.sharing = std::max(sharer.sharing, carries.size());
            });
            if (sharer.sharing != sharer.shared_by)
                share(other, time);
        }
    }

    void end_round(int number, Seconds time) {
        Transfer &transfer = transfers_[number];
        leave_links(number, time);
        if (transfer.event.rounds == 0 || transfer.event.end != transfer.begin) {
            note_event(transfer);
            transfer.event = {EventKind::transfer, transfer.collective, transfer.begin, {}, 0, {}};
        }
        transfer.event.end = time;
        transfer.event.rounds += transfer.rounds_now;
        transfer.event.carried += transfer.alone;
        transfer.rounds_left -= transfer.rounds_now;
        if (transfer.rounds_left == 0)
            return complete(number, time);
        transfer.missing = static_cast<int>(transfer.group->members.size());
        for (int member : transfer.group->members) {
            Rank &rank = ranks_[member];
            if (rank.waits_for == transfer.collective || (rank.waits_for >= 0 && !is_staged(number)))
                note_call(number);
            else
                rank.waiting.push_back(number);
        }
        if (is_staged(number))
            release(number, time);
    }

    /// The members that wait for rounds that are done go on.
    void release(int number, Seconds time) {
        const Transfer &transfer = transfers_[number];
        for (int member : transfer.group->members) {
            Rank &rank = ranks_[member];
            if (rank.waits_for != transfer.collective || !is_done(number, rank.until))
                continue;
            result_.ranks[member].compute.push_back({EventKind::wait, transfer.collective, rank.now, time});
            rank.waits_for = -1;
            rank.now = time;
            ++rank.next;
            go_on(member);
        }
    }

    void note_event(const Transfer &transfer) {
        if (transfer.event.rounds == 0)
            return;
        const std::vector<int> &senders = transfer.group->senders;
        for (int sender : senders)
            result_.ranks[sender].network.push_back(transfer.event);
        for (int receiver : transfer.group->receivers)
            if (std::ranges::find(senders, receiver) == senders.end())
                result_.ranks[receiver].network.push_back(transfer.event);
    }

    void complete(int number, Seconds time) {
        Transfer &transfer = transfers_[number];
        transfer.complete = true;
        note_event(transfer);
        for (int member : transfer.group->members)
            std::erase(ranks_[member].under_way, number);
        release(number, time);
    }

    void finish() {
        for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
            if (ranks_[rank].next < actions_of(rank).size())
                throw std::logic_error("a rank waits for a collective that is never started");
            change_run(static_cast<int>(rank), -1);
            result_.makespan = std::max(result_.makespan, ranks_[rank].now);
        }
        for (RankTime &rank : result_.ranks)
            add_up(rank);
        const auto busy = [](const RankTime &rank) { return rank.computing + rank.exposed; };
        for (int rank = 1; rank < static_cast<int>(result_.ranks.size()); ++rank)
            if (busy(result_.ranks[rank]) > busy(result_.critical()))
                result_.last = rank;
    }

    void add_up(RankTime &rank) const {
        std::sort(rank.network.begin(), rank.network.end(), [](const Event &a, const Event &b) {
            return a.begin < b.begin || (a.begin == b.begin && a.index < b.index);
        });
        std::vector<std::pair<Seconds, Seconds>> busy; // when the links are in use
        for (const Event &event : rank.network) {
            rank.communicating += event.carried;
            if (busy.empty() || busy.back().second < event.begin)
                busy.emplace_back(event.begin, event.end);
            else
                busy.back().second = std::max(busy.back().second, event.end);
        }
        std::size_t first = 0; // the first one that has not ended before the wait
        for (const Event &event : rank.compute) {
            if (event.kind == EventKind::compute) {
                rank.computing += event.seconds();
                continue;
            }
            if (event.kind == EventKind::work) {
                rank.communicating += event.seconds();
                rank.exposed += event.seconds();
                continue;
            }
            while (first < busy.size() && busy[first].second <= event.begin)
                ++first;
            for (std::size_t t = first; t < busy.size() && busy[t].first < event.end; ++t)
                rank.exposed += std::min(busy[t].second, event.end) - std::max(busy[t].first, event.begin);
        }
        rank.idle = result_.makespan - rank.computing - rank.exposed;
    }

    const Program &program_;
    std::vector<Rank> ranks_;
    std::vector<Transfer> transfers_; ///< of each collective's groups in turn
    std::vector<int> first_of_;       ///< by collective: which of these
    std::vector<int> affected_;       ///< scratch: transfers whose share of the links may change
    std::vector<int> ready_;          ///< transfers, to begin with their next round now
    Agenda calls_;                    ///< of MPI, by rank
    Agenda rounds_;                   ///< by transfer
    Timeline result_;
};

} // namespace

Timeline simulate(const Program &program) {
    return Simulation(program).run();
}

std::map<std::string, Seconds> waiting_by_layer(const Program &program, const RankTime &rank) {
    std::map<std::string, Seconds> result;
    for (const Event &event : rank.compute)
        if (event.kind != EventKind::compute)
            result[program.collectives[event.index].layer] += event.seconds();
    return result;
}

} // namespace planc::timeline
