#include "driver/planning/schedule_file.h"

#include "driver/files/read_file.h"
#include "driver/files/write_file.h"
#include "pipeline/check.h"
#include "pipeline/csv.h"
#include "pipeline/makers.h"
#include "pipeline/text.h"
#include "plan/pipeline/price_pipeline.h"
#include "sema/layouts/batch.h"

#include <algorithm>
#include <stdexcept>

namespace planc::driver {

namespace {

bool is_csv(const std::string &file) {
    return file.ends_with(".csv");
}

pipeline::Schedule read(const std::string &file, const std::string &text) {
    pipeline::Schedule schedule = is_csv(file) ? pipeline::read_csv(text, "") : pipeline::read_text(text);
    if (const std::string wrong = pipeline::program_fault(schedule); !wrong.empty())
        throw std::invalid_argument(wrong);
    schedule.name.clear();
    return schedule;
}

} // namespace

std::string take_schedule(sema::Program &program, const Options &options) {
    const sema::Layout *chosen = program.trains.empty() ? nullptr : layout_of(program, options);
    if (chosen == nullptr || !chosen->pipeline)
        return "--schedule: the layout has no pipeline";
    std::string text;
    if (std::string error = read_file(options.schedule, text); !error.empty())
        return "--schedule: " + error;
    try {
        const pipeline::Schedule schedule = read(options.schedule, text);
        if (const std::int64_t batch = sema::batch_of(program.trains.back()).value_or(1);
            schedule.micro_batches > batch)
            throw std::invalid_argument(std::to_string(schedule.micro_batches) + " micro-batches of a batch of " +
                                        std::to_string(batch));
        sema::Layout &layout = program.layouts[static_cast<std::size_t>(chosen - program.layouts.data())];
        layout.pipeline->schedule = pipeline::text(schedule);
        layout.pipeline->chunks = std::max(1, schedule.stages / schedule.ranks);
        layout.microbatches = schedule.micro_batches;
        return {};
    } catch (const std::invalid_argument &wrong) {
        return "--schedule: '" + options.schedule + "': " + wrong.what();
    }
}

std::string save_schedule(const plan::Plan &plan, std::int64_t microbatches, const Options &options) {
    if (!plan.pipeline)
        return "--save-schedule: the plan has no pipeline";
    const pipeline::Schedule schedule = pipeline::made_by(plan.pipeline->schedule, plan::ranks_of_pipeline(plan),
                                                          plan.pipeline->chunks, static_cast<int>(microbatches));
    return write_file(options.save_schedule,
                      is_csv(options.save_schedule) ? pipeline::csv(schedule) : pipeline::text(schedule));
}

} // namespace planc::driver
