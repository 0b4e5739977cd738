#include "certificate/certificate.h"

#include "support/json.h"

#include "llvm/Support/JSON.h"

#include <charconv>
#include <cmath>
#include <limits>
#include <map>

namespace planc::certificate {

namespace {

constexpr int format = 5;
constexpr int deepest = 16; ///< brackets within brackets

/// Lists of numbers, each written once, because alike layers have equal messages. They are texts, "3 -1 4", because a
/// JSON list takes a line for each number.
class Lists {
  public:
    template <class T> std::int64_t place(const std::vector<T> &list) {
        return known_.emplace(words(list), static_cast<std::int64_t>(known_.size())).first->second;
    }
    template <class All> std::string places(const All &all) {
        std::vector<std::int64_t> result;
        for (const auto &list : all)
            result.push_back(place(list));
        return words(result);
    }
    template <class T> static std::string words(const std::vector<T> &list) {
        std::string text;
        for (const T each : list)
            text += (text.empty() ? "" : " ") + word(each);
        return text;
    }
    void write(support::JsonWriter &json) const {
        std::vector<const std::string *> ordered(known_.size());
        for (const auto &[text, at] : known_)
            ordered[static_cast<std::size_t>(at)] = &text;
        json.key("lists").begin_array();
        for (const std::string *text : ordered)
            json.value(*text);
        json.end_array();
    }

  private:
    template <std::integral T> static std::string word(T number) { return std::to_string(number); }
    static std::string word(ValueId value) { return std::to_string(value.number()); }

    std::map<std::string, std::int64_t> known_;
};

template <class T> void write(support::JsonWriter &json, const char *name, const std::vector<T> &list) {
    json.key(name).begin_array();
    for (const T &each : list)
        json.value(each);
    json.end_array();
}

void write(support::JsonWriter &json, const Storage &storage) {
    json.key("store").begin_object();
    json.member("params", Lists::words(storage.parameters));
    json.member("gradients", Lists::words(storage.gradients));
    json.member("optimizer", Lists::words(storage.optimizer)).end_object();
}

void write(support::JsonWriter &json, const SharedCall &call) {
    json.member("update", call.update).member("element_bytes", call.element_bytes);
    json.member("axes", Lists::words(call.axes));
}

void write(support::JsonWriter &json, const Node &node, Lists &lists) {
    json.begin_object().member("seconds_per_byte", node.weights.seconds_per_byte);
    json.member("penalty_seconds", node.weights.penalty);
    json.member("memory_at_operation", node.weights.operation.number()).key("shared_latency").begin_array();
    for (const auto &[call, values] : node.weights.latency) {
        json.begin_object();
        write(json, call);
        json.member("values", lists.place(values)).end_object();
    }
    json.end_array().key("rounds").begin_array();
    for (const Round &round : node.rounds) {
        json.begin_object().member("whole", round.whole).member("unit_seconds", round.unit);
        json.member("messages", lists.places(round.messages)).member("kept", lists.places(round.kept)).end_object();
    }
    json.end_array().member("layer", node.layer.number());
    if (node.call) {
        json.key("call").begin_object();
        write(json, *node.call);
        json.end_object();
    }
    json.key("branches").begin_array();
    for (const Node::Branch &branch : node.branches)
        json.begin_object().member("kept", Lists::words(branch.kept)).member("node", branch.node).end_object();
    json.end_array().end_object();
}

void write(support::JsonWriter &json, const Part &part, Lists &lists) {
    json.begin_object();
    write(json, "axes", part.axes);
    json.member("sizes", Lists::words(part.sizes));
    write(json, part.storage);
    json.member("lower_bound_seconds", part.lower_bound);
    json.key("nodes").begin_array();
    for (const Node &node : part.nodes)
        write(json, node, lists);
    json.end_array().end_object();
}

void write(support::JsonWriter &json, const LayerStrategy &strategy) {
    write(json, "split", strategy.loop_of_axis);
    json.member("order", Lists::words(strategy.order));
}

void write(support::JsonWriter &json, const PricedPlan &cheapest) {
    json.key("cheapest").begin_object();
    write(json, "axes", cheapest.axes);
    json.member("sizes", Lists::words(cheapest.sizes));
    write(json, cheapest.storage);
    json.key("layers").begin_array();
    for (const LayerStrategy &layer : cheapest.layers) {
        json.begin_object();
        write(json, layer);
        json.end_object();
    }
    json.end_array().member("seconds", cheapest.cost).end_object();
}

void write(support::JsonWriter &json, const PipelineClaim &pipeline) {
    json.key("pipeline").begin_object().member("axis", pipeline.axis).member("schedule", pipeline.schedule);
    json.member("chunks", pipeline.chunks).member("any_depth", pipeline.any_depth);
    json.member("stages", Lists::words(pipeline.stages)).end_object();
}

struct Malformed {
    std::string line;
};

/// A value with its path, for messages: "proof.parts[3].axes".
class Reader {
  public:
    Reader(const llvm::json::Value &value, std::string path) : value_(value), path_(std::move(path)) {}

