// Further runs if one run does not decide: all executions or some schedules.
#pragma once
#include <optional>

#include "analysis/certificate/certificate.h"

namespace tessera {

// Returns options.run with at most options.budget steps.
RunOptions within_budget(const CertifyOptions& options);
// Runs the executions of a program that reads counts, and analyses each with its reads pinned.
// first: certificate of the first run. Returns the certificate of the first refuted execution, with
// its races shown, or `first` as proved. Empty if this takes more than options.exhaust runs, or if
// an execution is neither proved nor refuted. Also empty if a copy changes a count that is read, or
// another condition is broken: the executions then cannot be enumerated. Fails if a run fails or
// the schedule is unknown.
Expected<std::optional<Certificate>> exhaust(const Simulate& simulate,
                                             const CertifyOptions& options,
                                             const Certificate& first);
// Runs schedules of several strategies and analyses each, until one has a finding that it shows.
// Returns the certificate of this run; otherwise `certificate`, with the numbers of all runs in its
// evidence, which must be Explored. Stops earlier if a run without findings ends early. Fails if a
// run does.
Expected<Certificate> explore(const Simulate& simulate, const CertifyOptions& options,
                              Certificate certificate);
// Removes the races that were not shown, with their findings, and sets the verdict again. If a
// condition is broken, a race is real only if its schedules show it.
void drop_unshown(Certificate& certificate);

}  // namespace tessera
