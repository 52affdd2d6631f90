// Candidates of the model on random problems: a few by default. TESSERA_EMULATED_PROBLEMS sets the
// number of problems, and TESSERA_EMULATED_SEED the seed.
#include <cstdlib>

#include "core/data/splitmix.h"
#include "tests/unit/cuda_emulation.h"

namespace tessera::cuda {
namespace {

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
    Sizes sizes = random_sizes(random, {30, 50, 6, 200});
    if (is_fp8(configuration)) sizes.k = (sizes.k + 15) / 16 * 16;
    const Fill fill = random.next() % 2 == 0 ? Fill::integers : Fill::normal;
    Emulation(configuration).check(sizes, random.next() % 100000, fill);
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace tessera::cuda
