#include "calibrate/measurements.h"

#include <algorithm>
#include <map>
#include <optional>

#include "llvm/Support/JSON.h"

namespace planc::calibrate {

namespace {

/// The number of entries of a shape, by kernel. Collectives have two, ranks and bytes, as do products beside them.
const std::map<std::string, std::size_t> &shapes() {
    static const std::map<std::string, std::size_t> all{{"product", 3},
                                                        {"reference", 1},
                                                        {"convolution", 9},
                                                        {"winograd_weights", 9},
                                                        {"pool", 6},
                                                        {"pool_gradient", 6},
                                                        {"update", 1},
                                                        {"function", 1},
                                                        {"rows", 2},
                                                        {"row_sums", 2},
                                                        {"allreduce", 2},
                                                        {"reduce_scatter", 2},
                                                        {"allgather", 2},
                                                        {"alltoall", 2},
                                                        {"exchange", 2},
                                                        {"allreduce_beside", 2},
                                                        {"reduce_scatter_beside", 2},
                                                        {"allgather_beside", 2},
                                                        {"alltoall_beside", 2},
                                                        {"exchange_beside", 2},
                                                        {"products_beside", 2}};
    return all;
}

std::string wrong(std::size_t number, const std::string &what) {
    return "measurement " + std::to_string(number + 1) + " " + what;
}

/// Reads one measurement. Returns an empty text or the error.
std::string read_one(const llvm::json::Value &value, std::size_t number, Measurement &result) {
    const llvm::json::Object *object = value.getAsObject();
    if (object == nullptr)
        return wrong(number, "is not an object");
    const auto kernel = object->getString("kernel");
    const auto known = kernel ? shapes().find(kernel->str()) : shapes().end();
    if (known == shapes().end())
        return wrong(number, "names an unknown kernel");
    result.kernel = known->first;
    const llvm::json::Array *shape = object->getArray("shape");
    if (shape == nullptr || shape->size() != known->second)
        return wrong(number, "needs a shape of " + std::to_string(known->second) + " numbers");
    for (const llvm::json::Value &each : *shape) {
        const auto size = each.getAsInteger();
        const bool may_be_0 = known->second == 9 && (result.shape.empty() || result.shape.size() == 8);
        if (!size || *size < (may_be_0 ? 0 : 1)) // the kind of a convolution and its padding
            return wrong(number, "has a shape with an entry that is not a number above 0");
        result.shape.push_back(*size);
    }
    const auto seconds = object->getNumber("seconds");
    const auto spread = object->getNumber("spread");
    if (!seconds || !(*seconds > 0) || !spread || !(*spread >= 0))
        return wrong(number, "needs 'seconds' above 0 and a 'spread'");
    result.seconds = *seconds;
    result.spread = *spread;
    return {};
}

} // namespace

std::vector<Measurement> Measurements::of(const std::string &kernel) const {
    std::vector<Measurement> result;
    std::ranges::copy_if(all, std::back_inserter(result),
                         [&kernel](const Measurement &each) { return each.kernel == kernel; });
    return result;
}

std::variant<Measurements, std::string> read_measurements(const std::string &json) {
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(json);
    if (!parsed)
        return llvm::toString(parsed.takeError());
    const llvm::json::Object *object = parsed->getAsObject();
    const llvm::json::Array *list = object == nullptr ? nullptr : object->getArray("measurements");
    const auto ranks = object == nullptr ? std::nullopt : object->getInteger("ranks");
    const auto avx512 = object == nullptr ? std::nullopt : object->getBoolean("avx512");
    if (list == nullptr || !ranks || *ranks < 1 || !avx512)
        return std::string("it needs 'ranks', 'avx512' and 'measurements'");
    Measurements result{*ranks, *avx512, {}};
    for (std::size_t i = 0; i < list->size(); ++i)
        if (std::string error = read_one((*list)[i], i, result.all.emplace_back()); !error.empty())
            return error;
    return result;
}

} // namespace planc::calibrate
