#include "sema/layouts/schedule_table.h"

#include "pipeline/check.h"
#include "pipeline/read.h"

namespace planc::sema {

PLANC_DIAGNOSTIC(missing_table, error, "'schedule = table' goes with actions: table { 0: F0 B0; 1: F0 B0 }"); // P8
PLANC_DIAGNOSTIC(wrong_rank, error, "'{0}' is not the next rank, {1}");                                       // P8
PLANC_DIAGNOSTIC(wrong_schedule, error, "pipeline schedule: {0}");                                            // P8

pipeline::Schedule read_schedule_table(const Context &context, const syntax::Setting &setting) {
    if (setting.rows.empty())
        context.fail(missing_table, setting.where, {});
    try {
        std::vector<std::vector<pipeline::ReadAction>> ranks;
        for (const syntax::ScheduleRow &row : setting.rows) {
            const auto rank = static_cast<int>(ranks.size());
            if (row.rank.text != std::to_string(rank))
                context.fail(wrong_rank, row.rank.where, {row.rank.text, std::to_string(rank)});
            ranks.emplace_back();
            for (const syntax::Name &action : row.actions) // line and column: row and action
                ranks.back().push_back(
                    pipeline::read_action({action.text, rank, static_cast<int>(ranks.back().size())}, rank));
        }
        pipeline::Schedule schedule = pipeline::schedule_of(ranks, "");
        if (const std::string wrong = pipeline::program_fault(schedule); !wrong.empty())
            context.fail(wrong_schedule, setting.braces, {wrong});
        return schedule;
    } catch (const pipeline::Refused &refused) {
        const syntax::ScheduleRow &row = setting.rows[static_cast<std::size_t>(refused.line)];
        context.fail(wrong_schedule, row.actions[static_cast<std::size_t>(refused.column)].where, {refused.fault});
    } catch (const std::invalid_argument &whole) {
        context.fail(wrong_schedule, setting.braces, {whole.what()});
    }
}

} // namespace planc::sema
