#include "calibrate/rates_text.h"

namespace planc::calibrate {

namespace {

std::string product(const char *name, const support::ProductRate &each, const QuantityWriter &write) {
    return std::string("        ") + name + "(peak = " + write.rate(each.flops_per_second) + ", half = [" +
           write.number(each.half[0]) + ", " + write.number(each.half[1]) + ", " + write.number(each.half[2]) +
           "], call = " + write.time(each.call) + "),\n";
}

std::string pool(const char *name, const std::optional<support::PoolRate> &each, const QuantityWriter &write) {
    return each ? std::string("        ") + name + "(peak = " + write.rate(each->flops_per_second) +
                      ", half = " + write.number(each->half) + ", call = " + write.time(each->call) + "),\n"
                : "";
}

std::string kernels_text(const support::KernelRates &rates, const QuantityWriter &write) {
    std::string text;
    if (rates.product)
        text += product("product", *rates.product, write);
    if (rates.convolution)
        text += product("convolution", *rates.convolution, write);
    if (rates.weight_gradient)
        text += product("weight_gradient", *rates.weight_gradient, write);
    if (rates.winograd)
        text += "        winograd(transform = " + write.bandwidth(rates.winograd->bytes_per_second) +
                ", weights = " + write.bandwidth(rates.winograd->weight_bytes_per_second) +
                ", call = " + write.time(rates.winograd->call) + "),\n";
    text += pool("pool", rates.pool, write);
    text += pool("pool_gradient", rates.pool_gradient, write);
    text += pool("tiled_pool_gradient", rates.tiled_pool_gradient, write);
    if (rates.loops)
        text += "        loops(peak = " + write.rate(rates.loops->flops_per_second) +
                ", call = " + write.time(rates.loops->call) + ", rest = " + write.time(rates.loops->rest) +
                ", summed_rest = " + write.time(rates.loops->summed_rest) + "),\n";
    if (rates.cache)
        text += "        cache(size = " + write.memory(rates.cache->bytes) +
                ", bandwidth = " + write.bandwidth(rates.cache->bytes_per_second) + "),\n";
    if (rates.reference.value > 0)
        text += "        reference(time = " + write.time(rates.reference) + "),\n";
    if (text.empty() && rates.wide_vectors)
        return {};
    return "    kernels = [\n" + text + "        vectors(f32 = " + (rates.wide_vectors ? "16" : "8") + "),\n    ]\n";
}

std::string collectives_text(const std::vector<support::CollectiveRate> &rates, const QuantityWriter &write) {
    if (rates.empty())
        return {};
    std::string text = "    collectives = [\n";
    for (const support::CollectiveRate &each : rates)
        text += "        " + each.collective + "(ranks = " + std::to_string(each.ranks) +
                (each.above_bytes > 0 ? ", above = " + write.memory(each.above_bytes) : "") +
                ", latency = " + write.time(each.latency) + ", bandwidth = " + write.bandwidth(each.bytes_per_second) +
                (each.processor > 0 ? ", processor = " + write.number(each.processor) : "") + "),\n";
    return text + "    ]\n";
}

} // namespace

std::string rates_text(const support::KernelRates &kernels, const std::vector<support::CollectiveRate> &collectives,
                       const QuantityWriter &write) {
    return kernels_text(kernels, write) + collectives_text(collectives, write);
}

} // namespace planc::calibrate
