// The model that chooses a configuration, and its candidates.
#include <gtest/gtest.h>

#include <cstdlib>
#include <set>

#include "core/kernel/grouped_desc.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/model/configuration.h"
#include "devices/cuda/model/grouped_model.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/kernel.h"
#include "devices/cuda/runtime/shared_library.h"
#include "devices/cuda/runtime/timer.h"
#include "kernels/inputs/moe_suite.h"
#include "tests/unit/cuda_support.h"

namespace tessera::cuda {
namespace {

KernelConfig best_of(const GroupedDesc& desc) { return estimates(desc).front().config; }
const MoeShape& moe(std::string_view id) {
  for (const MoeShape& shape : moe_suite()) {
    if (shape.id == id) return shape;
  }
  throw std::runtime_error("no such shape");
}

TEST(CudaModel, every_candidate_lowers_and_none_comes_twice) {
  std::set<std::string> seen;
  for (const TestConfiguration& candidate : candidate_configurations()) {
    const Expected<LoweredKernel> kernel = lowered(candidate);
    ASSERT_TRUE(kernel) << candidate.name() << "\n" << render(kernel.diags());
    EXPECT_LE(kernel->tensor_core()->shared_bytes, 232448);
    EXPECT_TRUE(seen.insert(kernel->source).second) << candidate.name();
  }
  EXPECT_GE(seen.size(), 40u);
}

TEST(CudaModel, no_estimate_is_faster_than_the_machine) {
  const GpuFigures gpu;
  for (const MoeShape& shape : moe_suite()) {
    std::int64_t filled = 0;
    for (const std::int64_t size : shape.product.sizes) filled += size > 0 ? 1 : 0;
    const double products = static_cast<double>(shape.flops()) / 2 / gpu.products_a_clock /
                            gpu.multiprocessors / gpu.clock;
    const double bytes = static_cast<double>(shape.min_bytes(filled)) / gpu.memory_bytes_a_second;
    const std::vector<Estimate> all = estimates(shape.product);
    ASSERT_FALSE(all.empty());
    for (std::size_t i = 0; i < all.size(); ++i) {
      EXPECT_GE(all[i].seconds, std::max(products, bytes)) << shape.id;
      if (i > 0) {
        EXPECT_LE(all[i - 1].seconds, all[i].seconds);
      }
    }
    EXPECT_LE(all.front().seconds, 2 * std::max(products, bytes)) << shape.id;
  }
}

TEST(CudaModel, large_groups_take_large_tiles) {
  for (const char* id : {"S1", "S8", "S19", "S21", "S22"}) {
    const KernelConfig best = best_of(moe(id).product);
    EXPECT_EQ(best.tiling.m * best.tiling.n, 128 * 256) << id << " " << to_string(best);
  }
}

// If memory is the limit, all tiles are almost equally fast. Swapped operands must be chosen, or be
// at most 2 % slower than the best estimate.
TEST(CudaModel, few_rows_swap_the_operands) {
  EXPECT_LT(best_of(moe("S24").product).tiling.m, 64);
  for (const char* id : {"S24", "S25"}) {
    const std::vector<Estimate> all = estimates(moe(id).product);
    double swapped = 0;
    for (const Estimate& e : all) {
      if (e.config.tiling.m < 64 && swapped == 0) swapped = e.seconds;
    }
    EXPECT_LT(swapped, 1.02 * all.front().seconds) << id;
  }
}

// Tiles of 128 x 128 and 64 x 256 that consumers take in turn need more L2 bandwidth than there is.
// Measured: a third slower, even if the epilogue is long compared to the products.
TEST(CudaModel, a_short_contraction_takes_large_tiles_too) {
  const KernelConfig best = best_of(moe("S11").product);
  EXPECT_EQ(best.tiling.m * best.tiling.n, 128 * 256) << to_string(best);
}

TEST(CudaModel, more_rows_or_a_longer_contraction_take_longer) {
  const KernelConfig c = gmm_candidates().front();
  const auto seconds = [&](std::int64_t m, std::int64_t k, std::int64_t n) {
    return estimate_seconds(grouped_desc(GroupedKind::gmm, m, k, n, 8), c);
  };
  EXPECT_LT(seconds(65536, 4096, 4096), seconds(131072, 4096, 4096));
  EXPECT_LT(seconds(65536, 4096, 4096), seconds(65536, 8192, 4096));
  EXPECT_LT(seconds(65536, 4096, 4096), seconds(65536, 4096, 8192));
}

TEST(CudaModel, sizes_that_nobody_knows_are_spread_around_their_mean) {
  const std::vector<std::int64_t> sizes = expected_sizes(4096, 256);
  ASSERT_EQ(sizes.size(), 256u);
  EXPECT_EQ(sizes[0], 16);
  EXPECT_EQ(sizes[1], 12);
  EXPECT_EQ(sizes[2], 20);
  EXPECT_EQ(expected_sizes(100, 1), std::vector<std::int64_t>{100});
}

TEST(CudaModel, the_device_chooses_the_models_first_that_has_room) {
  const GroupedDesc desc = grouped_desc(GroupedKind::gmm, 4096, 512, 512, 4);
  const ConfigChoice first = cuda_device().default_config({desc}, {});
  EXPECT_EQ(first.config, best_of(desc));
  EXPECT_EQ(first.reason, "number 1 of the model for H200");
  const ConfigChoice deep =
      cuda_device().default_config({.desc = desc, .buffers = first.config.buffers + 1}, {});
  EXPECT_EQ(deep.config.buffers, first.config.buffers + 1);
  EXPECT_NE(deep.config.tiling, first.config.tiling);
}

TEST(CudaModel, nothing_is_measured_without_a_gpu) {
  const Support here = driver_available();
  if (here.ok) GTEST_SKIP() << "there is a GPU here";
  const auto timer = DeviceTimer::make();
  ASSERT_FALSE(timer);
  EXPECT_EQ(timer.diags()[0].code, ErrorCode::environment);
  EXPECT_EQ(timer.diags()[0].message, here.reason);
}

// On a machine without a GPU, the reason names the toolkit and the missing GPU.
TEST(CudaAbsent, the_device_says_what_is_here_and_what_is_not) {
  if (driver_available().ok) GTEST_SKIP() << "there is a GPU here";
  const Support device = cuda_device().available();
  EXPECT_FALSE(device.ok);
  if (!compiler_available().ok) {
    EXPECT_EQ(device.reason, compiler_available().reason);
    GTEST_SKIP() << compiler_available().reason;
  }
  EXPECT_EQ(device.reason, compiler_version() + " is installed, but " + driver_available().reason);
  const auto kernel =
      Kernel::make(*make_kernel("gmm", gmm_configuration(128, 128, 4, "bf16", "bf16", 0).settings));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.diags()[0].code, ErrorCode::environment);
  EXPECT_EQ(kernel.diags()[0].message, driver_available().reason);
}

TEST(CudaAbsent, the_toolkits_folders_can_be_chosen) {
  setenv("TESSERA_CUDA_LIBRARIES", "/nowhere:/neither", 1);
  const SharedLibrary nvrtc({"libnvrtc.so.13"});
  unsetenv("TESSERA_CUDA_LIBRARIES");
  EXPECT_FALSE(nvrtc);
  EXPECT_NE(nvrtc.problem().find("/nowhere/libnvrtc.so.13: cannot open"), std::string::npos)
      << nvrtc.problem();
}

TEST(CudaLaunch, addresses_are_named_and_aligned) {
  const Expected<Program> program =
      make_kernel("gmm", gmm_configuration(128, 128, 4, "bf16", "bf16", 0).settings);
  ASSERT_TRUE(program);
  DeviceOperands operands{{"lhs", 4096}, {"rhs", 8192}, {"group_sizes", 12292}};
  EXPECT_EQ(check_operands(*program, operands).diags()[0].message,
            "the launch of gmm has no address for `out`");
  operands["out"] = 16400;
  EXPECT_TRUE(check_operands(*program, operands));
  operands["rhs"] = 8200;
  EXPECT_EQ(check_operands(*program, operands).diags()[0].message,
            "`rhs` of the launch of gmm begins at 0x2008, which is not a multiple of 16 bytes");
}

}  // namespace
}  // namespace tessera::cuda
