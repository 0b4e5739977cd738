// An agenda is held against a list that is searched.
#include "timeline/agenda.h"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <utility>

namespace planc::timeline {

TEST(Agenda, TakesTheEarliestAndOfEqualTimesTheFirst) {
    constexpr int things = 12;
    std::mt19937 random(3);
    for (int sample = 0; sample < 100; ++sample) {
        Agenda agenda(things);
        std::map<int, Seconds> times;
        for (int change = 0; change < 100; ++change) {
            if (times.empty() || random() % 3 > 0) {
                const int thing = static_cast<int>(random() % things);
                times[thing] = Seconds(static_cast<double>(random() % 8));
                agenda.set(thing, times[thing]);
            } else {
                auto first = times.begin();
                for (auto each = times.begin(); each != times.end(); ++each)
                    if (each->second < first->second)
                        first = each;
                ASSERT_EQ(agenda.time(), first->second);
                EXPECT_TRUE(agenda.is_next(first->second));
                EXPECT_FALSE(agenda.is_next(first->second + Seconds(1)));
                ASSERT_EQ(agenda.take_next(), first->first);
                times.erase(first);
            }
            ASSERT_EQ(agenda.empty(), times.empty());
        }
    }
}

} // namespace planc::timeline
