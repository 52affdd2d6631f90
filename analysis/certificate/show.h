// Runs that show a race in both of its orders.
#pragma once
#include "analysis/certificate/certificate.h"

namespace tessera {

// Finds schedules that show the races, for at most options.shown races. For each race, tries its
// pairs of accesses, and the ways to reach a pair. Selects the first schedules whose orders end
// differently, otherwise the first whose orders were both observed.
//
// record: the record in which the races were found. order: order seed of parallel loops in that
// run.
void show_races(const Simulate& simulate, const CertifyOptions& options, const Record& record,
                std::optional<std::uint64_t> order, Certificate& certificate);

}  // namespace tessera