    [[nodiscard]] Reader operator[](const char *name) const {
        const llvm::json::Object *object = value_.getAsObject();
        const llvm::json::Value *member = object == nullptr ? nullptr : object->get(name);
        if (member == nullptr)
            fail(std::string("has no '") + name + "'");
        return {*member, path_.empty() ? name : path_ + "." + name};
    }
    [[nodiscard]] bool has(const char *name) const {
        const llvm::json::Object *object = value_.getAsObject();
        return object != nullptr && object->get(name) != nullptr;
    }
    [[nodiscard]] std::vector<Reader> list() const {
        const llvm::json::Array *array = value_.getAsArray();
        if (array == nullptr)
            fail("is not a list");
        std::vector<Reader> result;
        for (std::size_t i = 0; i < array->size(); ++i)
            result.push_back({(*array)[i], path_ + "[" + std::to_string(i) + "]"});
        return result;
    }
    [[nodiscard]] std::string text() const {
        const auto text = value_.getAsString();
        if (!text)
            fail("is not a string");
        return text->str();
    }
    [[nodiscard]] bool truth() const {
        const auto truth = value_.getAsBoolean();
        if (!truth)
            fail("is neither true nor false");
        return *truth;
    }
    [[nodiscard]] double number() const {
        const auto number = value_.getAsNumber();
        if (!number || !std::isfinite(*number))
            fail("is not a number");
        return *number;
    }
    template <class T> [[nodiscard]] T integer() const {
        const auto number = value_.getAsInteger();
        if (!number || *number < std::numeric_limits<T>::min() || *number > std::numeric_limits<T>::max())
            fail("is not a whole number");
        return static_cast<T>(*number);
    }
    /// "3 -1 4".
    template <class T> [[nodiscard]] std::vector<T> numbers() const {
        const std::string all = text();
        std::vector<T> result;
        const char *at = all.data();
        const char *end = at + all.size();
        while (at != end) {
            const auto [next, error] = std::from_chars(at, end, result.emplace_back());
            if (error != std::errc() || (next != end && (*next != ' ' || next + 1 == end)))
                fail("is not a list of whole numbers separated by blanks");
            at = next == end ? end : next + 1;
        }
        return result;
    }
    /// The element of `all` that the number refers to, or each number.
    template <class T> [[nodiscard]] std::vector<T> list_of(const std::vector<Reader> &all) const {
        return at(integer<std::int64_t>(), all).numbers<T>();
    }
    template <class T> [[nodiscard]] std::vector<std::vector<T>> lists_of(const std::vector<Reader> &all) const {
        std::vector<std::vector<T>> result;
        for (const std::int64_t place : numbers<std::int64_t>())
            result.push_back(at(place, all).numbers<T>());
        return result;
    }
    [[noreturn]] void fail(const std::string &what) const {
        throw Malformed{(path_.empty() ? "it" : path_) + " " + what};
    }

  private:
    [[nodiscard]] const Reader &at(std::int64_t place, const std::vector<Reader> &all) const {
        if (place < 0 || place >= static_cast<std::int64_t>(all.size()))
            fail("names list " + std::to_string(place) + ", which does not exist");
        return all[static_cast<std::size_t>(place)];
    }

