// Runs that show a race in both of its orders.
#pragma once
#include "analysis/certificate/certificate.h"

namespace tessera {

// Sets RaceWitness::schedules, is_run, is_shown, ends and outcome of the first options.shown races;
// stops early if current_stop() is set. For each race, runs its pairs of accesses, and the ways to
// reach a pair. Selects the first schedules whose orders end differently, otherwise the first whose
// orders were both observed. schedules is empty if there are none. Runs that fail or are cut short
// show nothing.
//
// record: the record in which the races were found. order: order seed of parallel loops in that
// run.
void show_races(const Simulate& simulate, const CertifyOptions& options, const Record& record,
                std::optional<std::uint64_t> order, Certificate& certificate);

}  // namespace tessera
