#include "analysis/coverage/coverage.h"

#include <algorithm>
#include <utility>

namespace tessera {

std::string_view name(Uncovered kind) {
  constexpr std::string_view names[] = {"slot",       "credit", "branch", "wrap",     "loop",
                                        "neighbours", "wait",   "empty",  "remainder"};
  return names[static_cast<std::size_t>(kind)];
}

void Coverage::expanded(const Program& structured, const Program& /*expanded*/,
                        const std::vector<Binding>& /*bindings*/, const RunOptions& /*options*/) {
  source_ = SourceOps(structured);
  sizes_.see_windows(structured);
}

bool Coverage::wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                         const RunOptions& /*options*/) {
  sizes_.see_operands(expanded, bindings);
  return true;
}

void Coverage::begin(const Program& program, const RunOptions& options) {
  program_ = &program;
  notes_ = {};
  const Topology topology{options.machine.devices, options.machine.cores};
  sizes_.begin(options.machine.devices, options.machine.cores);
  fills_.begin(program);
  waits_.begin(program, topology);
  branches_.begin(program);
  wraps_.begin(program, source_);
  iterations_.begin(program, topology);
}

void Coverage::on(const Event& event) {
  if (!event.statement) return;
  branches_.on(event);
  fills_.on(event);
  if (event.object_kind == ObjectKind::semaphore) sizes_.on_semaphore(event);
  waits_.on(event);
  if (event.registers == nullptr || event.agent.is_copy()) return;
  wraps_.on(event);
  iterations_.on(event);
}

void Coverage::end(RunResult& result) {
  notes_ = {};
  if (result.end == RunEnd::program && result.is_complete) {
    fills_.add_notes(*program_, notes_);
    waits_.add_notes(*program_, notes_);
    branches_.add_notes(*program_, source_, notes_);
    wraps_.add_notes(*program_, branches_, notes_);
    iterations_.add_notes(*program_, source_, branches_, notes_);
    sizes_.add_notes(notes_);
    std::vector<CoverageNote>& missing = notes_.missing;
    std::stable_sort(missing.begin(), missing.end(),
                     [&](const CoverageNote& a, const CoverageNote& b) {
                       return std::pair(a.is_minor, key(a)) < std::pair(b.is_minor, key(b));
                     });
    // Several statements of one line may have the same note.
    const auto is_repeated = [](const CoverageNote& a, const CoverageNote& b) {
      return a.kind == b.kind && a.loc.line == b.loc.line && a.message == b.message;
    };
    missing.erase(std::unique(missing.begin(), missing.end(), is_repeated), missing.end());
  }
  program_ = nullptr;
}

}  // namespace tessera
