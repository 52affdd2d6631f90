#include "kernels/inputs/moe_suite.h"

#include <utility>

#include "core/report/check.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera {
namespace {

// The seed of shape Sn.
constexpr std::uint64_t seed(int n) { return 0xC0FFEE + static_cast<std::uint64_t>(n); }

using enum MoeKind;

// clang-format off
constexpr MoeShape shapes[] = {
    {"S1", gmm, "Mixtral-8x7B fc1 fwd, 32k tok", 8, 65536, 4096, 28672, "jitter:30", seed(1)},
    {"S2", gmm, "Mixtral-8x7B fc2 fwd", 8, 65536, 14336, 4096, "jitter:30", seed(2)},
    {"S3", tgmm, "Mixtral fc1 wgrad", 8, 65536, 4096, 28672, "jitter:30", seed(3)},
    {"S4", gmm, "DSv3 fc1 fwd, 16k tok x8", 256, 131072, 7168, 4096, "multinomial", seed(4)},
    {"S5", gmm, "DSv3 fc2 fwd, skew", 256, 131072, 2048, 7168, "zipf:1.0", seed(5)},
    {"S6", gmm_t, "DSv3 fc1 dgrad", 256, 131072, 4096, 7168, "multinomial", seed(6)},
    {"S7", tgmm, "DSv3 fc1 wgrad", 256, 131072, 7168, 4096, "multinomial", seed(7)},
    {"S8", gmm, "DSv3 EP32 fc1 fwd, the 8-group DeepGEMM class", 8, 65536, 7168, 4096, "jitter:30", seed(8)},
    {"S9", tgmm, "DSv3 EP32 fc2 wgrad", 8, 65536, 2048, 7168, "jitter:30", seed(9)},
    {"S10", gmm, "Qwen3-30B-A3B fc1 fwd", 128, 262144, 2048, 1536, "multinomial", seed(10)},
    {"S11", gmm, "Qwen3-30B-A3B fc2 (short K)", 128, 262144, 768, 2048, "zipf:1.0", seed(11)},
    {"S12", tgmm, "Qwen3-30B-A3B fc1 wgrad", 128, 262144, 2048, 1536, "zipf:1.0", seed(12)},
    {"S13", gmm, "Qwen3-235B fc1 fwd", 128, 65536, 4096, 3072, "zipf:1.2", seed(13)},
    {"S14", tgmm, "Qwen3-235B fc2 wgrad, empties", 128, 65536, 1536, 4096, "empty:25", seed(14)},
    {"S15", gmm, "gpt-oss-120b fc1 (N,K tails)", 128, 65536, 2880, 5760, "multinomial", seed(15)},
    {"S16", gmm, "gpt-oss-20b fc2", 32, 16384, 2880, 2880, "zipf:1.0", seed(16)},
    {"S17", gmm, "Kimi-K2 fc1, 8k tok", 384, 65536, 7168, 4096, "multinomial", seed(17)},
    {"S18", gmm, "Kimi-K2 EP8 fc2, half empty", 48, 32768, 2048, 7168, "empty:50", seed(18)},
    {"S19", gmm, "Llama4-Scout fc1", 16, 32768, 5120, 16384, "jitter:30", seed(19)},
    {"S20", gmm, "GLM-4.5 fc1", 160, 131072, 5120, 3072, "multinomial", seed(20)},
    {"S21", gmm, "GLM-5 up (TileOPs row 1)", 256, 262144, 6144, 4096, "uniform", seed(21)},
    {"S22", gmm, "Qwen3.5-397B up (TileOPs)", 512, 524288, 4096, 2048, "uniform", seed(22)},
    {"S23", gmm, "tokamax compute_bound", 8, 4096, 4096, 4096, "onehot", seed(23)},
    {"S24", gmm, "DSv3 decode, 512 tok", 256, 4096, 7168, 4096, "multinomial", seed(24)},
    {"S25", gmm, "Qwen3-235B decode, 128 tok", 128, 1024, 4096, 3072, "zipf:1.0", seed(25)},
};
// clang-format on

}  // namespace

std::int64_t MoeShape::min_bytes(std::int64_t nonempty_groups) const {
  const std::int64_t weights = (kind == tgmm ? groups : nonempty_groups) * k * n;
  return 2 * (rows * k + weights + rows * n);
}

std::vector<std::int64_t> MoeShape::group_sizes() const {
  Expected<std::vector<std::int64_t>> sizes =
      generate_group_sizes(distribution, groups, rows, seed);
  CHECK(sizes);
  return *std::move(sizes);
}

std::span<const MoeShape> moe_suite() { return shapes; }

}  // namespace tessera
