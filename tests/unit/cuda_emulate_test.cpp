// Runs the kernel templates and generated functions on an emulated multiprocessor. The results
// check tensor maps, swizzles, matrix descriptors, fragments, barriers, proxies and ordering: they
// are compared with the reference, bit for bit with integer fills, for ragged groups, poisoned
// outputs and several timings.
#include <gtest/gtest.h>

#include <numeric>

#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

TEST_F(CudaEmulate, gmm_on_ragged_groups) {
  Emulation kernel(gmm_configuration(128, 256, 4, "bf16", "bf16", 0));
  kernel.check(ragged, 1);
  kernel.check(ragged, 2, Fill::normal);
  kernel.check(full, 4);
  kernel.check({{0, 0, 0}, 40, 64, 256}, 3);  // all rows belong to no group
  kernel.check({{1, 2, 3, 4, 5, 6, 7, 8}, 36, 72, 264}, 5);
}

TEST_F(CudaEmulate, gmm_with_transposed_weights) {
  Emulation kernel(gmm_configuration(128, 256, 4, "f16", "f32", 1));
  kernel.check(ragged, 11);
  kernel.check(full, 12, Fill::normal);
}

TEST_F(CudaEmulate, gmm_with_two_row_pieces_for_each_consumer) {
  Emulation kernel(gmm_configuration(256, 128, 4, "bf16", "f32", 0));
  kernel.check(ragged, 21);
  kernel.check(full, 22);
}

TEST_F(CudaEmulate, gmm_with_one_consumer) {
  Emulation kernel(gmm_configuration(64, 128, 3, "bf16", "bf16", 1));
  kernel.check(ragged, 31);
  kernel.check({{64}, 64, 640, 128}, 32);  // more steps than stages
}

TEST_F(CudaEmulate, gmm_with_existing_rows) {
  Emulation added(gmm_configuration(128, 128, 4, "bf16", "bf16", 1, 1));
  added.check(ragged, 41);
  Emulation replaced(gmm_configuration(128, 128, 4, "bf16", "f32", 0, 2));
  replaced.check(ragged, 42);
}

TEST_F(CudaEmulate, sizes_over_m_are_reported) {
  std::string outcome;
  Emulation(gmm_configuration(64, 128, 3, "bf16", "bf16", 1))
      .run({{20, 30}, 40, 64, 128}, 71, Fill::integers, outcome);
  EXPECT_EQ(outcome,
            "gmm stores rows up to 50 of a result that has 40; do the group sizes sum to more?");
  outcome.clear();
  Emulation(tgmm_configuration(128, 128, 3, "bf16", "bf16"))
      .run({{20, 30}, 40, 64, 128}, 72, Fill::integers, outcome);
  EXPECT_EQ(outcome,
            "tgmm reads up to 50 along a contraction of 40; do the group sizes sum to more?");
}

// Invalid sizes are reported before any row is accessed: the result is the same as without rows.
TEST_F(CudaEmulate, sizes_that_mean_nothing_are_reported) {
  Emulation gmm(gmm_configuration(64, 128, 3, "bf16", "bf16", 1));
  Emulation tgmm(tgmm_configuration(128, 128, 3, "bf16", "bf16"));
  for (Emulation* kernel : {&gmm, &tgmm}) {
    std::string outcome;
    kernel->run({{5, -3, 20, -1}, 40, 64, 128}, 73, Fill::integers, outcome);
    EXPECT_EQ(outcome, "group_sizes[1] is negative; nothing was multiplied");
    outcome.clear();
    std::vector<std::int64_t> late(40, 1);
    late[39] = -1;
    kernel->run({late, 40, 64, 128}, 74, Fill::integers, outcome);
    EXPECT_EQ(outcome, "group_sizes[39] is negative; nothing was multiplied");
    outcome.clear();
    kernel->run({{5, 2147483647, 2147483647}, 40, 64, 128}, 75, Fill::integers, outcome);
    EXPECT_EQ(outcome,
              "`group_sizes` sums to more rows than a kernel can address; nothing was multiplied");
    EXPECT_FALSE(kernel->nonzero);
  }
}

