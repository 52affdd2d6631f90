// Configurations of a grouped matmul, machine profiles, and group sizes with the problem that they
// are chosen for. The first line says which; the rest is the text.
#include <array>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/grouped_choice.h"
#include "kernels/tuning/grouped_tuning.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{32} << 20;

struct SmallProblem {
  Tensor lhs = Tensor(DType::f32, {24, 16}), rhs = Tensor(DType::f32, {3, 16, 8}),
         sizes = Tensor(DType::i32, {3});
  GroupedTuningProblem about;

  SmallProblem() {
    fill(lhs, Fill::integers, FillRole::lhs, 16, 1);
    fill(rhs, Fill::integers, FillRole::rhs, 16, 2);
    for (int g = 0; g < 3; ++g) sizes.set(g, g == 1 ? 0 : 12);
    GroupedDesc& desc = about.desc;
    desc.m = 24;
    desc.k = 16;
    desc.n = 8;
    desc.sizes = {12, 0, 12};
    desc.local_groups = 3;
    desc.lhs = desc.rhs = desc.out = DType::f32;
    about.profile = *find_profile(default_profile);
  }
};

// What fits a problem computes it, and a tiling changes no result of whole numbers.
void check_run(const SmallProblem& problem, const GroupedMatmulConfig& config) {
  RunOptions interpreted;
  interpreted.max_steps = 20000;
  GroupedMatmulOptions options;
  options.device = "interpreter";
  options.run.interpreter = &interpreted;
  const Expected<Tensor> plain = grouped_matmul(problem.lhs, problem.rhs, problem.sizes, options);
  options.tiling = config.kernel.tiling;
  options.input_buffer_count = config.kernel.buffers;
  options.align = config.kernel.align;
  const Expected<Tensor> tiled = grouped_matmul(problem.lhs, problem.rhs, problem.sizes, options);
  if (!tiled) return require_said(tiled.diags());
  if (!plain) return require_said(plain.diags());
  for (std::int64_t i = 0; i < plain->elements(); ++i)
    REQUIRE(plain->at(i) == tiled->at(i), "a tiling changes the result: " + to_json(config));
}

void check_config(std::string_view text) {
  static const SmallProblem* const problem = [] {
    const Unbounded unbounded;
    return new SmallProblem();
  }();
  const Expected<GroupedMatmulConfig> config = parse_config(text);
  if (!config) return require_said(config.diags());
  const std::string written = to_json(*config);
  const Expected<GroupedMatmulConfig> again = parse_config(written);
  REQUIRE(again && *again == *config, written);
  REQUIRE(!describe(*config).empty(), written);
  for (const Platform platform : {Platform("interpreter"), Platform("cuda"), Platform::Reference})
    if (const Expected<void> can = check_platform(*config, platform); !can)
      require_said(can.diags());
  const bool is_for_us = bool(check_use(problem->about, *config));
  const Expected<ConfigDecision> decision =
      choose_config({.problem = problem->about, .given = *config});
  if (!decision) return require_said(decision.diags());
  REQUIRE(decision->config == *config, written);
  if (!is_for_us || !check_fit(problem->about, *config)) return;
  if (const auto seconds = simulated_seconds(problem->about, *config, 2000); !seconds)
    require_said(seconds.diags());
  check_run(*problem, *config);
}

void check_profiles(std::string_view text) {
  const auto source = std::make_shared<const Source>(Source{"fuzz.profile", std::string(text)});
  const Expected<std::vector<Profile>> profiles = parse_profiles(source);
  if (!profiles) return require_said(profiles.diags());
  for (const Profile& profile : *profiles) REQUIRE(!profile.machine.name.empty(), "no name");
}

void check(std::string_view text) {
  const MemoryBudget memory(max_bytes);
  const Deadline deadline(std::chrono::milliseconds(1500));
  try {
    const std::size_t line = text.find('\n');
    const std::string_view rest = line == text.npos ? "" : text.substr(line + 1);
    if (text.starts_with("profile"))
      check_profiles(rest);
    else
      check_config(rest);
  } catch (const std::bad_alloc&) {
    REQUIRE(memory.was_refused(), "bad_alloc, and nothing was refused");
  } catch (const Interrupted&) {
    REQUIRE(deadline.is_over(), "interrupted, and nobody asked");
  }
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
