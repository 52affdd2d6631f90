#include "analysis/timeline/deeper_windows.h"

#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "analysis/timeline/timing.h"
#include "core/passes/expand.h"
#include "interp/rerun.h"
#include "interp/run.h"

namespace tessera {
namespace {

// Groups windows by source location: the program contains the body of a function once per call.
std::vector<std::vector<StmtId>> windows_by_place(const Program& program) {
  std::vector<std::vector<StmtId>> groups;
  std::map<std::tuple<const Source*, int, int>, std::size_t> known;
  for (const StmtId i : program.body.ids()) {
    if (!std::holds_alternative<Window>(program.body[i].op)) continue;
    const Loc loc = program.loc(i);
    const auto [group, is_new] =
        known.try_emplace({loc.source.get(), loc.line, loc.column}, groups.size());
    if (is_new) groups.emplace_back();
    groups[group->second].push_back(i);
  }
  return groups;
}

std::optional<double> seconds_of(const Program& structured, const std::vector<Binding>& bindings,
                                 const RunOptions& options, const MachineRates& rates) {
  const Expected<Program> program = expand(structured);
  if (!program) return std::nullopt;
  TimingObserver observer(rates);
  RunOptions timed = options_of_rerun(options);
  timed.math = Math::none;
  timed.computes_values = timed.record.schedule = timed.record.results = false;
  timed.observers = {&observer};
  const Expected<RunResult> result = run(*program, bindings, timed);
  if (!result || !result->findings.empty() || result->end != RunEnd::program) return std::nullopt;
  if (!observer.timing().is_complete) return std::nullopt;
  return observer.timing().seconds;
}

}  // namespace

DeeperWindows time_deeper_windows(const Program& structured, const std::vector<Binding>& bindings,
                                  const RunOptions& options, const MachineRates& rates) {
  DeeperWindows deeper;
  for (const std::vector<StmtId>& group : windows_by_place(structured)) {
    Program changed = structured;
    for (const StmtId i : group) ++std::get<Window>(changed.body[i].op).depth;
    const Stmt& first = changed.body[group.front()];
    const std::string& name = changed.value(first.result).name;
    const std::optional<double> seconds = seconds_of(changed, bindings, options, rates);
    if (seconds)
      deeper.windows.push_back(
          {name, changed.loc(first.place), std::get<Window>(first.op).depth, *seconds});
    else
      deeper.left_out.push_back(name);
  }
  return deeper;
}

void DeeperWindowsObserver::expanded(const Program& structured, const Program& /*expanded*/,
                                     const std::vector<Binding>& bindings,
                                     const RunOptions& options) {
  windows_ = time_deeper_windows(structured, bindings, options, rates_);
}

}  // namespace tessera
