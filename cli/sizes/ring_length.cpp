#include "cli/sizes/ring_length.h"

#include <fmt/format.h>

#include "analysis/certificate/explore.h"
#include "analysis/certificate/record/recorder.h"
#include "cli/reports/report.h"
#include "cli/sizes/size_axis.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

constexpr std::int32_t longest_ring = 40;  // max devices of the rings that are tried for a pair

// Runs the target with the recorder. Returns false if the run is not complete or has findings.
Expected<bool> record_run(const VerifyTarget& target, Recorder& recorder) {
  RunOptions options = within_budget(target.how);
  options.computes_values = false;
  options.observers.push_back(&recorder);
  const RunResult result = TRY(target.prepared.simulate(options));
  return result.end == RunEnd::program && result.is_complete && result.findings.empty() &&
         !recorder.record().is_over_budget;
}

std::string place_text(int line) {
  return line > 0 ? fmt::format("line {}", line) : "the begin or end of the kernel";
}

// Compares the record with a run on one device more; none if there is no such run.
Expected<std::optional<SameSteps>> compare_with_one_more(const VerifyTarget& target,
                                                         const Record& record) {
  const Arguments& arguments = target.arguments;
  const Invocation plain =
      arguments.invocation().without({"json", "coverage", "save", "interpret"});
  const std::vector<SizeAxis> axes = TRY(size_axes(arguments, target.how.run.machine.devices));
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].option != "devices") continue;
    for (const SizedCommand& command : with_size(plain, axes, i, axes[i].value + 1)) {
      const Expected<VerifyTarget> larger =
          verify_target(command.invocation.words(), arguments.files());
      if (!larger) continue;
      Recorder other(larger->how.granularity, larger->how.budget);
      const Expected<bool> is_complete = record_run(*larger, other);
      if (is_complete && *is_complete)
        return std::optional<SameSteps>(same_steps(record, other.record()));
    }
  }
  return std::optional<SameSteps>();
}

std::string_view name(LengthVerdict verdict) {
  switch (verdict) {
    case LengthVerdict::quiet:
      return "independent";
    case LengthVerdict::rests_on_length:
      return "rests_on_length";
    case LengthVerdict::not_analysed:
      return "not_analysed";
  }
  return "?";
}

// What a quiet unrolled ring shows, given the comparison with one device more.
std::string quiet_text(const RingLength& length) {
  if (length.with_one_more == SameSteps::same)
    return fmt::format(
        "no order of accesses depends on the length of the ring, and the devices execute the same "
        "steps with {} devices: the proof holds for every number of devices with these steps",
        length.devices + 1);
  return fmt::format(
      "no order of accesses depends on the length of the ring, for this number of steps{}",
      length.with_one_more == SameSteps::other_steps
          ? fmt::format("; with {} devices there are other numbers of steps", length.devices + 1)
          : "");
}

}  // namespace

Expected<std::optional<RingLength>> ring_length(const VerifyTarget& target) {
  RingLength length{.devices = target.how.run.machine.devices};
  if (length.devices < 2) return std::optional<RingLength>();
  Recorder recorder(target.how.granularity, target.how.budget);
  if (!TRY(record_run(target, recorder))) return std::optional<RingLength>();
  const Record& record = recorder.record();
  const UnrolledRing unrolled = unroll_ring(record, {.max_devices = longest_ring});
  length.verdict = unrolled.verdict;
  length.reason = unrolled.reason;
  for (const LengthPair& pair : unrolled.pairs)
    length.pairs.push_back({record.program->loc(pair.first).line,
                            record.program->loc(pair.second).line, pair.next_length});
  if (length.verdict == LengthVerdict::quiet)
    length.with_one_more = TRY(compare_with_one_more(target, record));
  return std::optional(length);
}

std::string ring_length_lines(const RingLength& length) {
  if (length.verdict == LengthVerdict::quiet) return line("ring", quiet_text(length));
  if (length.verdict == LengthVerdict::not_analysed)
    return line("ring", fmt::format("longer rings are not analysed: {}", length.reason));
  std::string text;
  for (const ChainedPair& pair : length.pairs)
    text += line("ring", fmt::format("the order of {} and {} comes only from a chain of waits "
                                     "around the ring, which is longer in a longer ring{}",
                                     place_text(pair.first), place_text(pair.second),
                                     pair.next_length == 0
                                         ? ""
                                         : fmt::format("; try --devices {}", pair.next_length)));
  return text;
}

Json ring_length_json(const RingLength& length) {
  Json pairs = Json::array();
  for (const ChainedPair& pair : length.pairs)
    pairs.push_back({{"first", pair.first},
                     {"second", pair.second},
                     {"next_length", pair.next_length == 0 ? Json() : Json(pair.next_length)}});
  return {{"verdict", name(length.verdict)},
          {"reason", length.reason.empty() ? Json() : Json(length.reason)},
          {"same_steps_with_one_more", length.with_one_more == SameSteps::same},
          {"pairs", std::move(pairs)}};
}

}  // namespace tessera::cli
