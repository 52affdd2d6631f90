// Where one run does not decide: other runs, all that there are or some.
#pragma once
#include <optional>

#include "analysis/certificate/certificate.h"

namespace tessera {

// The options of the run, and the budget as a limit of its steps.
RunOptions within_budget(const CertifyOptions& options);
// Every execution of a program that reads counts, each analysed with its reads in their places.
// Nothing when there are more than options.exhaust, or when they cannot be told one by one: copies
// change a count that is read, or another condition is broken.
Expected<std::optional<Certificate>> exhaust(const Simulate& simulate,
                                             const CertifyOptions& options,
                                             const Certificate& first);
// Schedules of all kinds, each analysed by itself, until one has a finding.
Expected<Certificate> explore(const Simulate& simulate, const CertifyOptions& options,
                              Certificate certificate);
// Outside of the conditions a race is real when its schedules show it, and only then.
void drop_unshown(Certificate& certificate);

}  // namespace tessera
