// The suite `interp`: speed of the interpreter.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench.h"
#include "core/lang/language.h"
#include "devices/devices.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "kernels/grouped_matmul/grouped_matmul.h"
#include "kernels/inputs/fill.h"
#include "kernels/oracle/check_grouped.h"
#include "kernels/peers/peers.h"
#include "kernels/programs/kernels.h"

namespace tessera::bench {
namespace {

MachineProfile machine_of(std::string_view profile_name) {
  const Expected<Profile> profile = find_profile(profile_name);
  CHECK(profile);
  return profile->machine;
}

template <typename Work>
double seconds_to_run(const Work& work) {
  const auto start = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

Tensor as_f32(const Tensor& tensor) {
  Tensor result = Tensor::uninitialised(DType::f32, tensor.shape());
  for (std::int64_t i = 0; i < tensor.elements(); ++i) {
    result.as<float>()[i] = static_cast<float>(tensor.at(i));
  }
  return result;
}

// A square gmm with 8 equal groups, and its operands; shared by the closures of a case.
struct Gmm {
  std::int64_t side;
  std::vector<std::int64_t> group_sizes;
  Tensor lhs, rhs, sizes;
  Tiling tiling;
  MachineProfile machine = machine_of(default_profile);
  Tensor lhs_f32, rhs_f32, out_f32;  // for the peer

  Gmm(DType dtype, std::int64_t extent, std::int64_t tile)
      : side(extent),
        group_sizes(8, extent / 8),
        lhs(Tensor::uninitialised(dtype, {extent, extent})),
        rhs(Tensor::uninitialised(dtype, {8, extent, extent})),
        sizes(DType::i32, {8}),
        tiling{tile, tile, tile} {
    fill(lhs, Fill::normal, FillRole::lhs, extent, 1);
    fill(rhs, Fill::normal, FillRole::rhs, extent, 2);
    std::copy(group_sizes.begin(), group_sizes.end(), sizes.as<std::int32_t>());
  }

  double flops() const { return 2.0 * static_cast<double>(side * side * side); }

  // Returns the seconds of the kernel only. Fails if the result is checked and wrong.
  Expected<double> run(bool checked, Check check) {
    RunOptions options;
    options.checks.enabled = checked;
    GroupedMatmulOptions call;
    call.tiling = tiling;
    call.device = simulated_device().name();
    call.run = {machine, &options};
    const Expected<GroupedMatmulRun> run = run_grouped_matmul(lhs, rhs, sizes, call);
    if (!run) return run.diags();
    if (Diags diags = faults(run->report); !diags.empty()) return diags;
    if (check == Check::none) return run->report.wall_seconds;
    const Expected<GroupedProblem> problem = gmm_problem(lhs, rhs, sizes, call);
    if (!problem) return problem.diags();
    CheckOptions how;
    how.check = check;
    how.sum_error = run->report.sum_error;
    const Verdict verdict = check_gmm(*problem, run->out, how);
    if (!verdict.ok) return error(verdict.message);
    return run->report.wall_seconds;
  }

  double run_eigen() {
    if (out_f32.rank() == 0) {
      lhs_f32 = as_f32(lhs);
      rhs_f32 = as_f32(rhs);
      out_f32 = Tensor(DType::f32, {side, side});
    }
    return seconds_to_run([&] { eigen_grouped_matmul(lhs_f32, rhs_f32, group_sizes, out_f32); });
  }
};

enum class Against { eigen, unchecked, nothing };

BenchEntry gmm_entry(DType dtype, std::int64_t side, std::int64_t tile, Against against) {
  const std::string name = fmt::format("gmm_{}_{}_tile_{}{}", tessera::name(dtype), side, tile,
                                       against == Against::unchecked ? "_checks" : "");
  return {name, [=]() -> Expected<BenchCase> {
            const auto gmm = std::make_shared<Gmm>(dtype, side, tile);
            BenchCase result;
            result.name = name;
            result.run = [gmm] { return gmm->run(true, Check::none); };
            if (against == Against::eigen) {
              result.peers.push_back(
                  {"eigen_f32", [gmm]() -> Expected<double> { return gmm->run_eigen(); }});
            } else if (against == Against::unchecked) {
              result.peers.push_back({"unchecked", [gmm] { return gmm->run(false, Check::none); }});
            }
            result.work = gmm->flops() * 1e-9;
            result.unit = "GFLOP/s";
            result.check = [gmm]() -> std::string {
              const Expected<double> checked = gmm->run(true, Check::sample);
              return checked ? "ok" : checked.diags().front().message;
            };
            return result;
          }};
}

constexpr std::string_view scalar_loop = R"(
// Index arithmetic and nothing else.
kernel scalar_loop(outer, inner)
  out o: i32[1] smem
{
  for i in outer {
    for j in inner {
      at = (i * inner + j) mod 1021
      o[0] = min(at, i) + j
    }
  }
}
)";

constexpr std::string_view ring_copies = R"(
// Every device sends to its right neighbour, `count` times; the neighbour gives the slot back each time.
kernel ring_copies(count)
  in  src: f32[8, 128] hbm
  out dst: f32[8, 128] hbm
  sem free:    count
  sem sent:    bytes
  sem arrived: bytes
{
  right = (device + 1) mod devices
  left  = (device - 1) mod devices
  signal free on left, 1
  for s in count {
    wait free, 1
    start src -> right: dst, sent, arrived
    wait sent for src
    wait arrived for dst
    if s + 1 < count { signal free on left, 1 }
  }
}
)";

// A program on the interpreter with operands of zeros.
struct Run {
  Program program;
  std::vector<std::vector<Tensor>> tensors;  // per device
  MachineProfile machine = machine_of("v5p");
  RunStats last;

