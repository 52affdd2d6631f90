// Default configurations of devices for a product, and their candidates for tuning.
#include <gtest/gtest.h>

#include "devices/devices.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_choice.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

KernelConfig clamped_to(const GroupedDesc& desc, const KernelConfig& config) {
  return clamped(config, desc.k, desc.n);
}

TEST(DeviceChoice, is_the_first_candidate_and_has_a_reason) {
  for (const GroupedKind kind : {GroupedKind::gmm, GroupedKind::tgmm}) {
    for (const std::int64_t n : {4096, 71}) {
      GroupedTuningProblem problem;
      problem.desc = grouped_desc(kind, 8192, 512, n, 4);
      for (const Device* device : devices()) {
        problem.platform = Platform(device->name());
        const ConfigQuery query = config_query(multiplied_desc(problem));
        const ConfigChoice choice = device->default_config(query, {});
        EXPECT_FALSE(choice.reason.empty()) << device->name();
        const std::vector<ConfigChoice> all = grouped_candidates(problem);
        ASSERT_FALSE(all.empty()) << device->name();
        EXPECT_EQ(clamped_to(query.desc, all.front().config), clamped_to(query.desc, choice.config))
            << device->name();
        const auto decision = choose_config(question_of(problem));
        ASSERT_TRUE(decision) << render(decision.diags());
        EXPECT_EQ(decision->config.kernel, choice.config) << device->name();
        EXPECT_EQ(decision->reason, choice.reason);
      }
    }
  }
}

// A minimal device that only runs programs and has no tile configurations.
class Plain final : public Device {
 public:
  std::string_view name() const override { return "plain"; }
  Support available() const override { return {}; }
  Support supports(const Program&, const PrepareOptions&) const override { return {}; }
  Support takes_hints(const MachineHints&) const override { return {false, "no hints"}; }
  Fp8Products fp8_products(const GroupedDesc&) const override { return Fp8Products::widened; }
  std::string version_key(const DeviceOptions&) const override { return "plain"; }
  std::string time_source(const DeviceOptions&) const override { return "measured"; }
  Expected<std::unique_ptr<Executable>> prepare(const Program&,
                                                const PrepareOptions&) const override {
    return error(ErrorCode::unsupported, "nothing runs here");
  }
};

TEST(DeviceChoice, a_device_without_candidates_takes_the_kernels_own_tiles) {
  const Plain device;
  const GroupedDesc desc = grouped_desc(GroupedKind::gmm, 300, 64, 64, 2);
  EXPECT_TRUE(device.candidates({desc}, {}).empty());
  const ConfigChoice choice = device.default_config({.desc = desc, .buffers = 3}, {});
  EXPECT_EQ(choice.config, (KernelConfig{.buffers = 3}));
  EXPECT_EQ(choice.reason, "the kernel's own tiles");
}

// The only candidate is a tiling, which the reference rejects.
TEST(DeviceChoice, the_reference_has_nothing_to_tune) {
  GroupedTuningProblem problem;
  problem.platform = Platform::Reference;
  problem.desc = grouped_desc(GroupedKind::gmm, 16, 8, 8, 2);
  Tuner once;
  once.warmup = 0;
  once.iters = 1;
  const auto tuned = tune_grouped(problem, {}, once);
  ASSERT_FALSE(tuned);
  EXPECT_NE(tuned.diags()[0].message.find("a tiling selects the tiles of a kernel"),
            std::string::npos)
      << tuned.diags()[0].message;
}

// The library also uses the configuration that `tune` cached for a call, unless the caller passes a
// tiling.
TEST(DeviceChoice, a_call_of_the_library_takes_what_was_kept) {
  const TemporaryFolder folder;
  ::setenv("TESSERA_CACHE", folder.file("cache").c_str(), 1);
  Tensor lhs(DType::bf16, {40, 32}), rhs(DType::bf16, {2, 32, 16});
  const Tensor sizes = i32_tensor({24, 16});
  GroupedMatmulOptions options;
  options.device = simulated_device().name();
  const auto tiling = [&] { return run_grouped_matmul(lhs, rhs, sizes, options)->tiling; };
  const Tiling own = tiling();
  GroupedDesc desc = grouped_desc(GroupedKind::gmm, 40, 32, 16, 2);
  desc.sizes = {24, 16};
  const OperationKey key = grouped_key(grouped_problem(simulated_device(), desc, {}));
  GroupedMatmulConfig kept;
  kept.kernel.tiling = {8, 32, 16};
  ASSERT_TRUE(PersistentCache::of_user().store({key, to_json(kept), "autotune", 1e-3, "by hand"}));
  const Tiling after = tiling();
  options.tiling = own;
  const Tiling given = tiling();
  ::unsetenv("TESSERA_CACHE");
  EXPECT_NE(own, kept.kernel.tiling);
  EXPECT_EQ(after, kept.kernel.tiling);
  EXPECT_EQ(given, own);
}

}  // namespace
}  // namespace tessera