    const llvm::json::Value &value_;
    std::string path_;
};

std::vector<std::string> texts(const Reader &reader) {
    std::vector<std::string> result;
    for (const Reader &each : reader.list())
        result.push_back(each.text());
    return result;
}

Storage storage(const Reader &reader) {
    return {reader["params"].numbers<int>(), reader["gradients"].numbers<int>(), reader["optimizer"].numbers<int>()};
}

LayerStrategy strategy(const Reader &reader) {
    return {texts(reader["split"]), reader["order"].numbers<int>()};
}

PricedPlan priced_plan(const Reader &reader) {
    PricedPlan result{texts(reader["axes"]),
                      reader["sizes"].numbers<int>(),
                      storage(reader["store"]),
                      {},
                      reader["seconds"].number()};
    for (const Reader &layer : reader["layers"].list())
        result.layers.push_back(strategy(layer));
    return result;
}

SharedCall shared_call(const Reader &reader) {
    return {reader["update"].truth(), reader["element_bytes"].integer<int>(), reader["axes"].numbers<int>()};
}

Node node(const Reader &reader, const std::vector<Reader> &lists) {
    Node result;
    result.weights.seconds_per_byte = reader["seconds_per_byte"].number();
    result.weights.penalty = reader["penalty_seconds"].number();
    result.weights.operation = OperationId(reader["memory_at_operation"].integer<int>());
    for (const Reader &call : reader["shared_latency"].list()) {
        const SharedCall shared = shared_call(call);
        const std::vector<int> values = call["values"].list_of<int>(lists);
        if (!result.weights.latency.emplace(shared, std::vector<ValueId>(values.begin(), values.end())).second)
            call.fail("shares the latency of a call a second time");
    }
    for (const Reader &round : reader["rounds"].list())
        result.rounds.push_back({round["whole"].truth(), round["unit_seconds"].number(),
                                 round["messages"].lists_of<std::int64_t>(lists),
                                 Kept(round["kept"].lists_of<int>(lists))});
    result.layer = LayerId(reader["layer"].integer<int>());
    if (reader.has("call"))
        result.call = shared_call(reader["call"]);
    for (const Reader &branch : reader["branches"].list())
        result.branches.push_back({branch["kept"].numbers<int>(), branch["node"].integer<int>()});
    return result;
}

Part part(const Reader &reader, const std::vector<Reader> &lists) {
    Part result{texts(reader["axes"]),
                reader["sizes"].numbers<int>(),
                storage(reader["store"]),
                reader["lower_bound_seconds"].number(),
                {}};
    for (const Reader &each : reader["nodes"].list())
        result.nodes.push_back(node(each, lists));
    return result;
}

PipelineClaim pipeline(const Reader &reader) {
    return {reader["axis"].text(), reader["schedule"].text(), reader["chunks"].integer<int>(),
            reader["any_depth"].truth(), reader["stages"].numbers<int>()};
}

Certificate certificate(const Reader &reader) {
    Certificate result;
    if (reader["planc_certificate"].integer<int>() != format)
        throw Malformed{"it was written by another version of planc"};
    const Reader asked = reader["asked"];
    result.asked = {asked["network"].text(), asked["machine"].text(), asked["rules"].text(),
                    asked["ranks"].integer<int>(), asked["memory_limit_bytes"].number()};
    const Reader question = reader["question"];
    result.question = {texts(question["options"]), question["microbatches"].integer<std::int64_t>(),
                       texts(question["recompute"]), question["cover"].integer<std::int64_t>()};
    const Reader plan = reader["plan"];
    result.axes = texts(plan["axes"]);
    result.sizes = plan["sizes"].numbers<int>();
    result.storage = storage(plan["store"]);
    if (plan.has("pipeline"))
        result.pipeline = pipeline(plan["pipeline"]);
    for (const Reader &layer : plan["layers"].list())
        result.layers.push_back({layer["name"].text(), strategy(layer), layer["compute_seconds"].number(),
                                 layer["communication_seconds"].number()});
    if (reader.has("cheapest"))
        result.cheapest = priced_plan(reader["cheapest"]);
    const Reader cost = reader["cost"];
    result.cost = cost["seconds"].number();
    result.compute = cost["compute_seconds"].number();
    result.communication = cost["communication_seconds"].number();
    result.reshards = cost["reshard_seconds"].number();
    result.latency = cost["fused_latency_seconds"].number();
    result.memory = cost["memory_bytes"].number();
    result.lower_bound = reader["lower_bound_seconds"].number();
    result.search_lower_bound = reader["search_lower_bound_seconds"].number();
    result.gap = reader["gap"].number();
    const std::vector<Reader> lists = reader["lists"].list();
    for (const Reader &each : reader["proof"].list())
        result.parts.push_back(part(each, lists));
    for (const Reader &each : reader["depths"].list())
        result.depths.push_back(
            {each["axis"].text(), each["ranks"].integer<int>(), each["lower_bound_seconds"].number()});
    return result;
}

/// The offset at which brackets nest more deeply than in any certificate; 0 if nowhere.
std::size_t too_deep(const std::string &text) {
    int depth = 0;
    bool quoted = false;
    for (std::size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (quoted && c == '\\')
            ++at;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > deepest)
            return at + 1;
        else if (!quoted && (c == ']' || c == '}'))
            --depth;
    }
    return 0;
}

} // namespace