  Expected<double> run() {
    std::vector<DeviceBinding> bindings(tensors.size());
    for (std::size_t d = 0; d < tensors.size(); ++d) {
      std::size_t next = 0;
      for (const Buffer& buffer : program.buffers) {
        if (buffer.role != Role::scratch) bindings[d].emplace(buffer.name, &tensors[d][next++]);
      }
    }
    const RunOptions run;
    const Expected<DeviceReport> report =
        simulated_device().run(program, bindings, {machine, &run});
    if (!report) return report.diags();
    if (!report->findings.empty()) return faults(*report);
    last = report->simulated->stats;
    return report->wall_seconds;
  }
};

Expected<std::shared_ptr<Run>> make_run(std::string_view text, std::string_view kernel,
                                        const Settings& settings, int devices) {
  const auto source =
      std::make_shared<const Source>(Source{fmt::format("<{}>", kernel), std::string(text)});
  const Expected<Module> module = parse(source);
  if (!module) return module.diags();
  const auto library = function_library();
  if (!library) return library.diags();
  Expected<Program> program = instantiate(*module, kernel, settings, *library);
  if (!program) return program.diags();
  const auto result = std::make_shared<Run>();
  result->program = *std::move(program);
  for (int d = 0; d < devices; ++d) {
    auto& mine = result->tensors.emplace_back();
    for (const Buffer& buffer : result->program.buffers) {
      if (buffer.role != Role::scratch) mine.emplace_back(buffer.dtype, buffer.shape);
    }
  }
  return result;
}

// Measures the rate of a quantity of a run, per second; `count` is its counter in the statistics.
BenchEntry program_entry(std::string name, std::string_view text, std::string_view kernel,
                         const Settings& settings, int devices, std::string unit,
                         std::int64_t RunStats::*count) {
  return {name, [=]() -> Expected<BenchCase> {
            const auto run = make_run(text, kernel, settings, devices);
            if (!run) return run.diags();
            const Expected<double> once = (*run)->run();
            if (!once) return once.diags();
            BenchCase result;
            result.name = name;
            result.run = [run = *run] { return run->run(); };
            result.work = static_cast<double>((*run)->last.*count) * 1e-6;
            result.unit = unit;
            return result;
          }};
}

}  // namespace

std::vector<BenchEntry> interp_suite() {
  std::vector<BenchEntry> entries;
  for (const std::int64_t tile : {128, 256}) {
    for (const DType dtype : {DType::f32, DType::bf16}) {
      entries.push_back(gmm_entry(dtype, 2048, tile, Against::eigen));
    }
  }
  for (const DType dtype : {DType::f32, DType::bf16}) {
    entries.push_back(gmm_entry(dtype, 2048, 128, Against::unchecked));
  }
  for (const std::int64_t side : {512, 1024}) {
    entries.push_back(gmm_entry(DType::f32, side, 128, Against::nothing));
  }
  entries.push_back(program_entry("scalar_loop_10000000", scalar_loop, "scalar_loop",
                                  {{"outer", "1000"}, {"inner", "10000"}}, 1, "million ops/s",
                                  &RunStats::ops));
  for (const std::int64_t copies : {10'000, 100'000, 1'000'000}) {
    entries.push_back(program_entry(fmt::format("ring_copies_{}", copies), ring_copies,
                                    "ring_copies", {{"count", std::to_string(copies / 8)}}, 8,
                                    "million copies/s", &RunStats::dmas));
  }
  return entries;
}

}  // namespace tessera::bench
