// Published cases of ragged_dot: jax tests/lax_test.py and tests/pallas/mgpu_ragged_dot_test.py.
#include "kernels/ragged_dot/ragged_dot.h"

#include <gtest/gtest.h>

#include "tests/conformance/grouped.h"

namespace tessera {
namespace {

using grouped::made;
using grouped::Sizes;
using grouped::sizes_tensor;

RaggedDotOptions options_of(DType out) {
  RaggedDotOptions options;
  options.device = "interpreter";
  options.preferred_element_type = out;
  return options;
}

void expect_right(const Tensor& lhs, const Tensor& rhs, const Tensor& sizes,
                  const RaggedDotDims& dims, const RaggedDotOptions& options) {
  const auto out = ragged_dot_general(lhs, rhs, sizes, dims, options);
  ASSERT_TRUE(out) << render(out.diags());
  const Verdict verdict = check_ragged_dot(lhs, rhs, sizes, dims, options, *out, {});
  EXPECT_TRUE(verdict.ok) << verdict.message;
  EXPECT_GT(verdict.checked_rows, 0);
}

// (m, k, n, groups) of lax_test, with sizes that are cuts, and sizes of one, whose sum is below m.
TEST(ConformanceRaggedDot, lax_small_shapes) {
  struct Shape4 {
    std::int64_t m, k, n, groups;
  };
  for (const auto& [m, k, n, groups] :
       {Shape4{64, 4, 3, 4}, Shape4{64, 9, 8, 4}, Shape4{5, 4, 3, 1}, Shape4{5, 4, 3, 2},
        Shape4{9, 4, 3, 1}, Shape4{10, 9, 8, 2}}) {
    Sizes cuts(static_cast<std::size_t>(groups), m / groups), ones(cuts.size(), 1);
    cuts.front() += m % groups;
    for (const Sizes& sizes : {cuts, ones})
      expect_right(made(DType::f32, {m, k}, FillRole::lhs, Fill::normal, k, 1),
                   made(DType::f32, {groups, k, n}, FillRole::rhs, Fill::normal, k, 2),
                   sizes_tensor(sizes), {{1}, {1}, {}, {}, {0}, {0}}, options_of(DType::f32));
  }
}

// vmap over both operands and the sizes: a batch of 3 and of 5, each with sizes of its own.
TEST(ConformanceRaggedDot, lax_vmap) {
  for (const std::int64_t batch : {3, 5}) {
    for (const std::int64_t groups : {2, 4}) {
      constexpr std::int64_t m = 128, k = 128, n = 256;
      Tensor sizes(DType::i32, {batch, groups});
      for (std::int64_t b = 0; b < batch; ++b) {
        std::int64_t room = m;
        for (std::int64_t g = 0; g < groups; ++g) {
          const std::int64_t size = g + 1 == groups ? room : (b * 37 + g * 11) % (room + 1);
          sizes.set(b * groups + g, static_cast<double>(size));
          room -= size;
        }
      }
      expect_right(made(DType::f32, {batch, m, k}, FillRole::lhs, Fill::normal, k, 1),
                   made(DType::f32, {batch, groups, k, n}, FillRole::rhs, Fill::normal, k, 2),
                   sizes, {{2}, {2}, {0}, {0}, {1}, {1}}, options_of(DType::f32));
    }
  }
}

// The GPU kernel's shapes (m 16384, k 2048, n 16384) divided by 32, in f16.
TEST(ConformanceRaggedDot, mgpu_f16_groups) {
  for (const std::int64_t groups : {1, 3, 16}) {
    for (const std::int64_t tile_n : {64, 128, 192}) {
      Sizes sizes(static_cast<std::size_t>(groups), 0);
      std::int64_t room = 512;
      for (std::size_t g = 0; g + 1 < sizes.size(); ++g) {
        sizes[g] = room / 3;
        room -= sizes[g];
      }
      sizes.back() = room;
      RaggedDotOptions options = options_of(DType::f16);
      options.tiling = Tiling{64, 64, tile_n};
      expect_right(made(DType::f16, {512, 64}, FillRole::lhs, Fill::normal, 64, 1),
                   made(DType::f16, {groups, 64, 512}, FillRole::rhs, Fill::normal, 64, 2),
                   sizes_tensor(sizes), {{1}, {1}, {}, {}, {0}, {0}}, options);
    }
  }
}

}  // namespace
}  // namespace tessera
