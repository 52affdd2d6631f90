// Tuning for a GPU, as far as possible without one: the candidates, their hints, which reach the
// kernel or are rejected, and the order of measurements.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "cli/cli.h"
#include "cli/operations/config_choice.h"
#include "devices/cuda/cuda_device.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/model/configuration.h"
#include "devices/cuda/runtime/driver.h"
#include "kernels/grouped_matmul/on_gpu.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/config_request.h"
#include "kernels/tuning/device_tuning.h"
#include "kernels/tuning/grouped_choice.h"
#include "kernels/tuning/persistent_cache.h"
#include "tests/unit/temporary.h"

namespace tessera {
namespace {

using Config = GroupedMatmulConfig;

GroupedTuningProblem large(bool is_tgmm) {
  GroupedTuningProblem p;
  p.platform = Platform("cuda");
  p.desc.kind = is_tgmm ? GroupedKind::tgmm : GroupedKind::gmm;
  p.desc.m = 32768;
  p.desc.k = 4096;
  p.desc.n = 4096;
  p.desc.sizes = {10000, 6000, 8000, 8768};
  p.desc.local_groups = 4;
  p.desc.out = DType::bf16;
  return p;
}

const Config in_pairs = [] {
  Config config;
  config.kernel = {{128, 64, 256}, 4, 1, {.pairing = Pairing::rows, .band = 16}};
  return config;
}();

TEST(CudaTuning, candidates_are_the_backends_data_in_the_models_order) {
  for (const bool is_tgmm : {false, true}) {
    const GroupedTuningProblem problem = large(is_tgmm);
    const std::vector<KernelConfig> data =
        is_tgmm ? cuda::tgmm_candidates() : cuda::gmm_candidates();
    const std::vector<ConfigChoice> all = grouped_candidates(problem);
    ASSERT_EQ(all.size(), data.size());
    double last = 0;
    for (const ConfigChoice& choice : all) {
      EXPECT_NE(std::find(data.begin(), data.end(), choice.config), data.end())
          << to_string(choice.config);
      ASSERT_TRUE(choice.expected_seconds);
      EXPECT_GE(*choice.expected_seconds, last);
      last = *choice.expected_seconds;
    }
    const ConfigQuery query = config_query(multiplied_desc(problem));
    EXPECT_EQ(cuda_device().default_config(query, {}).config, all.front().config);
    EXPECT_EQ(choose_config(question_of(problem))->config.kernel, all.front().config);
  }
}

// Rows of 71 elements, and f32: only the general kernel supports these, and it has no hints.
TEST(CudaTuning, a_problem_without_a_fast_kernel_is_offered_no_hints) {
  GroupedTuningProblem odd = large(false), wide = large(false);
  odd.desc.n = 71;
  wide.desc.lhs = wide.desc.rhs = DType::f32;
  for (const GroupedTuningProblem& problem : {odd, wide}) {
    const std::vector<ConfigChoice> all = grouped_candidates(problem);
    ASSERT_GE(all.size(), 5u);
    for (const ConfigChoice& choice : all) {
      EXPECT_EQ(choice.config.hints, MachineHints{});
      EXPECT_FALSE(choice.expected_seconds);
    }
  }
}

TEST(CudaTuning, options_of_the_problem_reach_the_program) {
  GroupedTuningProblem problem = large(false);
  GroupedDesc& desc = problem.desc;
  desc.local_groups = 2;
  desc.local_rows = desc.transpose_rhs = true;
  desc.existing = ExistingOut::Overwrite;
  const Expected<Program> program = kernel_program(multiplied_desc(problem), in_pairs.kernel);
  ASSERT_TRUE(program) << render(program.diags());
  const auto shape = [&](std::string_view name) {
    for (const Buffer& buffer : program->buffers) {
      if (buffer.name == name) return buffer.shape;
    }
    return Shape{};
  };
  EXPECT_EQ(shape("rhs"), (Shape{2, 4096, 4096}));
  EXPECT_EQ(shape("group_sizes"), Shape{4});
  EXPECT_EQ(shape("existing_out"), (Shape{32768, 4096}));
  GroupedDesc wrong = large(true).desc;
  wrong.transpose_rhs = true;
  EXPECT_EQ(device_grouped_matmul(wrong).diags()[0].message,
            "transpose_rhs is for gmm, and this is tgmm");
}

// Tuned in the type that the call uses: bf16 if a higher precision is requested or the layout
// differs.
TEST(CudaTuning, one_byte_operands_are_tuned_as_they_are_multiplied) {
  GroupedTuningProblem problem = large(false);
  problem.desc.lhs = problem.desc.rhs = DType::e4m3;
  problem.desc.transpose_rhs = true;
  EXPECT_EQ(multiplied_desc(problem).lhs, DType::e4m3);
  GroupedTuningProblem exact = problem, other = problem, mixed = problem;
  exact.desc.precision = Precision::Highest;
  other.desc.transpose_rhs = false;
  mixed.desc.rhs = DType::e5m2;
  for (const GroupedTuningProblem& p : {exact, other, mixed})
    EXPECT_EQ(multiplied_desc(p).lhs, DType::bf16);
  exact.desc.lhs = exact.desc.rhs = DType::bf16;
  problem.desc.precision = Precision::Highest;
  EXPECT_EQ(grouped_candidates(problem).front().config, grouped_candidates(exact).front().config);
}

TEST(CudaTuning, hints_are_kept_as_json_and_named_when_wrong) {
  EXPECT_EQ(to_json(in_pairs),
            R"({"platform":"auto","backend":"any","block_m":128,"block_n":256,"block_k":64,)"
            R"("num_warps":4,"num_stages":4,"bypass_xla_tiling":false,"align":1,)"
            R"("hints":{"pairing":"rows","alternate":false,"dynamic":false,"band":16,)"
            R"("left":"normal","right":"normal"}})");
  EXPECT_EQ(describe(in_pairs), "128x64x256, 4 stages, pairs along the rows, bands of 16, align 1");
  for (const ConfigChoice& choice : grouped_candidates(large(false))) {
    const Config config{.kernel = choice.config};
    EXPECT_EQ(*parse_config(to_json(config)), config);
  }
  const auto wrong = [](const char* json) { return parse_config(json).diags()[0].message; };
  EXPECT_EQ(wrong(R"({"hints": 3})"), "config field hints requires an object, got 3");
  EXPECT_EQ(wrong(R"({"hints": {"cluster": 2}})"),
            "a config has no hint cluster; its hints are pairing, alternate, dynamic, band, left, "
            "right");
  EXPECT_EQ(wrong(R"({"hints": {"pairing": "both"}})"),
            "config hint pairing requires one of none, rows, columns, got \"both\"");
  EXPECT_EQ(wrong(R"({"hints": {"band": 0}})"),
            "config hint band requires an integer from 1 to 1024, got 0");
  EXPECT_EQ(wrong(R"({"align": 0})"), "config field align must be at least 1, got 0");
}

TEST(CudaTuning, hints_are_honoured_or_refused) {
  const Expected<void> elsewhere = check_platform(in_pairs, Platform("interpreter"));
  ASSERT_FALSE(elsewhere);
  ASSERT_EQ(elsewhere.diags().size(), 1u);
  EXPECT_EQ(elsewhere.diags()[0].code, ErrorCode::unsupported);
  EXPECT_TRUE(check_platform(in_pairs, Platform("cuda")));

  Tensor lhs(DType::bf16, {8, 16}), rhs(DType::bf16, {1, 16, 16}), sizes(DType::i32, {1});
  GroupedMatmulOptions options;
  options.hints = in_pairs.kernel.hints;
  options.tiling = in_pairs.kernel.tiling;
  options.device = "interpreter";
  EXPECT_EQ(grouped_matmul(lhs, rhs, sizes, options).diags()[0].message,
            "hints (pairs along the rows, bands of 16) are for the CUDA kernels, and this runs on "
            "interpreter");
  const GroupedDesc desc = *describe_gmm(lhs, rhs, sizes, options);
  const auto chosen = [&] {
    return choose_config(
        question_of(cuda_device(), config_query(desc), options.run, config_request(options)));
  };
  ASSERT_TRUE(chosen());
  EXPECT_EQ(chosen()->config.kernel.hints, in_pairs.kernel.hints);
  options.tiling = {};
  EXPECT_EQ(chosen().diags()[0].message,
            "hints (pairs along the rows, bands of 16) need a tiling, and none is given");

  GroupedTuningProblem odd = large(false);
  odd.desc.n = 71;
  const Expected<Program> program = kernel_program(multiplied_desc(odd), in_pairs.kernel);
  ASSERT_TRUE(program);
  PrepareOptions how{.hints = in_pairs.kernel.hints};
  const Expected<cuda::LoweredKernel> refused = cuda::lower_as(*program, how);
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.diags()[0].code, ErrorCode::unsupported);
  EXPECT_NE(refused.diags()[0].message.find("rows of `rhs` are 142 bytes"), std::string::npos)
      << refused.diags()[0].message;
  EXPECT_TRUE(cuda::lower_as(*program, {}));
  how.may_ignore_hints = true;
  EXPECT_TRUE(cuda::lower_as(*program, how));
  how.require_fast = true;
  EXPECT_FALSE(cuda::lower_as(*program, how));
}

TEST(CudaTuning, a_gradients_configuration_is_its_own) {
  AutotunePolicy policy;
  policy.validate_backward = true;
  const auto tuned = tune_grouped(large(false), policy);
  ASSERT_FALSE(tuned);
  EXPECT_EQ(tuned.diags()[0].code, ErrorCode::unsupported);
}

// A configuration tuned on a GPU is read from the cache completely, including hints, but only for
// the same key.
TEST(CudaTuning, the_chain_takes_what_was_kept_and_passes_it_on) {
  const TemporaryFolder folder;
  ::setenv("TESSERA_CACHE", folder.file("cache").c_str(), 1);
  cli::RunRequest request;
  request.device = &cuda_device();
  const auto chosen = [&](cli::Problem& problem) {
    problem.desc.m = 512;
    problem.desc.k = problem.desc.n = 256;
    problem.desc.sizes = {200, 312};
    problem.desc.local_groups = 2;
    const Expected<cli::Arguments> none = cli::parse_arguments({}, {});
    return cli::settle_config(problem, request, *none);
  };
  cli::Problem first;
  const auto before = chosen(first);
  ASSERT_TRUE(before) << render(before.diags());
  EXPECT_EQ(before->source, ConfigSource::Heuristics);
  EXPECT_EQ(*first.tiling, before->config.kernel.tiling);
  EXPECT_EQ(first.hints, before->config.kernel.hints);
  ASSERT_TRUE(PersistentCache::of_user().store(
      {before->key, to_json(in_pairs), "autotune", 1e-3, "by hand"}));
  cli::Problem second, other;
  other.desc.out = DType::bf16;
  const auto after = chosen(second);
  EXPECT_EQ(chosen(other)->source, ConfigSource::Heuristics);
  ::unsetenv("TESSERA_CACHE");
  ASSERT_TRUE(after);
  EXPECT_EQ(after->source, ConfigSource::Persistent);
  EXPECT_EQ(*second.tiling, in_pairs.kernel.tiling);
  EXPECT_EQ(second.buffers, 4);
  EXPECT_EQ(second.align, 1);
  EXPECT_EQ(second.hints, in_pairs.kernel.hints);
}

TEST(CudaTuning, the_command_lists_estimates_and_refuses_to_measure_without_a_gpu) {
  const auto ran = [](std::vector<std::string> more) {
    std::vector<std::string> words = {"tune", "gmm",  "--m", "32768", "--groups", "4",
                                      "--k",  "4096", "--n", "4096",  "--device", "cuda"};
    words.insert(words.end(), more.begin(), more.end());
    std::ostringstream out, err;
    const int code = cli::run(words, out, err);
    return std::pair(code, out.str() + err.str());
  };
  const auto [code, listed] = ran({"--estimates", "--json"});
  ASSERT_EQ(code, 0) << listed;
  const auto object = nlohmann::json::parse(listed);
  EXPECT_EQ(object["candidates"].size(), cuda::gmm_candidates().size());
  EXPECT_GT(object["candidates"][0]["expected_seconds"], 0.0);
  EXPECT_TRUE(object["candidates"][0]["seconds"].is_null());
  EXPECT_FALSE(object.contains("kept"));
  EXPECT_NE(ran({"--estimates"}).second.find("nothing is measured"), std::string::npos);
  EXPECT_EQ(ran({"--estimates", "--iters", "3"}).first, 2);
  if (cuda::driver_available().ok) return;
  const auto [refused, why] = ran({});
  EXPECT_EQ(refused, 3);
  EXPECT_NE(why.find("error: device cuda: " + cuda_device().available().reason), std::string::npos);
}

TEST(SecondsInTurn, all_arms_take_turns_backwards_every_other_round) {
  std::string order;
  const auto arm = [&](char name, std::vector<double> times) -> TimedArm {
    return [&order, name, times, at = std::size_t{0}]() mutable -> Expected<double> {
      order += name;
      return times[at++ % times.size()];
    };
  };
  const auto times =
      seconds_in_turn({arm('a', {9, 1, 5, 3}), arm('b', {9, 2, 2, 4})}, /*warmup=*/1, 3);
  EXPECT_EQ(order,
            "ab"
            "ab"
            "ba"
            "ab");
  EXPECT_EQ(*times[0], 3);
  EXPECT_EQ(*times[1], 2);
}

TEST(SecondsInTurn, the_hopeless_and_the_failing_are_not_run_again) {
  int slow = 0, failing = 0;
  const auto times = seconds_in_turn({[]() -> Expected<double> { return 1.0; },
                                      [&]() -> Expected<double> {
                                        ++slow;
                                        return slow == 1 ? 50.0 : 2.5;
                                      },
                                      [&]() -> Expected<double> {
                                        ++failing;
                                        return error("too large");
                                      }},
                                     2, 10);
  EXPECT_EQ(*times[0], 1.0);
  EXPECT_EQ(*times[1], 2.5);
  EXPECT_EQ(slow, 2);
  ASSERT_FALSE(times[2]);
  EXPECT_EQ(times[2].diags()[0].message, "too large");
  EXPECT_EQ(failing, 1);
}

// On a GPU: every candidate is timed, and the name of the GPU is part of the measure and the key.
TEST(CudaTuningDevice, every_candidate_is_timed) {
  if (const Support here = cuda_device().available(); !here.ok) GTEST_SKIP() << here.reason;
  for (const bool is_tgmm : {false, true}) {
    GroupedTuningProblem problem = large(is_tgmm);
    problem.desc.m = 1024;
    problem.desc.sizes = {300, 0, 500, 224};
    Tuner tuner;
    tuner.warmup = 1;
    tuner.iters = 3;
    const auto tuned = tune_grouped(problem, {}, tuner);
    ASSERT_TRUE(tuned) << render(tuned.diags());
    for (const auto& candidate : tuned->candidates)
      EXPECT_TRUE(candidate.seconds) << describe(candidate.config) << ": " << candidate.skipped;
    EXPECT_NE(measure_name(problem).find(cuda::device_facts().name), std::string::npos);
    EXPECT_NE(grouped_key(problem).device.find(cuda::device_facts().name), std::string::npos);
  }
}

}  // namespace
}  // namespace tessera
