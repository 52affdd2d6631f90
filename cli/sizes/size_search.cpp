#include "cli/sizes/size_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <tuple>

#include "analysis/certificate/explore.h"
#include "analysis/coverage/coverage.h"
#include "cli/sizes/size_axis.h"
#include "cli/verify_target.h"
#include "core/report/stop.h"
#include "core/report/try.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t max_steps = 500'000;  // per run
constexpr std::int64_t max_devices = 64;

struct Trial {
  std::size_t axis;
  std::int64_t value;
};

// Small changes first: by the ratio of the new value to the old one, then by the order of the axes.
std::vector<Trial> trials(const std::vector<SizeAxis>& axes) {
  std::vector<std::tuple<double, std::size_t, std::int64_t>> found;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    if (axes[i].is_tuning) continue;
    const std::int64_t v = std::max<std::int64_t>(axes[i].value, 1);
    for (const std::int64_t w : {v + 1, v + 2, v + 3, v + 4, v + 6, v + 8, 2 * v, 2 * v + 1, 3 * v,
                                 4 * v, 4 * v + 1, 5 * v, 8 * v, 16 * v}) {
      if (axes[i].option == "devices" && w > max_devices) continue;
      found.emplace_back(static_cast<double>(w) / static_cast<double>(v), i, w);
    }
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  std::vector<Trial> result;
  for (const auto& [ratio, axis, value] : found) result.push_back({axis, value});
  return result;
}

struct Tried {
  CoverageNotes notes;
  std::string finding;
};

// None if these sizes are not allowed, or too large.
std::optional<Tried> run_with(const Invocation& invocation, Files* files) {
  const Expected<VerifyTarget> target = verify_target(invocation.words(), files);
  if (!target) return std::nullopt;
  RunOptions options = within_budget(target->how);
  options.max_steps = std::min(options.max_steps, max_steps);
  options.computes_values = false;
  Coverage coverage;
  options.observers.push_back(&coverage);
  const Expected<RunResult> result = target->prepared.simulate(options);
  if (!result || result->end != RunEnd::program ||
      any_has(result->findings, FindingTrait::of_machine))
    return std::nullopt;
  if (!result->findings.empty()) return Tried{{}, std::string(name(result->findings.front().kind))};
  if (!result->is_complete) return std::nullopt;
  return Tried{coverage.notes(), {}};
}

bool is_among(const CoverageNote& note, const std::vector<CoverageNote>& notes) {
  return std::any_of(notes.begin(), notes.end(),
                     [&](const CoverageNote& other) { return key(note) == key(other); });
}

}  // namespace

Expected<std::vector<std::optional<SizeChange>>> find_size_changes(
    const Arguments& arguments, int devices, const std::vector<CoverageNote>& notes,
    double seconds) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed = [&] {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  };
  std::vector<std::optional<SizeChange>> changes(notes.size());
  const std::vector<SizeAxis> axes = TRY(size_axes(arguments, devices));
  const Invocation plain =
      arguments.invocation().without({"json", "coverage", "save", "interpret"});
  std::size_t open = notes.size();
  for (std::size_t i = 0; i < notes.size(); ++i) {
    if (notes[i].kind != Uncovered::empty) continue;
    const std::vector<SizedCommand> tables = with_other_tables(plain, notes[i].object);
    const std::optional<Tried> tried =
        tables.empty() ? std::nullopt : run_with(tables.front().invocation, arguments.files());
    if (!tried || !is_among(notes[i], tried->notes.seen)) continue;
    changes[i] = SizeChange{tables.front().words};
    --open;
  }
  for (const Trial& trial : trials(axes)) {
    if (open == 0 || elapsed() > seconds || is_stopped(current_stop())) break;
    std::optional<Tried> tried;
    std::string words;
    for (const SizedCommand& command : with_size(plain, axes, trial.axis, trial.value)) {
      if (tried) break;
      tried = run_with(command.invocation, arguments.files());
      words = command.words;
    }
    if (!tried) continue;
    for (std::size_t i = 0; i < notes.size(); ++i) {
      const bool is_found = changes[i] && changes[i]->finding.empty();
      if (is_found || (tried->finding.empty() && !is_among(notes[i], tried->notes.seen))) continue;
      // A size that exercises it is better than one with a finding, whatever that is about.
      if (tried->finding.empty())
        --open;
      else if (changes[i])
        continue;
      changes[i] = SizeChange{words, tried->finding};
    }
  }
  return changes;
}

}  // namespace tessera::cli
