#include "timeline/collective_price.h"

#include "cost/collectives/step_price.h"
#include "cost/collectives/traffic.h"
#include "cost/collectives/unit_flows.h"
#include "schedule/functions.h"
#include "sharding/bucket.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

namespace planc::timeline {

using planrt::CollectiveKind;

namespace {

/// Whether the collective may travel in a bucket (sharding::fusable()): small gradients that only the update uses.
bool is_fusable(const schedule::CollectiveInfo &info, ir::WaitOp wait, const planrt::Mesh &mesh) {
    const auto small = [&](const schedule::CollectiveInfo::Member &member) {
        return member.from.reduction == planrt::Reduction::sum &&
               planrt::largest_volume(member.to, mesh) * member.element_bytes <= sharding::largest_fused_bytes;
    };
    return info.kind == CollectiveKind::all_reduce && schedule::phase_of(wait) == "weight gradient" &&
           std::all_of(info.members.begin(), info.members.end(), small) &&
           llvm::all_of(wait->getUsers(), [](mlir::Operation *user) {
               return schedule::phase_of(user) == "update" || user->hasTrait<mlir::OpTrait::IsTerminator>();
           });
}

const cost::Group &group_of(const std::vector<int> &axes, const planrt::Mesh &whole, const planrt::Role &role,
                            const cost::Machine &machine, std::map<std::vector<int>, cost::Group> &groups) {
    const auto known = groups.find(axes);
    return known != groups.end() ? known->second
                                 : groups.emplace(axes, cost::group(axes, whole, role, machine)).first->second;
}

} // namespace

CollectivePrice::CollectivePrice(ir::StartOp start, ir::WaitOp wait, ir::MeshAttr mesh, const planrt::Mesh &whole,
                                 const planrt::Role &role, const cost::Machine &machine, KnownCollectives &known)
    : info_(schedule::collective_info(start, mesh)), mesh_(ir::mesh_of(mesh)), machine_(machine),
      group_(group_of(info_.axes, whole, role, machine, known.groups)), in_bucket_(is_fusable(info_, wait, mesh_)) {
    for (const schedule::CollectiveInfo::Member &member : info_.members) {
        const sharding::Step &step = steps_.emplace_back(info_.kind, info_.axes, member.from, member.to);
        std::vector<cost::Flow> &flow = known.flows[cost::key(step)];
        if (flow.empty()) {
            const bool by_units = cost::counts_units(step, group_, mesh_, whole, machine);
            const bool alike = !by_units && cost::uniform_traffic(step, mesh_);
            flow = alike ? std::vector{cost::busiest_flows(step, mesh_).sender} : cost::flow_by_rank(step, mesh_);
            if (by_units)
                cost::count_unit_flows(flow, step, mesh_, machine);
        }
        flows_.push_back(&flow);
    }
}

CollectivePrice::Rank CollectivePrice::price(const std::vector<cost::Flow> &flows) const {
    cost::Seconds latency{};
    cost::Seconds rest{};
    Rank result;
    bool measured = false;
    cost::Seconds work_of_latency{};
    for (std::size_t m = 0; m < steps_.size(); ++m) {
        const cost::StepPrice price = cost::price_flow(steps_[m], flows[m], info_.members[m].element_bytes, group_,
                                                       machine_, in_bucket_, &info_.method);
        const double processor = price.rate != nullptr ? price.rate->processor : 0;
        const cost::Seconds own = price.price.seconds() - price.price.latency;
        if (price.price.latency > latency) {
            latency = price.price.latency;
            work_of_latency = processor * latency;
        }
        measured = measured || price.rate != nullptr;
        rest += own;
        result.work += processor * own;
        if (info_.kind != CollectiveKind::exchange)
            result.rounds = std::max(result.rounds, static_cast<int>(std::lround(price.price.messages)));
    }
    if (info_.staged_rounds > 0 && info_.kind == CollectiveKind::exchange) { // else its messages are as many rounds
        latency = info_.staged_rounds * latency;
        work_of_latency = info_.staged_rounds * work_of_latency;
    }
    if (info_.staged_rounds > 0)
        result.rounds = info_.staged_rounds;
    result.seconds = latency + rest;
    result.work += work_of_latency;
    result.latency = measured ? cost::Seconds(0) : latency;
    return result;
}

std::vector<CollectivePrice::Rank> CollectivePrice::on(const std::vector<int> &ranks) const {
    std::vector<Rank> result;
    result.reserve(ranks.size());
    std::vector<std::pair<std::vector<cost::Flow>, Rank>> known; // few ranks differ
    std::vector<cost::Flow> flows(steps_.size());
    for (int rank : ranks) {
        for (std::size_t m = 0; m < steps_.size(); ++m)
            flows[m] = flows_[m]->size() == 1 ? flows_[m]->front() : (*flows_[m])[static_cast<std::size_t>(rank)];
        auto at = std::find_if(known.begin(), known.end(), [&](const auto &each) { return each.first == flows; });
        if (at == known.end())
            at = known.emplace(at, flows, price(flows));
        result.push_back(at->second);
    }
    return result;
}

std::vector<std::vector<std::int64_t>> CollectivePrice::numbers() const {
    std::vector<std::vector<std::int64_t>> columns;
    for (const std::vector<cost::Flow> *flows : flows_) {
        if (flows->size() == 1)
            continue;
        std::vector<std::int64_t> sent;
        std::vector<std::int64_t> calls;
        std::vector<std::int64_t> received;
        for (const cost::Flow &flow : *flows) {
            sent.push_back(flow.sent.elements);
            calls.push_back(flow.sent.calls);
            received.push_back(flow.received);
        }
        for (auto *column : {&sent, &calls, &received})
            columns.push_back(std::move(*column));
        for (std::size_t level = 0; level < flows->front().through.size(); ++level)
            for (std::vector<std::int64_t> &column = columns.emplace_back(); const cost::Flow &flow : *flows)
                column.push_back(flow.through[level]);
    }
    return columns;
}

} // namespace planc::timeline
