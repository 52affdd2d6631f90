// The suite `interp`: how fast the interpreter is.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/bench.h"
#include "cli/operations/operation.h"
#include "core/lang/language.h"
#include "devices/devices.h"
#include "devices/interpreter/interpreter_device.h"
#include "kernels/peers/peers.h"
#include "kernels/programs/kernels.h"

namespace tessera::cli {
namespace {

RunRequest interpreter_request(std::string_view profile_name) {
  RunRequest request;
  const Expected<const Device*> device = find_device("interpreter");
  const Expected<Profile> profile = find_profile(profile_name);
  CHECK(device && profile);
  request.device = *device;
  request.profile = *profile;
  return request;
}

template <typename Work>
double seconds_of(const Work& work) {
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

// A square gmm of 8 equal groups with its operands; shared by the closures of a case.
struct Gmm {
  Problem problem;
  Operands operands;
  RunRequest request = interpreter_request(default_profile);
  Tensor lhs_f32, rhs_f32, out_f32;  // the peer's

  Gmm(DType dtype, std::int64_t side, std::int64_t tile) {
    problem.m = problem.k = problem.n = side;
    problem.group_sizes.assign(8, side / 8);
    problem.local_groups = 8;
    problem.dtype = problem.rhs_dtype = dtype;
    problem.tiling = Tiling{tile, tile, tile};
    operands = generate(problem);
  }

  Expected<double> run(bool checked, Check check) {
    RunOptions options = request.options;
    options.checked = checked;
    const Expected<Outcome> outcome = perform(problem, operands, request, options, check);
    if (!outcome) return outcome.diags();
    if (outcome->status != Status::ok) {
      if (Diags diags = faults(outcome->run.report); !diags.empty()) return diags;
      return error(outcome->verdict ? outcome->verdict->message : "the check was interrupted");
    }
    return outcome->run.report.wall_seconds;
  }

  double run_eigen() {
    if (out_f32.rank() == 0) {
      lhs_f32 = as_f32(operands.lhs);
      rhs_f32 = as_f32(operands.rhs);
      out_f32 = Tensor(DType::f32, {problem.m, problem.n});
    }
    return seconds_of(
        [&] { eigen_grouped_matmul(lhs_f32, rhs_f32, problem.group_sizes, out_f32); });
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
            result.work = static_cast<double>(gmm->problem.flops()) * 1e-9;
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

// A program on the interpreter, its operands zero.
struct Run {
  Program program;
  std::vector<std::vector<Tensor>> tensors;  // of each device
  RunRequest request = interpreter_request("v5p");
  RunStats last;

  Expected<double> run() {
    std::vector<DeviceBinding> bindings(tensors.size());
    for (std::size_t d = 0; d < tensors.size(); ++d) {
      std::size_t next = 0;
      for (const Buffer& buffer : program.buffers) {
        if (buffer.role != Role::scratch) bindings[d].emplace(buffer.name, &tensors[d][next++]);
      }
    }
    const DeviceOptions options{request.profile.machine, &request.options};
    const Expected<DeviceReport> report = request.device->run(program, bindings, options);
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

// How many of something a run does, per second; `count` reads it off the run.
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

}  // namespace tessera::cli
