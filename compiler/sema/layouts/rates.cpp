#include "sema/layouts/rates.h"

#include "sema/values/expect.h"
#include "sema/values/settings.h"

#include <algorithm>
#include <set>
#include <tuple>

namespace planc::sema {

PLANC_DIAGNOSTIC(not_positive, error, "{0} must be above zero");              // M1, M6
PLANC_DIAGNOSTIC(rate_said_twice, error, "the rate of '{0}' is given twice"); // M6
PLANC_DIAGNOSTIC(rates_not_ascending, error,
                 "'{0}' is out of order: rates " // M6
                 "ascend by collective, ranks and size");
PLANC_DIAGNOSTIC(negative_half, error, "{0} must not be below zero"); // M6
PLANC_DIAGNOSTIC(not_a_share, error, "{0} must be from 0 to 1");      // M6

namespace {

const std::vector<std::string> kernel_names{
    "product", "convolution", "weight_gradient", "winograd", "pool", "pool_gradient", "tiled_pool_gradient",
    "loops",   "cache",       "vectors",         "reference"};
const std::vector<std::string> collective_names{"allreduce", "reduce_scatter", "allgather", "alltoall", "exchange"};
constexpr std::int64_t most_ranks = 1'000'000'000;
constexpr std::int64_t most_lanes = 1'000;
constexpr std::int64_t lanes_of_wide_vectors = 16; // AVX-512

} // namespace

double positive_quantity(const Context &context, Elaborator &constants, const Arguments &arguments,
                         const std::string &name, Measure measure) {
    const syntax::CallArgument &given = arguments.require(name);
    const double amount =
        expect_quantity(context, constants.evaluate(*given.value), given.where, arguments.what(name), measure);
    if (amount <= 0)
        context.fail(not_positive, given.where, {arguments.what(name)});
    return amount;
}

support::KernelRates RatesReader::kernels(const Items &items) {
    support::KernelRates rates;
    std::set<std::string> seen;
    for (const syntax::Expression *item : items) {
        const syntax::Call &call = expect_call(context_, *item, "'kernels'", kernel_names);
        if (!seen.insert(call.callee.text).second)
            context_.fail(rate_said_twice, call.callee.where, {call.callee.text});
        read_kernel(call, rates);
    }
    return rates;
}

void RatesReader::read_kernel(const syntax::Call &call, support::KernelRates &rates) {
    const std::string &kernel = call.callee.text;
    if (kernel == "product")
        rates.product = product(call);
    else if (kernel == "convolution")
        rates.convolution = product(call);
    else if (kernel == "weight_gradient")
        rates.weight_gradient = product(call);
    else if (kernel == "pool")
        rates.pool = pool(call);
    else if (kernel == "pool_gradient")
        rates.pool_gradient = pool(call);
    else if (kernel == "tiled_pool_gradient")
        rates.tiled_pool_gradient = pool(call);
    else if (kernel == "loops")
        rates.loops = loop(call);
    else if (kernel == "winograd") {
        const Arguments arguments(context_, call, {"transform", "weights", "call"});
        rates.winograd = {positive(arguments, "transform", Measure::bandwidth),
                          positive(arguments, "weights", Measure::bandwidth), time(arguments, "call")};
    } else if (kernel == "cache") {
        const Arguments arguments(context_, call, {"size", "bandwidth"});
        rates.cache = {positive(arguments, "size", Measure::memory),
                       positive(arguments, "bandwidth", Measure::bandwidth)};
    } else if (kernel == "reference") {
        const Arguments arguments(context_, call, {"time"});
        rates.reference = support::Seconds(positive(arguments, "time", Measure::time));
    } else {
        const Arguments arguments(context_, call, {"f32"});
        const syntax::CallArgument &lanes = arguments.require("f32");
        rates.wide_vectors = expect_integer_in(context_, constants_.evaluate(*lanes.value), lanes.where,
                                               arguments.what("f32"), 1, most_lanes) >= lanes_of_wide_vectors;
    }
}

support::Seconds RatesReader::time(const Arguments &arguments, const std::string &name) {
    const syntax::CallArgument &given = arguments.require(name);
    return support::Seconds(
        expect_quantity(context_, constants_.evaluate(*given.value), given.where, arguments.what(name), Measure::time));
}

support::ProductRate RatesReader::product(const syntax::Call &call) {
    const Arguments arguments(context_, call, {"peak", "half", "call"});
    support::ProductRate rate;
    rate.flops_per_second = positive(arguments, "peak", Measure::rate);
    rate.call = time(arguments, "call");
    const syntax::CallArgument &half = arguments.require("half");
    const Value lengths = constants_.evaluate(*half.value);
    const std::vector<Value> &list = expect_list(context_, lengths, half.where, arguments.what("half"));
    if (list.size() != rate.half.size())
        fail_wrong_type(context_, half.where, arguments.what("half"), "a list [m, n, k] of three", lengths);
    for (std::size_t i = 0; i < list.size(); ++i)
        rate.half[i] = length(list[i], half, arguments.what("half"));
    return rate;
}

support::PoolRate RatesReader::pool(const syntax::Call &call) {
    const Arguments arguments(context_, call, {"peak", "half", "call"});
    support::PoolRate rate{positive(arguments, "peak", Measure::rate), 0, time(arguments, "call")};
    const syntax::CallArgument &half = arguments.require("half");
    rate.half = length(constants_.evaluate(*half.value), half, arguments.what("half"));
    return rate;
}

/// A number, not below 0.
double RatesReader::length(const Value &value, const syntax::CallArgument &given, const std::string &what) const {
    const double number = expect_number(context_, value, given.where, what);
    if (number < 0)
        context_.fail(negative_half, given.where, {what});
    return number;
}

support::LoopRate RatesReader::loop(const syntax::Call &call) {
    const Arguments arguments(context_, call, {"peak", "call", "rest", "summed_rest"});
    support::LoopRate rate{positive(arguments, "peak", Measure::rate), time(arguments, "call")};
    if (arguments.find("rest"))
        rate.rest = time(arguments, "rest");
    if (arguments.find("summed_rest"))
        rate.summed_rest = time(arguments, "summed_rest");
    return rate;
}

std::vector<support::CollectiveRate> RatesReader::collectives(const Items &items) {
    const auto place = [](const support::CollectiveRate &rate) {
        const auto kind = std::find(collective_names.begin(), collective_names.end(), rate.collective);
        return std::tuple(kind, rate.ranks, rate.above_bytes);
    };
    std::vector<support::CollectiveRate> rates;
    for (const syntax::Expression *item : items) {
        const syntax::Call &call = expect_call(context_, *item, "'collectives'", collective_names);
        rates.push_back(collective(call));
        if (rates.size() > 1 && place(rates[rates.size() - 2]) >= place(rates.back()))
            context_.fail(rates_not_ascending, call.callee.where, {call.callee.text});
    }
    return rates;
}

support::CollectiveRate RatesReader::collective(const syntax::Call &call) {
    const Arguments arguments(context_, call, {"ranks", "above", "latency", "bandwidth", "processor"});
    support::CollectiveRate rate;
    rate.collective = call.callee.text;
    const syntax::CallArgument &ranks = arguments.require("ranks");
    rate.ranks = expect_integer_in(context_, constants_.evaluate(*ranks.value), ranks.where, arguments.what("ranks"), 2,
                                   most_ranks);
    if (arguments.find("above"))
        rate.above_bytes = positive(arguments, "above", Measure::memory);
    rate.latency = time(arguments, "latency");
    rate.bytes_per_second = positive(arguments, "bandwidth", Measure::bandwidth);
    if (const syntax::CallArgument *given = arguments.find("processor")) {
        const std::string what = arguments.what("processor");
        rate.processor = expect_number(context_, constants_.evaluate(*given->value), given->where, what);
        if (rate.processor < 0 || rate.processor > 1)
            context_.fail(not_a_share, given->where, {what});
    }
    return rate;
}

} // namespace planc::sema
