#include "interp/findings/exit_checks.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "interp/findings/deadlock.h"
#include "interp/findings/describe.h"
#include "interp/findings/leftover.h"

namespace tessera {
namespace {

void check_semaphores(Machine& machine, CoreIndex core, std::vector<Finding>& findings) {
  const Program& program = machine.program();
  const Semaphores& owner = machine.core_state(core).semaphores;
  for (const SemaphoreId semaphore : program.semaphores.ids()) {
    const Semaphore& declared = program.semaphores[semaphore];
    if (declared.monotone || !owner.is_counted(semaphore) || !owner.is_first(semaphore)) continue;
    for (std::int64_t cell = owner.used(semaphore, 0); cell >= 0;
         cell = owner.used(semaphore, cell + 1)) {
      const SemId sem{core, semaphore, cell};
      if (machine.cell(sem).count != 0 && !machine.cell(sem).is_reported)
        findings.push_back(
            leak_finding(program, machine.topology(), sem, machine.cell(sem), StmtId()));
    }
  }
}

void check_results(Machine& machine, int device, std::vector<Finding>& findings) {
  const Program& program = machine.program();
  for (const BufferId b : program.buffers.ids()) {
    const Buffer& buffer = program.buffers[b];
    if (buffer.role != Role::out) continue;
    const auto missing =
        machine.core_state(machine.topology().first_of(device)).storages[b]->never_written();
    if (!missing) continue;
    Finding finding{.kind = FindingKind::never_written};
    finding.message = fmt::format("{} of dev{} is never written: {} of {} elements are missing",
                                  slice_text(program, b, missing->first), device, missing->elements,
                                  elements(buffer.shape));
    finding.at = {.loc = program.loc(buffer.place), .device = device};
    finding.about.buffer = b;
    finding.devices = {device};
    findings.push_back(std::move(finding));
  }
}

auto order(const Finding& f) {
  return std::tuple(f.kind, f.at.device, f.at.loc.line, f.at.loc.column, f.message);
}

}  // namespace

std::vector<Finding> exit_findings(Machine& machine) {
  std::vector<Finding> findings;
  if (!machine.blocked().empty()) {
    findings.push_back(deadlock_finding(machine));
    return findings;
  }
  // Under `poison` elements that were stored undefined are not tracked, so never_written is not
  // checked.
  for (const CoreIndex core : machine.topology().core_ids()) {
    check_semaphores(machine, core, findings);
    if (machine.options().checks.uninitialised != Uninitialised::poison &&
        machine.topology().core(core) == 0)
      check_results(machine, machine.topology().device(core), findings);
  }
  std::stable_sort(findings.begin(), findings.end(),
                   [](const Finding& a, const Finding& b) { return order(a) < order(b); });
  return findings;
}

}  // namespace tessera
