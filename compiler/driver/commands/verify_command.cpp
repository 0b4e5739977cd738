// planc verify, and what it reads: the certificates of planc plan and planc explain.

#include "driver/commands/certify.h"
#include "driver/commands/commands.h"
#include "driver/files/read_file.h"

#include "certificate/certificate.h"
#include "certificate/space.h"
#include "cost/reports/report.h"
#include "plan/space/space.h"

#include <algorithm>
#include <cstdio>
#include <iostream>

namespace planc::driver {

namespace {

/// The options that decide the plan.
std::string mesh_words(const std::vector<MeshSetting> &settings) {
    std::string text;
    for (const MeshSetting &setting : settings) {
        std::string sizes;
        for (const std::int64_t size : setting.sizes)
            sizes += (sizes.empty() ? "" : ",") + std::to_string(size);
        text += (text.empty() ? "" : ",") + setting.axis + "=" + (setting.is_list ? "[" + sizes + "]" : sizes);
    }
    return text;
}

std::vector<std::string> words_of(const Options &options) {
    std::vector<std::string> words;
    const auto say = [&words](const char *option, const std::string &value) {
        if (!value.empty())
            words.insert(words.end(), {option, value});
    };
    const auto sizes = [](const std::vector<std::pair<std::string, std::int64_t>> &list) {
        std::string text;
        for (const auto &[name, size] : list)
            text += (text.empty() ? "" : ",") + name + "=" + std::to_string(size);
        return text;
    };
    std::string settings;
    for (const MachineSetting &setting : options.machine_settings)
        settings += (settings.empty() ? "" : ",") + setting.name + "=" + setting.amounts.front().text;
    say("--ranks", options.ranks ? std::to_string(*options.ranks) : "");
    say("--mesh", mesh_words(options.mesh));
    say("--layout", options.layout);
    say("--machine", options.machine);
    say("--machine-set", settings);
    say("--dim", sizes(options.dimensions));
    return words;
}

/// The options of the certified command, for the file, or the error. Only the options of words_of() are allowed.
std::variant<Options, std::string> options_of(const certificate::Question &question, const std::string &file) {
    static const std::vector<std::string> known{"--ranks", "--mesh", "--layout", "--machine", "--machine-set", "--dim"};
    std::vector<std::string> words{"plan"};
    for (std::size_t i = 0; i < question.options.size(); ++i) {
        if (i % 2 == 0 && std::find(known.begin(), known.end(), question.options[i]) == known.end())
            return "question.options: '" + question.options[i] + "' does not go with a certificate";
        words.push_back(question.options[i]);
    }
    words.insert(words.end(), {"--", file});
    auto parsed = parse_options(words);
    if (auto *wrong = std::get_if<std::string>(&parsed))
        return "question.options: " + *wrong;
    return parsed;
}

std::string what_is_bounded(const certificate::Certificate &certificate, const Compilation &compilation) {
    if (certificate.pipeline)
        return "by its computation alone, no pipeline of " + std::to_string(certificate.question.microbatches) +
               (certificate.question.microbatches == 1 ? " micro-batch" : " micro-batches") + " takes less";
    const auto meshes = certificate::shapes(compilation.request().request).size();
    const std::int64_t cover = certificate.question.cover;
    const std::string covers = cover > 0 ? " with minimal covers of " + std::to_string(cover) + " parts" : "";
    return "no plan" + covers + " on " +
           (meshes == 1 ? "this mesh" : "any of the " + std::to_string(meshes) + " mesh shapes") +
           plan::limited_to(certificate::most_groups(compilation.request().request)) + " takes less";
}

std::string verdict(const certificate::Certificate &certificate, const Options &options, const Options &question,
                    const Compilation &compilation) {
    char gap[32];
    std::snprintf(gap, sizeof gap, "%.2g %%", 100 * certificate.gap);
    std::string text = options.file + " holds: " + question.file + ", layout " + compilation.request().layout + " on " +
                       std::to_string(certificate.asked.ranks) + " ranks (" +
                       cost::mesh_words(certificate.axes, {certificate.sizes}) + ") of machine " +
                       compilation.request().request.machine.name + "\n";
    text += "cost " + cost::human_seconds(cost::Seconds(certificate.cost)) + " a step, memory " +
            cost::human_bytes(cost::Bytes(certificate.memory)) + " a rank\n";
    text += "lower bound " + cost::human_seconds(cost::Seconds(certificate.lower_bound)) + ": " +
            what_is_bounded(certificate, compilation);
    if (certificate.gap > 1e-9)
        text +=
            std::string("; the optimality gap ") + (certificate.cheapest ? "of the least price " : "") + "is " + gap;
    text += "\n";
    if (certificate.cheapest)
        text += "the least price is that of another plan, " +
                cost::human_seconds(cost::Seconds(certificate.cheapest->cost)) + ", " +
                cost::percent(1 - certificate.cheapest->cost / certificate.cost) +
                " less; that this one takes less with overlap is not proved\n";
    if (certificate.search_lower_bound > certificate.lower_bound * (1 + 1e-9))
        text += "the search's own lower bound is " +
                cost::human_seconds(cost::Seconds(certificate.search_lower_bound)) +
                "; the certificate does not prove it\n";
    return text;
}

} // namespace

std::string certificate_text(const Compilation &compilation, const Options &options) {
    certificate::Certificate certificate = certificate::prove(compilation.request().request, compilation.plan());
    const planning::MemorySavings &savings = compilation.savings();
    certificate.question = {words_of(options), savings.microbatches, savings.recompute, savings.cover};
    return certificate::to_json(certificate);
}

int verify_command(const Options &options) {
    const auto fail = [&options](const std::string &line) {
        std::cerr << "planc: '" << options.file << "': " << line << '\n';
        return input_error;
    };
    std::string text;
    if (const std::string error = read_file(options.file, text); !error.empty()) {
        std::cerr << "planc: " << error << '\n';
        return input_error;
    }
    const auto read = certificate::from_json(text);
    if (const auto *wrong = std::get_if<std::string>(&read))
        return fail(*wrong);
    const auto &certificate = std::get<certificate::Certificate>(read);
    auto parsed = options_of(certificate.question, options.lists.files.back());
    if (const auto *wrong = std::get_if<std::string>(&parsed))
        return fail(*wrong);
    Options &question = std::get<Options>(parsed);
    question.data = options.data; // where the files of sparse arguments are here
    Compilation compilation(question);
    const auto &[words, microbatches, recompute, cover] = certificate.question;
    if (!compilation.request_with({microbatches, recompute, cover}))
        return compilation.exit_code() == usage_error ? input_error : compilation.exit_code();
    plan::Request request = compilation.request().request;
    if (certificate.pipeline && request.pipeline) { // which rules may leave open
        request.pipeline->wanted = true;
        request.pipeline->any_depth = certificate.pipeline->any_depth;
    }
    // The search may have planned for a smaller limit than the requested one (planning/memory_target.h).
    if (certificate.asked.memory_limit > 0 && certificate.asked.memory_limit < certificate::byte_limit(request))
        request.memory_limit_bytes = certificate.asked.memory_limit;
    if (const std::string wrong = certificate::check(certificate, request); !wrong.empty())
        return fail(wrong);
    std::cout << verdict(certificate, options, question, compilation);
    return done;
}

} // namespace planc::driver
