// Tallies of the signals and waits of a semaphore cell by statement and core, for many entries.
#include <gtest/gtest.h>

#include "interp/machine/semaphores.h"

namespace tessera {
namespace {

TEST(Tally, one_entry_of_each_statement_and_core) {
  SemCell cell;
  constexpr std::int32_t statements = 100, cores = 3, rounds = 4;
  for (std::int32_t round = 0; round < rounds; ++round)
    for (const StmtId s : IdRange(StmtId(0), StmtId(statements)))
      for (const CoreIndex core : IdRange(CoreIndex(0), CoreIndex(cores)))
        for (const bool is_wait : {false, true}) cell.tally(s, core, is_wait, s.index);
  ASSERT_EQ(cell.tallies.size(), std::size_t{statements * cores * 2});
  std::size_t i = 0;
  for (const StmtId s : IdRange(StmtId(0), StmtId(statements)))
    for (const CoreIndex core : IdRange(CoreIndex(0), CoreIndex(cores)))
      for (const bool is_wait : {false, true}) {
        const Tally& t = cell.tallies[i++];
        EXPECT_EQ(
            std::tuple(t.statement, t.core, t.is_wait, t.times, t.amount),
            std::tuple(s, core, is_wait, std::int64_t{rounds}, std::int64_t{rounds} * s.index));
      }
}

}  // namespace
}  // namespace tessera
