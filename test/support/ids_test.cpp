// Ids, and lists that are indexed by them.
#include "support/ids.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <unordered_set>

namespace planc::support {
namespace {

struct Layer;
struct Value;
using LayerId = Id<Layer>;
using ValueId = Id<Value>;
using Names = Indexed<LayerId, std::string>;

static_assert(sizeof(LayerId) == sizeof(int));
static_assert(!std::is_convertible_v<int, LayerId>);
static_assert(!std::is_convertible_v<LayerId, int>);
static_assert(!std::is_constructible_v<LayerId, ValueId>);

template <typename List, typename Place>
concept HasPlace = requires(List list, Place place) { list[place]; };
static_assert(HasPlace<Names, LayerId>);
static_assert(!HasPlace<Names, ValueId>);
static_assert(!HasPlace<Names, int>);

TEST(Id, IsNoneUnlessItHasANumber) {
    EXPECT_FALSE(LayerId());
    EXPECT_EQ(LayerId().number(), -1);
    EXPECT_TRUE(LayerId(0));
    EXPECT_EQ(LayerId(std::size_t{7}).number(), 7);
    EXPECT_EQ(LayerId(7).index(), 7U);
}

TEST(Id, IsOrderedByNumberAndNoneComesFirst) {
    EXPECT_LT(LayerId(), LayerId(0));
    EXPECT_LT(LayerId(1), LayerId(2));
    EXPECT_EQ(LayerId(1) + 1, LayerId(2));
    EXPECT_EQ(LayerId(0) - 1, LayerId());
    const std::unordered_set<LayerId> set{LayerId(1), LayerId(2), LayerId(1)};
    EXPECT_EQ(set.size(), 2U);
}

TEST(Indexed, ReturnsTheIdOfWhatIsAdded) {
    Names names{"a", "b"};
    const LayerId c = names.push_back("c");
    EXPECT_EQ(c, LayerId(2));
    names[c] += "!";
    EXPECT_EQ(names, (Names{"a", "b", "c!"}));
}

TEST(Indexed, KnowsItsIds) {
    const Names names{"a", "b", "c"};
    std::string text;
    for (const LayerId id : names.ids())
        text += std::to_string(id.number()) + names[id];
    EXPECT_EQ(text, "0a1b2c");
    EXPECT_TRUE(names.contains(LayerId(2)));
    EXPECT_FALSE(names.contains(names.end_id()));
    EXPECT_FALSE(names.contains({}));
    EXPECT_TRUE(Names().ids().begin() == Names().ids().end());
}

TEST(Indexed, HoldsTruths) {
    Indexed<LayerId, bool> truths(3);
    truths[LayerId(1)] = true;
    EXPECT_EQ(truths, (Indexed<LayerId, bool>{false, true, false}));
}

} // namespace
} // namespace planc::support
