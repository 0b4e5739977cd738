// Plans with a pipeline: what the request allows, and what none of them can beat.
//
// The price of such a plan is that of plan/pipeline/price_pipeline.h, which is trusted as evaluate() is. The bound is
// by computation alone. There are n micro-batches and d ranks of the pipeline's axis. On as many ranks as a stage has,
// all layers take F for the forward pass of a micro-batch, I and W for its gradients of inputs and weights, U to
// update:
//
//   step >= F + I                                       one micro-batch passes through all stages
//   step >= (n (F + I + W) + U + before(F)) / d         a rank begins after the forward passes of those before it
//   step >= (n (F + I) + before(F + I)) / d             and they need its input gradients after it
//
// before(X): of all ways to divide X among d ranks, no share being above step / n, the least sum, over all ranks, of
// the shares before each. It is 0 where a rank may have several stages.
#pragma once

#include "certificate/certificate.h"
#include "certificate/space.h"

namespace planc::certificate {

/// Whether plans with a pipeline were asked for.
[[nodiscard]] bool wants_pipeline(const plan::Request &request);

/// All depths that the request allows, by ranks, then in the order of the axes, each with a bound: no pipeline of this
/// depth takes less, unless it takes more than `known`.
[[nodiscard]] std::vector<Depth> depths(const plan::Request &request, double known);

/// The price of the plan, with a pipeline or without.
[[nodiscard]] cost::CostTable price_of(const plan::Plan &plan, const plan::Request &request);

/// The claim as a plan.
[[nodiscard]] plan::Plan plan_of(const Certificate &claimed, const plan::Request &request);
[[nodiscard]] PipelineClaim claim_of(const plan::Request &request, const plan::PipelinePlan &pipeline);
/// Why the request does not allow the plan: one line; empty: it does. Strategies and storage are not looked at.
[[nodiscard]] std::string fault_of(const plan::Plan &plan, const plan::Request &request);
/// The mesh of the ranks on which a layer lies.
[[nodiscard]] Shape shape_of(const plan::Plan &plan, const plan::Request &request, LayerId layer);

} // namespace planc::certificate
