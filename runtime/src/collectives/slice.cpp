// Slice: every rank keeps the part of its block that it needs, without communication.
#include "collectives/operation.h"

namespace planrt {

namespace {

class Slice : public Operation {
  public:
    explicit Slice(const MemberBlocks &member)
        : copy_(member.from, member.own_from, member.to, member.own_to, member.own_to, member.bytes) {}
    void start() override { copy_.run(); }
    void finish() override {}

  private:
    BoxCopy copy_;
};

} // namespace

OperationPointer make_slice(const Collective &collective, const Place &place) {
    return std::make_unique<Slice>(MemberBlocks(collective.members[0], place));
}

} // namespace planrt
