// Candidates of the model on random problems: a few with every run of the tests, and as many as
// TESSERA_EMULATED_PROBLEMS says, by TESSERA_EMULATED_SEED.
#include <cstdlib>

#include "core/data/splitmix.h"
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

Sizes random_sizes(SplitMix& random, const TestConfiguration& configuration) {
  const auto below = [&](std::uint64_t count) {
    return static_cast<std::int64_t>(random.next() % count);
  };
  Sizes sizes{{}, 0, 8 * (1 + below(30)), 8 * (1 + below(50))};
  if (is_fp8(configuration)) sizes.k = (sizes.k + 15) / 16 * 16;
  const std::int64_t groups = 1 + below(6);
  for (std::int64_t g = 0; g < groups; ++g) {
    const std::int64_t kind = below(4);
    sizes.sizes.push_back(kind == 0   ? 0
                          : kind == 1 ? below(20)
                          : kind == 2 ? below(200)
                                      : 64 * below(4));
    sizes.m += sizes.sizes.back();
  }
  sizes.m += 1 + below(3) * 5;
  return sizes;
}

TEST_F(CudaEmulate, candidates_on_random_problems) {
  const auto number = [](const char* name, int otherwise) {
    const char* const text = std::getenv(name);
    return text != nullptr ? std::atoi(text) : otherwise;
  };
  const int problems = number("TESSERA_EMULATED_PROBLEMS", 4);
  ASSERT_GT(problems, 0);
  const std::vector<TestConfiguration> all = candidate_configurations();
  SplitMix random(static_cast<std::uint64_t>(number("TESSERA_EMULATED_SEED", 26325)));
  const std::size_t first = random.next() % all.size();
  for (int i = 0; i < problems; ++i) {
    const TestConfiguration& configuration =
        all[(first + static_cast<std::size_t>(i)) % all.size()];
    const Sizes sizes = random_sizes(random, configuration);
    const Fill fill = random.next() % 2 == 0 ? Fill::integers : Fill::normal;
    Emulation(configuration).check(sizes, random.next() % 100000, fill);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera::cuda
