#include "cli/args/suggestion.h"

#include <string>

#include "analysis/certificate/races/missing_wait.h"
#include "interp/rerun.h"

namespace tessera::cli {

void suggest_waits(const Prepared& prepared, CertifyOptions how, std::int64_t events,
                   std::vector<Finding>& findings) {
  // Each trial costs as much as the verdict.
  if (findings.empty() || prepared.module == nullptr || events > certified_events) return;
  how.run = options_of_rerun(how.run);
  how.shown = 0;
  how.exhaust = 0;
  how.schedules = 1;
  how.necessity = false;
  how.run.schedule = "eager";  // a given schedule fits only the unchanged program
  how.run.machine.slow_device = -1;
  how.run.record.schedule = false;
  tessera::suggest_waits(*prepared.module, findings,
                         [&](const std::string& text) -> Expected<Certificate> {
                           const Expected<Simulate> simulate = prepared.with_text(text);
                           if (!simulate) return simulate.diags();
                           return certify(*simulate, how);
                         });
}

}  // namespace tessera::cli
