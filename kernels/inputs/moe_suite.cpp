#include "kernels/inputs/moe_suite.h"

#include <charconv>
#include <utility>
#include <vector>

#include "core/report/check.h"
#include "kernels/inputs/group_sizes.h"

namespace tessera {
namespace {

// Role of the weights: gmm has [groups, k, n], gmm_t has [groups, n, k], and for tgmm they are the
// result.
enum class Weights : std::uint8_t { gmm, gmm_t, tgmm };
using enum Weights;

// Returns the seed of a shape: 0xC0FFEE + 7 for "S7".
std::uint64_t seed_of(std::string_view id) {
  std::uint64_t number = 0;
  std::from_chars(id.data() + 1, id.data() + id.size(), number);
  return 0xC0FFEE + number;
}

MoeShape shape(std::string_view id, Weights weights, std::string_view description,
               std::int64_t groups, std::int64_t m, std::int64_t k, std::int64_t n,
               std::string_view distribution) {
  MoeShape made{id, description, {}, distribution, seed_of(id)};
  made.product =
      grouped_desc(weights == tgmm ? GroupedKind::tgmm : GroupedKind::gmm, m, k, n, groups);
  made.product.transpose_rhs = weights == gmm_t;
  made.product.out = DType::bf16;
  Expected<std::vector<std::int64_t>> sizes =
      generate_group_sizes(distribution, groups, m, made.seed);
  CHECK(sizes);
  made.product.sizes = *std::move(sizes);
  return made;
}

// clang-format off
std::vector<MoeShape> shapes() {
  return {
      shape("S1", gmm, "Mixtral-8x7B fc1 fwd, 32k tok", 8, 65536, 4096, 28672, "jitter:30"),
      shape("S2", gmm, "Mixtral-8x7B fc2 fwd", 8, 65536, 14336, 4096, "jitter:30"),
      shape("S3", tgmm, "Mixtral fc1 wgrad", 8, 65536, 4096, 28672, "jitter:30"),
      shape("S4", gmm, "DSv3 fc1 fwd, 16k tok x8", 256, 131072, 7168, 4096, "multinomial"),
      shape("S5", gmm, "DSv3 fc2 fwd, skew", 256, 131072, 2048, 7168, "zipf:1.0"),
      shape("S6", gmm_t, "DSv3 fc1 dgrad", 256, 131072, 4096, 7168, "multinomial"),
      shape("S7", tgmm, "DSv3 fc1 wgrad", 256, 131072, 7168, 4096, "multinomial"),
      shape("S8", gmm, "DSv3 EP32 fc1 fwd, the 8-group DeepGEMM class", 8, 65536, 7168, 4096, "jitter:30"),
      shape("S9", tgmm, "DSv3 EP32 fc2 wgrad", 8, 65536, 2048, 7168, "jitter:30"),
      shape("S10", gmm, "Qwen3-30B-A3B fc1 fwd", 128, 262144, 2048, 1536, "multinomial"),
      shape("S11", gmm, "Qwen3-30B-A3B fc2 (short K)", 128, 262144, 768, 2048, "zipf:1.0"),
      shape("S12", tgmm, "Qwen3-30B-A3B fc1 wgrad", 128, 262144, 2048, 1536, "zipf:1.0"),
      shape("S13", gmm, "Qwen3-235B fc1 fwd", 128, 65536, 4096, 3072, "zipf:1.2"),
      shape("S14", tgmm, "Qwen3-235B fc2 wgrad, empties", 128, 65536, 1536, 4096, "empty:25"),
      shape("S15", gmm, "gpt-oss-120b fc1 (N,K tails)", 128, 65536, 2880, 5760, "multinomial"),
      shape("S16", gmm, "gpt-oss-20b fc2", 32, 16384, 2880, 2880, "zipf:1.0"),
      shape("S17", gmm, "Kimi-K2 fc1, 8k tok", 384, 65536, 7168, 4096, "multinomial"),
      shape("S18", gmm, "Kimi-K2 EP8 fc2, half empty", 48, 32768, 2048, 7168, "empty:50"),
      shape("S19", gmm, "Llama4-Scout fc1", 16, 32768, 5120, 16384, "jitter:30"),
      shape("S20", gmm, "GLM-4.5 fc1", 160, 131072, 5120, 3072, "multinomial"),
      shape("S21", gmm, "GLM-5 up (TileOPs row 1)", 256, 262144, 6144, 4096, "uniform"),
      shape("S22", gmm, "Qwen3.5-397B up (TileOPs)", 512, 524288, 4096, 2048, "uniform"),
      shape("S23", gmm, "tokamax compute_bound", 8, 4096, 4096, 4096, "onehot"),
      shape("S24", gmm, "DSv3 decode, 512 tok", 256, 4096, 7168, 4096, "multinomial"),
      shape("S25", gmm, "Qwen3-235B decode, 128 tok", 128, 1024, 4096, 3072, "zipf:1.0"),
  };
}
// clang-format on

}  // namespace

std::int64_t MoeShape::min_bytes(std::int64_t nonempty_groups) const {
  const GroupedDesc& p = product;
  const std::int64_t weights = (p.is_tgmm() ? p.groups() : nonempty_groups) * p.k * p.n;
  return 2 * (p.m * p.k + weights + p.m * p.n);
}

std::span<const MoeShape> moe_suite() {
  static const std::vector<MoeShape> all = shapes();
  return all;
}

}  // namespace tessera
