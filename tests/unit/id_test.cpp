#include "core/program/id.h"

#include <gtest/gtest.h>

#include <string>
#include <type_traits>
#include <unordered_map>
#include <vector>

namespace tessera {
namespace {

using CatId = Id<struct CatTag>;
using DogId = Id<struct DogTag>;
using Cats = Table<CatId, std::string>;

template <typename Of, typename Key>
concept IsAskedBy = requires(Of table, Key key) {
  table[key];
};

static_assert(sizeof(CatId) == sizeof(std::int32_t));
static_assert(!std::is_convertible_v<CatId, DogId> && !std::is_constructible_v<DogId, CatId>);
static_assert(!std::is_convertible_v<std::int32_t, CatId> &&
              !std::is_convertible_v<CatId, std::int32_t>);
static_assert(IsAskedBy<Cats, CatId> && !IsAskedBy<Cats, DogId> && !IsAskedBy<Cats, int>);

TEST(Id, IsOfNoEntryUntilItIsGivenOne) {
  EXPECT_FALSE(CatId());
  EXPECT_TRUE(CatId(0));
  EXPECT_EQ(CatId(), CatId(-1));
  EXPECT_LT(CatId(0), CatId(1));
}

TEST(Id, HasNeighbours) {
  CatId id(3);
  EXPECT_EQ(++id, CatId(4));
  EXPECT_EQ(--id, CatId(3));
  EXPECT_EQ(id + 2, CatId(5));
  EXPECT_EQ(id - 1, CatId(2));
  EXPECT_EQ(CatId(5) - id, 2);
}

TEST(Id, IsAKeyOfHashMaps) {
  std::unordered_map<CatId, int> legs;
  legs[CatId(3)] = 4;
  EXPECT_EQ(legs.at(CatId(3)), 4);
  EXPECT_FALSE(legs.contains(CatId(4)));
}

TEST(Table, HasNoLastEntryWhereItIsEmpty) { EXPECT_FALSE(Cats().last()); }

TEST(Table, GivesIdsInTheOrderInWhichEntriesAreAdded) {
  Cats cats;
  EXPECT_EQ(cats.next(), CatId(0));
  const CatId tom = cats.add("Tom");
  const CatId kitten = cats.add("Kit");
  EXPECT_EQ(tom, CatId(0));
  EXPECT_EQ(kitten, CatId(1));
  EXPECT_EQ(cats[kitten], "Kit");
  EXPECT_TRUE(cats.has(kitten));
  EXPECT_FALSE(cats.has(cats.next()));
  EXPECT_FALSE(cats.has(CatId()));
}

TEST(Table, NamesItsEntriesByTheirAddresses) {
  Cats cats;
  cats.add("Tom");
  cats.add("Kit");
  for (const CatId id : cats.ids()) EXPECT_EQ(cats.id_of(cats[id]), id);
  EXPECT_EQ(cats.id_of(cats.back()), cats.last());
}

TEST(Table, KeepsTruthsLikeOtherEntries) {
  Table<CatId, bool> is_awake(2);
  is_awake[CatId(1)] = true;
  EXPECT_FALSE(is_awake[CatId(0)]);
  EXPECT_TRUE(is_awake[CatId(1)]);
  const CatId added = is_awake.add(true);
  EXPECT_EQ(added, is_awake.last());
}

TEST(Table, ListsTheIdsThatItHasWhenItIsAsked) {
  Cats cats;
  cats.add("Tom");
  cats.add("Kit");
  std::vector<CatId> ids;
  for (const CatId id : cats.ids()) {
    ids.push_back(id);
    cats.add("kitten of " + cats[id]);
  }
  EXPECT_EQ(ids, (std::vector<CatId>{CatId(0), CatId(1)}));
  EXPECT_EQ(cats[CatId(3)], "kitten of Kit");
}

}  // namespace
}  // namespace tessera
