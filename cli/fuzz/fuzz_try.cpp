// Runs one case of the fuzzer and says what went wrong.
#include <fmt/format.h>

#include <string>
#include <utility>

#include "cli/fuzz/fuzz_case.h"
#include "cli/operations/operation.h"
#include "core/report/stop.h"
#include "devices/devices.h"

namespace tessera::cli {
namespace {

RunRequest request_of(const FuzzCase& a_case) {
  RunRequest request;
  const Expected<const Device*> device = find_device("interpreter");
  const Expected<Profile> profile = find_profile(default_profile);
  CHECK(device && profile);
  request.device = *device;
  request.profile = *profile;
  request.schedule = request.options.schedule = a_case.schedule;
  request.options.landing = a_case.landing;
  request.options.dma_order = a_case.dma_order;
  request.options.math = a_case.math;
  request.options.record_schedule = true;
  return request;
}

std::optional<Failure> failure_of(const Expected<Outcome>& outcome) {
  // What was asked to end, and where memory ends, no case is to blame for.
  if (is_stopped(current_stop())) return std::nullopt;
  if (!outcome) return Failure{"error", outcome.diags().front().message};
  if (outcome->status == Status::budget) return std::nullopt;
  if (outcome->status == Status::mismatch) return Failure{"mismatch", outcome->verdict->message};
  if (outcome->status == Status::ok) return std::nullopt;
  const Finding& finding = outcome->run.report.findings.front();
  return Failure{std::string(name(finding.kind)), finding.message};
}

}  // namespace

std::optional<Failure> try_case(const FuzzCase& a_case) {
  const RunRequest request = request_of(a_case);
  const Operands operands = generate(a_case.problem);
  const Expected<Outcome> outcome =
      perform(a_case.problem, operands, request, request.options, Check::full);
  if (std::optional<Failure> failure = failure_of(outcome)) return failure;
  if (is_stopped(current_stop())) return std::nullopt;
  // Nothing ran where the result is empty.
  const std::shared_ptr<const RunResult> first = outcome->run.report.simulated;
  if (!first || a_case.problem.seed % 8 != 0) return std::nullopt;

  // The schedule that the run wrote down leads through the same run again.
  RunOptions replay = request.options;
  replay.schedule = first->schedule;
  const Expected<Outcome> again = perform(a_case.problem, operands, request, replay, Check::none);
  if (std::optional<Failure> failure = failure_of(again)) {
    return Failure{"nondeterminism", "its replay fails: " + failure->message};
  }
  if (is_stopped(current_stop())) return std::nullopt;
  const std::uint64_t hash = again->run.report.simulated->trace_hash;
  if (hash == first->trace_hash) return std::nullopt;
  return Failure{"nondeterminism",
                 fmt::format("trace hash {:016x}, replayed {:016x}", first->trace_hash, hash)};
}

}  // namespace tessera::cli
