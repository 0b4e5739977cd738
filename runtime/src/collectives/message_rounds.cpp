#include "collectives/message_rounds.h"

#include "collectives/contents.h"
#include "count/counters.h"
#include "mesh/tensors.h"
#include "support/failure.h"

#include <planrt/steps.h>

#include <algorithm>
#include <optional>

namespace planrt {

namespace {

Procedure procedure_of(const Collective &collective, const Place &place) {
    std::vector<MovedTensor> tensors;
    for (const Collective::Member &member : collective.members)
        tensors.push_back({placement_of(member.from), placement_of(member.to)});
    const Method method{collective.algorithm, {collective.shape.begin(), collective.shape.end()}};
    return procedure(collective.kind, method, collective.axes, tensors, place.mesh, place.rank);
}

} // namespace

MessageRounds::MessageRounds(const Collective &collective, const Place &place, int tag, std::byte *vector,
                             std::int64_t packed)
    : vector_(vector), element_bytes_(static_cast<std::int64_t>(element_bytes(collective.members[0].from.type))),
      type_(datatype_of(collective.members[0].from.type)),
      combine_(combine_of(collective.members[0].from.type, collective.members[0].from.reduction)),
      all_(place.communicators.role()), tag_(tag), types_(place.most_counted) {
    const Procedure procedure = procedure_of(collective, place);
    own_ = procedure.own;
    payload_bytes_ = procedure.vector * element_bytes_;
    if (const std::int64_t combined = largest_combined(procedure.rounds); combined > 0)
        received_ = scratch(collective, place, (packed + combined) * element_bytes_) + packed * element_bytes_;
    for (const MessageRound &each : procedure.rounds) {
        if (each.to < 0 && each.from < 0)
            continue;
        Round &round = rounds_.emplace_back();
        if (each.to >= 0)
            round.send = message(vector_, each.sent, procedure, each.to);
        if (each.from < 0)
            continue;
        if (each.combines) {
            round.receive = message(received_, {{0, elements(each.received)}}, procedure, each.from);
            round.combined = each.received;
            round.received_first = round.receive.rank < place.rank;
        } else {
            round.receive = message(vector_, each.received, procedure, each.from);
        }
    }
}

MessageRounds::MessageRounds(std::vector<Round> rounds, const Place &place, int tag, std::int64_t payload_bytes)
    : all_(place.communicators.role()), tag_(tag), payload_bytes_(payload_bytes), rounds_(std::move(rounds)),
      types_(place.most_counted) {}

MessageRounds::Message MessageRounds::message(std::byte *vector, const Positions &positions, const Procedure &procedure,
                                              int member) {
    const MessageContents contents = types_.contents(vector, positions, type_, element_bytes_);
    return {contents.data, contents.count, contents.type, procedure.ranks[static_cast<std::size_t>(member)]};
}

void MessageRounds::start() {
    if (payload_bytes_ >= 0)
        counters().count(payload_bytes_);
    round_ = 0;
    begin_round();
}

void MessageRounds::allow(std::size_t rounds) {
    const bool was_done = is_done();
    allowed_ = rounds;
    if (was_done)
        begin_round();
}

void MessageRounds::begin_round() {
    if (is_done())
        return;
    for (const BoxCopy &copy : rounds_[round_].packing)
        copy.run();
    const Message &receive = rounds_[round_].receive;
    const Message &send = rounds_[round_].send;
    std::optional<CountMessages> counting;
    if (payload_bytes_ >= 0)
        counting.emplace();
    if (receive.rank >= 0)
        check_mpi(MPI_Irecv(receive.data, receive.count, receive.type, receive.rank, tag_, all_, &requests_[0]),
                  "start");
    if (send.rank >= 0)
        check_mpi(MPI_Isend(send.data, send.count, send.type, send.rank, tag_, all_, &requests_[1]), "start");
}

void MessageRounds::finish_round() {
    const Round &round = rounds_[round_];
    const std::byte *received = received_;
    for (const Range &range : round.combined) {
        combine_(vector_ + range.begin * element_bytes_, received, range.size(), round.received_first);
        received += range.size() * element_bytes_;
    }
    ++round_;
}

bool MessageRounds::test() {
    while (!is_done()) {
        int done = 0;
        check_mpi(MPI_Testall(2, requests_, &done, MPI_STATUSES_IGNORE), "wait");
        if (done == 0)
            return false;
        finish_round();
        begin_round();
    }
    return true;
}

bool MessageRounds::advance() {
    while (!is_done() && requests_[0] == MPI_REQUEST_NULL && requests_[1] == MPI_REQUEST_NULL) {
        finish_round();
        begin_round();
    }
    return is_done();
}

void MessageRounds::wait() {
    while (!is_done()) {
        check_mpi(MPI_Waitall(2, requests_, MPI_STATUSES_IGNORE), "wait");
        finish_round();
        begin_round();
    }
}

} // namespace planrt
