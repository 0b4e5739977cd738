// A collective by messages: executes the rounds of steps() one after another. Messages, their types and their buffers
// are prepared at set-up.
#pragma once

#include "collectives/box_copy.h"
#include "collectives/combine.h"
#include "collectives/operation.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace planrt {

class MessageRounds {
  public:
    struct Message {
        std::byte *data = nullptr;
        int count = 0;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        int rank = -1; ///< of the world; -1: none
    };
    struct Round {
        Message send;
        Message receive;
        Positions combined = {}; ///< positions in the vector to combine with; empty: received in place
        bool received_first = false;
        std::vector<BoxCopy> packing = {}; ///< into what is sent, before
    };

    /// `vector`: the vector of Procedure. The scratch after its first `packed` elements holds what a round receives to
    /// combine. `tag`: see make_all_reduce().
    MessageRounds(const Collective &collective, const Place &place, int tag, std::byte *vector, std::int64_t packed);
    /// For rounds that combine nothing. `payload_bytes`: of the collective, which counts as one call; -1: each message
    /// counts as a call.
    MessageRounds(std::vector<Round> rounds, const Place &place, int tag, std::int64_t payload_bytes = 0);
    MessageRounds(const MessageRounds &) = delete;
    MessageRounds &operator=(const MessageRounds &) = delete;

    /// The rank's block of the vector: elements.
    [[nodiscard]] const Range &own() const { return own_; }

    /// Starts. The vector must be filled as steps() requires.
    void start();
    /// From now on only the first `rounds` may begin; all of them if there are fewer.
    void allow(std::size_t rounds);
    /// How many rounds are done.
    [[nodiscard]] std::size_t done() const { return round_; }
    /// Advances as far as messages have arrived. Returns true once all rounds are done that may begin.
    [[nodiscard]] bool test();
    void wait();
    /// Continues after all messages of the round were waited for one by one (add_requests()). Returns true once all
    /// rounds are done that may begin.
    [[nodiscard]] bool advance();
    void add_requests(std::vector<MPI_Request *> &requests) {
        requests.insert(requests.end(), {&requests_[0], &requests_[1]});
    }

  private:
    /// The elements at `positions` of `vector`, to or from a member.
    [[nodiscard]] Message message(std::byte *vector, const Positions &positions, const Procedure &procedure,
                                  int member);
    /// Whether all rounds are done that may begin.
    [[nodiscard]] bool is_done() const { return round_ >= std::min(allowed_, rounds_.size()); }
    /// Begins the next round in which the rank has something to do.
    void begin_round();
    void finish_round();

    std::byte *vector_ = nullptr;
    std::byte *received_ = nullptr; ///< received elements, to be combined
    std::int64_t element_bytes_ = 0;
    MPI_Datatype type_ = MPI_DATATYPE_NULL;
    Combine combine_ = nullptr;
    MPI_Comm all_;
    int tag_;
    Range own_;
    std::int64_t payload_bytes_ = 0; ///< as planrt::traffic counts it
    std::vector<Round> rounds_;      ///< without those in which the rank has nothing to do
    MessageTypes types_;
    std::size_t round_ = 0;
    std::size_t allowed_ = SIZE_MAX;
    MPI_Request requests_[2] = {MPI_REQUEST_NULL, MPI_REQUEST_NULL}; ///< receive, send
};

} // namespace planrt
