#include "run/training/log.h"

#include "support/plain_failure.h"

#include <mpi.h>

#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>

namespace planrt {

namespace {

/// The bytes of the complete lines before the first line of a step after `steps`.
std::uint64_t bytes_until(const std::string &path, std::int64_t steps) {
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(path, ignored)) // a pipe would keep us waiting
        return 0;
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    for (std::string line; std::getline(file, line) && !file.eof(); bytes += line.size() + 1) {
        long long step = 0;
        if (std::sscanf(line.c_str(), "{\"step\": %lld,", &step) == 1 && step > steps)
            break;
    }
    return bytes;
}

std::string members(const Score &score, const char *part, const char *loss) {
    std::string words;
    const auto add = [&words](const std::string &name, double value, const char *format) {
        words += "\"" + name + "\": " + (std::isfinite(value) ? text(format, value) : "null") + ", "; // JSON has no nan
    };
    if (score.accuracy)
        add(std::string(part) + "accuracy", *score.accuracy, "%.9g");
    if (score.loss)
        add(loss, *score.loss, "%.17g");
    return words;
}

void print_score(const char *part, const std::optional<Score> &score) {
    if (score && score->accuracy)
        std::printf("  %s accuracy %.2f %%", part, 100 * *score->accuracy);
    else if (score && score->loss)
        std::printf("  %s loss %.5f", part, *score->loss);
}

} // namespace

JsonLog::JsonLog(const std::string &path, std::optional<std::int64_t> resumed) {
    if (!path.empty())
        file_ = resumed ? OutputFile(path, bytes_until(path, *resumed)) : OutputFile(path);
}

void JsonLog::step(const StepRecord &record) {
    if (!file_.open())
        return;
    char line[200]; // no allocation within a step
    const int length = std::snprintf(
        line, sizeof line, "{\"step\": %lld, \"epoch\": %lld, \"loss\": %.17g, \"seconds\": %.6g}\n",
        static_cast<long long>(record.step), static_cast<long long>(record.epoch), record.loss, record.seconds);
    file_.write(line, static_cast<std::size_t>(length));
}

void JsonLog::evaluation(const EvaluationRecord &record) {
    evaluation("epoch", record);
}

void JsonLog::best(const EvaluationRecord &record) {
    evaluation("best_epoch", record);
}

void JsonLog::evaluation(const char *epoch, const EvaluationRecord &record) {
    if (!file_.open())
        return;
    std::string line = text("{\"%s\": %lld, ", epoch, static_cast<long long>(record.epoch));
    if (record.validation)
        line += members(*record.validation, "validation_", "validation_loss");
    if (record.test)
        line += members(*record.test, "", "test_loss") +
                text("\"samples\": %lld, ", static_cast<long long>(record.test->samples));
    line += text("\"seconds\": %.6g}\n", record.seconds);
    file_.write(line.data(), line.size());
}

void JsonLog::close() {
    if (file_.open())
        file_.close();
}

Progress::Progress(Style style, std::int64_t steps, std::int64_t steps_per_epoch)
    : style_(style), steps_(steps), steps_per_epoch_(steps_per_epoch), shown_at_(MPI_Wtime()) {}

void Progress::show(const StepRecord &record) {
    const char *begin = style_ == Style::terminal ? "\r\x1b[K" : "";
    const char *end = style_ == Style::terminal ? "" : "\n";
    std::printf("%sepoch %lld  step %lld/%lld  loss %.5f  %.2f ms a step%s", begin,
                static_cast<long long>(record.epoch), static_cast<long long>(record.step),
                static_cast<long long>(steps_), record.loss, 1e3 * record.seconds, end);
    std::fflush(stdout);
}

void Progress::step(const StepRecord &record) {
    const double interval = style_ == Style::terminal ? 0.1 : 5; // seconds
    if (style_ == Style::none || MPI_Wtime() - shown_at_ < interval)
        return;
    show(record);
    shown_at_ = MPI_Wtime();
}

void Progress::epoch(const StepRecord &last, double mean_loss, const EvaluationRecord *evaluation) {
    if (style_ == Style::none)
        return;
    const std::int64_t epochs = (steps_ - 1) / steps_per_epoch_ + 1;
    std::printf("%sepoch %lld/%lld  loss %.5f", style_ == Style::terminal ? "\r\x1b[K" : "",
                static_cast<long long>(last.epoch), static_cast<long long>(epochs), mean_loss);
    if (evaluation != nullptr) {
        print_score("validation", evaluation->validation);
        print_score("test", evaluation->test);
    }
    std::printf("\n");
    std::fflush(stdout);
    shown_at_ = MPI_Wtime();
}

} // namespace planrt
