// The suite `certificate`: what it costs to decide about all schedules, beside the run alone.
#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/bench/bench.h"
#include "cli/command.h"
#include "kernels/peers/peers.h"

namespace tessera::cli {
namespace {

// What `gmm-run verify WORDS` would verify.
Expected<Prepared> prepared(const std::string& line) {
  std::istringstream stream("verify " + line + " --interpret");
  std::vector<std::string> words;
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  Options options = verify_command().resolve(words).options;
  options.push_back({"json", "", ""});
  const Expected<Arguments> arguments = parse_arguments(options, words);
  if (!arguments) return arguments.diags();
  for (const Command& command : commands())
    if (command.name == words[1]) return command.prepare(*arguments);
  return error(fmt::format("no command {}", words[1]));
}

// Seconds of one run from the program to its result; with a certifier it must be proved.
Expected<double> timed(const Prepared& call, Certifier* certifier) {
  RunOptions options = call.request.options;
  if (certifier != nullptr) options.observers.push_back(certifier);
  const auto begin = std::chrono::steady_clock::now();
  const Expected<RunResult> result = call.simulate(options);
  const double seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  if (!result) return result.diags();
  if (!result->findings.empty()) return error(result->findings.front().message);
  if (certifier != nullptr && certifier->certificate().verdict != SchedulesVerdict::proved)
    return error(certifier->certificate().why_explored);
  return seconds;
}

constexpr std::int64_t budget = 100'000'000;

Expected<double> certified(const Prepared& call, std::int64_t* events = nullptr) {
  Certifier certifier(true, budget);
  const Expected<double> seconds = timed(call, &certifier);
  if (events != nullptr) *events = certifier.certificate().events;
  return seconds;
}

BenchEntry entry(std::string name, std::string words) {
  return {name, [=]() -> Expected<BenchCase> {
            Expected<Prepared> made = prepared(words + " --no-math");
            if (!made) return made.diags();
            const auto call = std::make_shared<Prepared>(*std::move(made));
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

// The arithmetic of `devices` products of one shape, without a kernel.
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

// The all-gather matmul over rows of 64x256 by 256x128 shards on 8 devices, with its certificate,
// beside its arithmetic: the row without it is to cost less than the arithmetic would.
BenchEntry small_entry(bool has_math) {
  const std::string name = has_math ? "rows_64x256x128_8" : "rows_64x256x128_8_no_math";
  return {name, [=]() -> Expected<BenchCase> {
            constexpr std::int64_t devices = 8, m = 8 * 64, k = 256, n = 128;
            Expected<Prepared> made = prepared(
                fmt::format("ag-matmul --gather m --devices {} --m {} --k {} --n {} --dtype f32{}",
                            devices, m, k, n, has_math ? "" : " --no-math"));
            if (!made) return made.diags();
            const auto call = std::make_shared<Prepared>(*std::move(made));
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
  // Rings of more and more devices.
  for (const int devices : {8, 32, 256}) {
    entries.push_back(
        entry(fmt::format("ring_{}_devices", devices),
              fmt::format("ag-matmul --devices {} --m 8 --k {} --n 8", devices, 8 * devices)));
  }
  // Eight devices, more and more steps.
  for (const int calls : {10, 100, 1000}) {
    entries.push_back(
        entry(fmt::format("ring_8_calls_{}", calls),
              fmt::format("ag-matmul --devices 8 --m 8 --k 64 --n 8 --calls {}", calls)));
  }
  // More and more tiles between two hops.
  for (const int n : {32, 128, 512}) {
    entries.push_back(
        entry(fmt::format("ring_8_tiles_{}", n * 8 * 16 / 64),
              fmt::format("ag-matmul --devices 8 --m 64 --k 1024 --n {} --tiling 8,8,8", n)));
  }
  return entries;
}

}  // namespace tessera::cli