// Each mistake in the protocol must be found with at least one of a few timings.
TEST_F(CudaEmulate, mistakes_are_seen) {
  const std::vector<Mutation> mutations = {
      {"consume.cuh", "ptx::product_wait<1>()",
       "ptx::product_wait<2>()"},  // a slot is released too early
      {"consume.cuh", "if (held >= 0) release<C>(memory, held);\n        held",
       "held"},                                         // slots are not released
      {"produce.cuh", "ring.phase ^ 1", "ring.phase"},  // the wrong phase
      {"produce.cuh", "u32 bytes = Right::bytes;", "u32 bytes = Right::bytes + 16;"},
      {"epilogue.cuh", "  ptx::fence_async();\n  staging.sync();", "  staging.sync();"},
      {"epilogue.cuh", "  ptx::fence_async();\n  staging.sync();", "  ptx::fence_async();"},
      {"epilogue.cuh", "by_one([] { ptx::store_wait_read<staging_buffers - 1>(); });", ""},
      {"epilogue.cuh", "row < begin || row >= end ||", ""},           // the neighbours' rows
      {"shape.cuh", "(offset >> 3) & 0x70", "(offset >> 3) & 0x30"},  // another swizzle
      {"shape.cuh", "k_major ? 16 : box_bytes", "k_major ? 16 : box_bytes / 2"},  // another layout
  };
  for (const Mutation& mutation : mutations) {
    Emulation kernel(gmm_configuration(128, 256, 2, "bf16", "bf16", 0), &mutation);
    std::string outcome;
    for (std::uint64_t seed = 81; seed < 85 && outcome.empty(); ++seed) {
      kernel.run({{5, 130}, 140, 328, 520}, seed, Fill::integers, outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_NE(outcome, "") << mutation.file << ": " << mutation.from << " -> " << mutation.to;
  }
  const Mutation fragment{"epilogue.cuh", "r / 2 % 2 * 8", "r % 2 * 8"};
  std::string outcome;
  Emulation(gmm_configuration(128, 128, 2, "bf16", "bf16", 1, 1), &fragment)
      .run({{5, 130}, 140, 72, 136}, 91, Fill::integers, outcome);
  EXPECT_NE(outcome, "");
  const Mutation unfilled{"consume.cuh", "ptx::zero_shared(operands",
                          "if (false) ptx::zero_shared(operands"};
  outcome.clear();
  Emulation(tgmm_configuration(128, 128, 4, "bf16", "f32"), &unfilled)
      .run({{5, 70}, 80, 136, 136}, 92, Fill::integers, outcome);
  EXPECT_NE(outcome, "");
}

// Two blocks share the weights of neighbouring tiles of one group. Groups of one and three tiles
// leave pairs without shared weights, and the last pair may extend beyond the end.
TEST_F(CudaEmulate, gmm_in_pairs_of_blocks_along_the_rows) {
  Emulation kernel(gmm_configuration(128, 256, 4, "bf16", "bf16", 0).with(row_pairs));
  kernel.check(ragged, 101);
  kernel.check(full, 102);
  kernel.check({{300, 100, 1}, 401, 72, 264}, 103);
  kernel.check({{0, 0, 0}, 40, 64, 256}, 104);
  Emulation transposed(gmm_configuration(128, 128, 3, "bf16", "f32", 1).with(row_pairs));
  transposed.check(ragged, 105);
  transposed.check({{300, 100, 1}, 401, 328, 136}, 106, Fill::normal);
}

TEST_F(CudaEmulate, gmm_in_pairs_of_blocks_along_the_columns) {
  Emulation kernel(gmm_configuration(128, 128, 4, "bf16", "bf16", 1).with(column_pairs));
  kernel.check(ragged, 111);
  kernel.check({{300, 100, 1}, 401, 72, 264}, 112);
}

TEST_F(CudaEmulate, pairs_fetch_what_they_share_once) {
  Emulation alone(gmm_configuration(128, 128, 4, "bf16", "bf16", 1));
  Emulation rows(gmm_configuration(128, 128, 4, "bf16", "bf16", 1).with(row_pairs));
  Emulation columns(gmm_configuration(128, 128, 4, "bf16", "bf16", 1).with(column_pairs));
  const Sizes pairs{{256, 256}, 512, 128, 256};  // 4 x 2 tiles of 2 steps
  constexpr unsigned long long operand = 128 * 64 * 2, steps = 8 * 2;
  const auto fetched = [&](Emulation& kernel) {
    kernel.check(pairs, 120);
    return kernel.fetched_bytes;
  };
  EXPECT_EQ(fetched(alone), steps * 2 * operand);
  EXPECT_EQ(fetched(rows), steps * 3 / 2 * operand);
  EXPECT_EQ(fetched(columns), steps * 3 / 2 * operand);
}

TEST_F(CudaEmulate, consumers_in_turn) {
  Emulation kernel(gmm_configuration(64, 128, 4, "bf16", "bf16", 0).with(in_turn));
  kernel.check(ragged, 131);
  kernel.check({{128, 256}, 384, 64, 256}, 132);  // one step a tile
  Emulation pairs(gmm_configuration(128, 128, 3, "bf16", "bf16", 1)
                      .with({.pairing = Pairing::rows, .alternate = true}));
  pairs.check(ragged, 133);
  pairs.check({{300, 100, 1}, 401, 72, 264}, 134);
}

TEST_F(CudaEmulate, mistakes_in_clusters_and_turns_are_seen) {
  const std::vector<Mutation> mutations = {
      {"produce.cuh", "4 * C::cluster", "4"},  // a slot is refilled before the other block read it
      {"consume.cuh", "if (lane < C::cluster)", "if (lane < 1)"},           // or never
      {"produce.cuh", "number % C::cluster == cluster_rank<C>()", "true"},  // fetched twice
      {"produce.cuh", "if (!mine.active || !other.active) return false;", ""},
      {"produce.cuh", "same &= mine.right[d] == other.right[d];",
       "(void)0;"},  // another group's weights
      {"turn.cuh", "return (depth(turn_.other, other_, s) != 0) | (own != 0);", "return own != 0;"},
      {"turn.cuh", "P::alike(turn.mine.tile, turn.other.tile) &&", ""},
      {"contract.cuh", "ptx::sync_cluster();  // nobody", "(void)0;  // nobody"},
      {"order.cuh", "at.row * 2 + rank", "at.row * 2"},
      {"order.cuh", "(grid.rows + 1) / 2", "grid.rows / 2"},
  };
  for (const Mutation& mutation : mutations) {
    Emulation kernel(gmm_configuration(128, 128, 2, "bf16", "bf16", 1).with(row_pairs), &mutation);
    std::string outcome;
    for (std::uint64_t seed = 141; seed < 145 && outcome.empty(); ++seed) {
      kernel.run({{130, 5, 130, 130}, seed % 2 == 0 ? 420 : 395, 200, 136}, seed, Fill::integers,
                 outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_NE(outcome, "") << mutation.file << ": " << mutation.from << " -> " << mutation.to;
  }
  const std::vector<Mutation> in_turns = {
      {"consume.cuh", "steps.depth(s), s)) ring.advance();", "steps.depth(s), s)) (void)0;"},
      {"consume.cuh", "(round & 1) ^ (warpgroup == 0 ? 1 : 0)",
       "1"},  // no warpgroup waits for its turn
      {"consume.cuh", "turn_barrier<C>(memory, 1 - warpgroup)",
       "turn_barrier<C>(memory, warpgroup)"},
  };
  for (const Mutation& mutation : in_turns) {
    Emulation kernel(gmm_configuration(64, 128, 3, "bf16", "bf16", 0).with(in_turn), &mutation);
    std::string outcome;
    for (std::uint64_t seed = 151; seed < 155 && outcome.empty(); ++seed)
      kernel.run({{128, 256}, 384, 200, 256}, seed, Fill::integers, outcome);
    EXPECT_NE(outcome, "") << mutation.file << ": " << mutation.from << " -> " << mutation.to;
  }
}

TEST_F(CudaEmulate, gmm_on_few_rows_with_swapped_operands) {
  Emulation narrow(gmm_configuration(16, 128, 6, "bf16", "bf16", 1));
  narrow.check({{3, 16, 0, 17, 1}, 40, 200, 328}, 51);
  narrow.check({{16, 32}, 48, 256, 256}, 52);
  Emulation wide(gmm_configuration(8, 128, 6, "bf16", "f32", 0));
  wide.check({{3, 8, 0, 17, 1}, 40, 200, 328}, 53);
}

// With few terms, a bound for rounding errors has little room for the bits that the instructions
// truncate.
TEST_F(CudaEmulate, sums_of_few_terms_are_within_the_bound) {
  Emulation kernel(tgmm_configuration(128, 128, 3, "bf16", "f32"));
  for (const std::uint64_t seed : {51, 52, 53})
    kernel.check({{1, 2, 3, 1, 5, 17}, 29, 256, 256}, seed, Fill::normal);
}

// Lanes compute steps ahead: more than 32 steps, and no step of another group.
TEST_F(CudaEmulate, long_contractions_of_tgmm) {
  const TestConfiguration configuration = tgmm_configuration(128, 128, 3, "bf16", "bf16");
  const Sizes deep{{2400, 0, 70}, 2470, 128, 128};
  Emulation(configuration).check(deep, 54);
  Emulation(configuration.with(row_pairs)).check({{2400, 70}, 2470, 136, 128}, 55);
  const std::vector<Mutation> mutations = {{"turn.cuh", "s + ptx::thread() % 32;", "s;"},
                                           {"turn.cuh", "first_ >= 32", "first_ >= 33"}};
  for (const Mutation& mutation : mutations) {
    std::string outcome;
    Emulation(configuration, &mutation).run(deep, 54, Fill::integers, outcome);
    EXPECT_NE(outcome, "") << mutation.from << " -> " << mutation.to;
  }
}

TEST_F(CudaEmulate, tgmm_on_ragged_groups) {
  Emulation kernel(tgmm_configuration(128, 256, 4, "bf16", "f32"));
  kernel.check({{5, 0, 130, 64, 1, 0, 63}, 300, 200, 264}, 61);
  kernel.check({{5, 0, 130, 64, 1, 0, 63}, 300, 200, 264}, 62, Fill::normal);
  Emulation pairs(tgmm_configuration(128, 128, 3, "bf16", "bf16").with(row_pairs));
  pairs.check({{5, 0, 130, 64, 1, 0, 63}, 300, 264, 136}, 64);
  Emulation turns(tgmm_configuration(128, 128, 3, "bf16", "bf16").with(in_turn));
  turns.check({{5, 0, 130, 64, 1, 0, 63}, 300, 200, 264}, 65);
  Emulation half(tgmm_configuration(256, 128, 4, "bf16", "bf16", 1));
  half.check({{100, 28}, 130, 264, 136}, 63);
}

}  // namespace
}  // namespace tessera::cuda
