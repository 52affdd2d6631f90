// The suite `certificate`: cost of a verdict on all schedules, compared with the run itself.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/certificate/certifier.h"
#include "bench/bench.h"
#include "devices/devices.h"
#include "devices/interpreter/interpreter_device.h"
#include "devices/profiles/profile.h"
#include "kernels/collective/allgather_matmul.h"
#include "kernels/collective/rings.h"
#include "kernels/inputs/fill.h"
#include "kernels/launch/launch.h"
#include "kernels/peers/peers.h"

namespace tessera::bench {
namespace {

// An all-gather matmul on one ring of devices: over k with bf16, or over the rows with f32.
struct Ring {
  int devices = 8;
  std::int64_t m = 8, k = 64, n = 8;
  int calls = 1;
  std::optional<Tiling> tiling{};
  bool over_rows = false, has_math = false;
};

// The launch with its operands, prepared once.
struct Call {
  RunOptions options;
  std::vector<Tensor> lhs, rhs;
  std::optional<Launch> launch{};
  std::unique_ptr<Executable> executable{};
};

// One operand per device, filled on first access.
std::vector<Tensor> operands(const Ring& ring, DType dtype, const Shape& shape, FillRole role,
                             std::uint64_t stream) {
  std::vector<Tensor> all;
  for (int d = 0; d < ring.devices; ++d)
    all.push_back(Tensor::deferred(dtype, shape, [=, seed = ++stream] {
      Tensor tensor = Tensor::uninitialised(dtype, shape);
      fill(tensor, Fill::normal, role, ring.k, seed);
      return tensor;
    }));
  return all;
}

Expected<Launch> launch_of(const Ring& ring, const Call& call) {
  const Tensor rings = make_rings(1, ring.devices);
  const auto with = [&](auto options) {
    options.calls = ring.calls;
    options.device = simulated_device().name();
    options.run.profile = call.options.machine.profile;
    return options;
  };
  if (ring.over_rows)
    return launch_allgather_matmul_rows(call.lhs, call.rhs, rings, with(AllgatherRowsOptions{}));
  AllgatherMatmulOptions options = with(AllgatherMatmulOptions{});
  options.tiling = ring.tiling;
  return launch_allgather_matmul(call.lhs, call.rhs, rings, options);
}

Expected<std::shared_ptr<Call>> prepared(const Ring& ring) {
  const Expected<Profile> profile = find_profile(default_profile);
  CHECK(profile);
  const auto call = std::make_shared<Call>();
  call->options.machine.devices = ring.devices;
  call->options.machine.profile = profile->machine;
  if (!ring.has_math) call->options.math = Math::none;
  const DType dtype = ring.over_rows ? DType::f32 : DType::bf16;
  const Shape shard =
      ring.over_rows ? Shape{ring.m / ring.devices, ring.k} : Shape{ring.m, ring.k / ring.devices};
  const auto devices = static_cast<std::uint64_t>(ring.devices);
  call->lhs = operands(ring, dtype, shard, FillRole::lhs, 0);
  call->rhs = operands(ring, dtype, {ring.k, ring.n}, FillRole::rhs, devices);
  Expected<Launch> launch = launch_of(ring, *call);
  if (!launch) return launch.diags();
  call->launch = *std::move(launch);
  const Expected<Program> program = make_program(*call->launch);
  if (!program) return program.diags();
  Expected<std::unique_ptr<Executable>> executable = simulated_device().prepare(*program);
  if (!executable) return executable.diags();
  call->executable = *std::move(executable);
  return call;
}

// Returns the seconds of one run from program to result. With a certifier, the program must be
// proved.
Expected<double> timed(const Call& call, Certifier* certifier) {
  RunOptions options = call.options;
  if (certifier != nullptr) options.observers.push_back(certifier);
  const auto begin = std::chrono::steady_clock::now();
  const Expected<DeviceReport> report =
      call.executable->run_with_all(call.launch->devices, {options.machine.profile, &options});
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!report) return report.diags();
  if (Diags diags = faults(*report); !diags.empty()) return diags;
  if (certifier != nullptr && certifier->certificate().verdict != SchedulesVerdict::proved)
    return error(std::string(certifier->certificate().why_explored()));
  return seconds;
}

constexpr std::int64_t budget = 100'000'000;

Expected<double> certified(const Call& call, std::int64_t* events = nullptr) {
  Certifier certifier(CopyGranularity::partial, budget);
  const Expected<double> seconds = timed(call, &certifier);
  if (events != nullptr) *events = certifier.certificate().statistics.events;
  return seconds;
}

BenchEntry entry(std::string name, Ring ring) {
  return {name, [=]() -> Expected<BenchCase> {
            const auto made = prepared(ring);
            if (!made) return made.diags();
            const std::shared_ptr<Call> call = *made;
            std::int64_t events = 0;
            if (const Expected<double> first = certified(*call, &events); !first)
              return first.diags();
            BenchCase result;
            result.name = name;
            result.run = [call] { return certified(*call); };
            result.peers.push_back({"run_alone", [call] { return timed(*call, nullptr); }});
            result.work = static_cast<double>(events) * 1e-6;
            result.unit = fmt::format("s per million of {} events", events);
            result.is_per_unit = true;
            return result;
          }};
}

// Computes `devices` products of one shape with Eigen, without a kernel.
Peer arithmetic(std::int64_t devices, std::int64_t m, std::int64_t k, std::int64_t n) {
  struct Matrices {
    Tensor lhs, rhs, out;
  };
  const auto own = std::make_shared<Matrices>(
      Matrices{{DType::f32, {m, k}}, {DType::f32, {1, k, n}}, {DType::f32, {m, n}}});
  return {"arithmetic_eigen", [=]() -> Expected<double> {
            const auto begin = std::chrono::steady_clock::now();
            const std::int64_t sizes[] = {m};
            for (std::int64_t d = 0; d < devices; ++d)
              eigen_grouped_matmul(own->lhs, own->rhs, sizes, own->out);
            return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
          }};
}

// The all-gather matmul over the rows of 64x256 by 256x128 shards on 8 devices, with its
// certificate, compared with its arithmetic. The case without arithmetic should cost less than the
// arithmetic.
BenchEntry small_entry(bool has_math) {
  const std::string name = has_math ? "rows_64x256x128_8" : "rows_64x256x128_8_no_math";
  return {
      name, [=]() -> Expected<BenchCase> {
        constexpr std::int64_t devices = 8, m = 8 * 64, k = 256, n = 128;
        const auto made = prepared(
            {.devices = devices, .m = m, .k = k, .n = n, .over_rows = true, .has_math = has_math});
        if (!made) return made.diags();
        const std::shared_ptr<Call> call = *made;
        BenchCase result;
        result.name = name;
        result.run = [call] { return certified(*call); };
        result.peers.push_back({"run_alone", [call] { return timed(*call, nullptr); }});
        result.peers.push_back(arithmetic(devices, m, k, n));
        if (!has_math) return result;
        result.work = 2e-9 * static_cast<double>(devices * m * k * n);
        result.unit = "GFLOP/s";
        return result;
      }};
}

}  // namespace

std::vector<BenchEntry> certificate_suite() {
  std::vector<BenchEntry> entries = {small_entry(true), small_entry(false)};
  // Increasing numbers of devices.
  for (const int devices : {8, 32, 256}) {
    entries.push_back(
        entry(fmt::format("ring_{}_devices", devices), {.devices = devices, .k = 8 * devices}));
  }
  // Eight devices, increasing numbers of steps.
  for (const int calls : {10, 100, 1000}) {
    entries.push_back(entry(fmt::format("ring_8_calls_{}", calls), {.calls = calls}));
  }
  // Increasing numbers of tiles between two hops.
  for (const int n : {32, 128, 512}) {
    entries.push_back(entry(fmt::format("ring_8_tiles_{}", n * 8 * 16 / 64),
                            {.m = 64, .k = 1024, .n = n, .tiling = Tiling{8, 8, 8}}));
  }
  return entries;
}

}  // namespace tessera::bench
