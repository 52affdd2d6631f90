// Blocks that take their next tile when the previous one is done (templates/take.cuh).
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

const Sizes uneven{{130, 5, 0, 260, 40}, 440, 72, 264};
const Sizes short_tiles{{640, 100, 1}, 741, 64, 256};  // one step per tile: producers run far ahead

TEST_F(CudaEmulate, gmm_with_tiles_as_blocks_are_free) {
  Emulation kernel(gmm_configuration(128, 256, 4, "bf16", "bf16", 0).with({.dynamic = true}));
  kernel.check(ragged, 161);
  kernel.check(uneven, 162);
  kernel.check(short_tiles, 163);
  kernel.check({{0, 0, 0}, 40, 64, 256}, 164);
  Emulation turns(
      gmm_configuration(64, 128, 4, "bf16", "f32", 1).with({.alternate = true, .dynamic = true}));
  turns.check(uneven, 165);
  turns.check(short_tiles, 166);
}

TEST_F(CudaEmulate, pairs_with_tiles_as_blocks_are_free) {
  for (const Pairing pairing : {Pairing::rows, Pairing::columns}) {
    Emulation kernel(gmm_configuration(128, 128, 4, "bf16", "bf16", 1)
                         .with({.pairing = pairing, .dynamic = true}));
    kernel.check(uneven, 172);
    kernel.check(short_tiles, 173);
  }
}

TEST_F(CudaEmulate, tgmm_with_tiles_as_blocks_are_free) {
  Emulation kernel(tgmm_configuration(128, 128, 3, "bf16", "bf16").with({.dynamic = true}));
  kernel.check({{5, 0, 130, 64, 1, 0, 63}, 300, 264, 136}, 182);
}

TEST_F(CudaEmulate, mistakes_in_taking_tiles_are_seen) {
  const std::vector<Mutation> mutations = {
      {"take.cuh", "ptx::barrier_wait(read_barrier<C>(memory, ring.slot), ring.phase ^ 1);",
       ""},  // a number is overwritten before all have read it
      {"take.cuh", "C::consumers * 4 * C::cluster + C::cluster - 1", "C::consumers * 4"},
      {"take.cuh", "ptx::store_shared_word_at(word, rank,", "ptx::store_shared_word_at(word, 0,"},
      {"take.cuh", "ptx::barrier_arrive_at(read, 0)", "ptx::barrier_arrive(read)"},
      {"take.cuh", "return ptx::blocks() / C::cluster +",
       "return 3 + ptx::blocks() / C::cluster +"},
      {"take.cuh", "ahead = take();  //", "ahead = take() + 1;  //"},
      {"take.cuh", "ptx::barrier_publish_at(full, rank);", "ptx::barrier_arrive_at(full, rank);"},
      {"take.cuh", "ptx::store_global(counter, 0);", ""},
      {"take.cuh", "ptx::store_global(counter + 1, 0);", ""},
  };
  for (const Mutation& mutation : mutations) {
    Emulation kernel(gmm_configuration(128, 128, 4, "bf16", "bf16", 1)
                         .with({.pairing = Pairing::rows, .dynamic = true}),
                     &mutation);
    std::string outcome;
    for (std::uint64_t seed = 191; seed < 197 && outcome.empty(); ++seed) {
      kernel.run(seed % 2 == 0 ? short_tiles : uneven, seed, Fill::integers, outcome);
      if (HasFatalFailure()) return;
    }
    EXPECT_NE(outcome, "") << mutation.file << ": " << mutation.from << " -> " << mutation.to;
  }
}

}  // namespace
}  // namespace tessera::cuda