std::string to_json(const Certificate &certificate) {
    Lists lists;
    support::JsonWriter json;
    json.begin_object().member("planc_certificate", format);
    json.key("asked").begin_object().member("network", certificate.asked.network);
    json.member("machine", certificate.asked.machine).member("rules", certificate.asked.rules);
    json.member("ranks", certificate.asked.ranks).member("memory_limit_bytes", certificate.asked.memory_limit);
    json.end_object().key("question").begin_object();
    write(json, "options", certificate.question.options);
    json.member("microbatches", certificate.question.microbatches);
    write(json, "recompute", certificate.question.recompute);
    json.member("cover", certificate.question.cover);
    json.end_object().key("plan").begin_object();
    write(json, "axes", certificate.axes);
    json.member("sizes", Lists::words(certificate.sizes));
    write(json, certificate.storage);
    if (certificate.pipeline)
        write(json, *certificate.pipeline);
    json.key("layers").begin_array();
    for (const LayerClaim &layer : certificate.layers) {
        json.begin_object().member("name", layer.name);
        write(json, layer.strategy);
        json.member("compute_seconds", layer.compute);
        json.member("communication_seconds", layer.communication).end_object();
    }
    json.end_array().end_object();
    if (certificate.cheapest)
        write(json, *certificate.cheapest);
    json.key("cost").begin_object().member("seconds", certificate.cost);
    json.member("compute_seconds", certificate.compute).member("communication_seconds", certificate.communication);
    json.member("reshard_seconds", certificate.reshards).member("fused_latency_seconds", certificate.latency);
    json.member("memory_bytes", certificate.memory).end_object();
    json.member("lower_bound_seconds", certificate.lower_bound).member("gap", certificate.gap);
    json.member("search_lower_bound_seconds", certificate.search_lower_bound).key("proof").begin_array();
    for (const Part &part : certificate.parts)
        write(json, part, lists);
    json.end_array().key("depths").begin_array();
    for (const Depth &depth : certificate.depths)
        json.begin_object()
            .member("axis", depth.axis)
            .member("ranks", depth.ranks)
            .member("lower_bound_seconds", depth.lower_bound)
            .end_object();
    json.end_array();
    lists.write(json);
    return json.end_object().text();
}

std::variant<Certificate, std::string> from_json(const std::string &text) {
    if (const std::size_t at = too_deep(text); at > 0)
        return "byte " + std::to_string(at) + ": brackets are nested too deeply";
    llvm::Expected<llvm::json::Value> parsed = llvm::json::parse(text);
    if (!parsed)
        return llvm::toString(parsed.takeError());
    try {
        return certificate(Reader(*parsed, ""));
    } catch (const Malformed &malformed) {
        return malformed.line;
    }
}

} // namespace planc::certificate
