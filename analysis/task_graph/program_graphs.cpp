#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "analysis/task_graph/graph_cache.h"
#include "core/lang/language.h"
#include "core/report/try.h"
#include "interp/machine/control_flow.h"
#include "interp/observe/content_hash.h"

namespace tessera::graph {
namespace {

std::string options_text(const CertifyOptions& how) {
  const RunOptions& run = how.run;
  return fmt::format("{};{};{};{};{};{};{};{};{};{};{};{};{};{};{}", run.machine.profile.text(),
                     run.machine.devices, run.machine.cores, run.machine.loop_workers,
                     static_cast<int>(run.copies.granularity), static_cast<int>(run.copies.order),
                     run.machine.slow_device, static_cast<int>(run.checks.uninitialised),
                     run.checks.enabled, run.max_steps, static_cast<int>(how.granularity),
                     how.budget, how.exhaust, how.schedules, how.listed);
}

// Hash of the source locations, which nodes and errors contain.
std::uint64_t places_hash(const Program& program) {
  ContentHash hash;
  for (const StmtId s : program.body.ids()) {
    const Loc loc = program.loc(s);
    hash.mix(loc ? static_cast<std::uint64_t>(loc.line) << 32 ^ text_hash(loc.source->name) : 0);
  }
  return hash.value();
}

// True if no observer or option of the caller depends on the runs, so that they can be skipped.
bool is_alone(const RunOptions& run) {
  return run.observers.empty() && run.debug_sink == nullptr && !run.rewrite && run.max_steps > 0;
}

}  // namespace

ProgramGraphs::ProgramGraphs(const Program& structured, const Program& expanded) {
  const std::string text = print(structured);
  text_ = {text_hash(text), bytes_hash(std::as_bytes(std::span(text))) ^ places_hash(expanded)};
  // Only a run shows which `select` meets undefined elements, so all of them are assumed to.
  std::vector<StmtId> selects;
  for (const StmtId s : expanded.body.ids())
    if (std::holds_alternative<TileSelect>(expanded.body[s].op)) selects.push_back(s);
  const ControlFlow control = control_flow(expanded, selects);
  for (const BufferId b : expanded.buffers.ids())
    if (control.buffers[b] && expanded.buffers[b].role == Role::in)
      control_inputs_.push_back(expanded.buffers[b].name);
}

Expected<std::shared_ptr<const TaskGraph>> ProgramGraphs::of(const Simulate& simulate,
                                                             const std::vector<Binding>& bindings,
                                                             const CertifyOptions& how) const {
  GraphKey key{text_, options_text(how), {}, 0};
  ContentHash hash;
  hash.mix(text_[0]);
  hash.mix(text_[1]);
  hash.mix(text_hash(key.options));
  bool is_kept = is_alone(how.run);
  for (const Binding& binding : bindings)
    for (const std::string& name : control_inputs_) {
      const auto operand = binding.find(name);
      if (operand == binding.end()) {
        is_kept = false;  // the run rejects this call
        continue;
      }
      const Tensor& tensor = *operand->second;
      key.control.emplace_back(tensor.data(), static_cast<std::size_t>(tensor.bytes()));
      hash.mix(bytes_hash(key.control.back()));
    }
  key.hash = hash.value();
  if (is_kept)
    if (auto kept = GraphCache::of_process().find(key)) return kept;
  auto made = std::make_shared<const TaskGraph>(TRY(task_graph(simulate, how)));
  if (is_kept) GraphCache::of_process().keep(key, made);
  return std::shared_ptr<const TaskGraph>(std::move(made));
}

}  // namespace tessera::graph
