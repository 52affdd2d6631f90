// Runs that show a race: both of its orders.
#pragma once
#include "analysis/certificate/certificate.h"

namespace tessera {

// Looks for schedules that show the races, as many races as the options ask for: of the pairs that
// stand for one, and the ways to come to them, the first whose orders end differently, else the
// first whose orders were both met. record: the one in which the races were found; order: of
// parallel loops in it.
void show_races(const Simulate& simulate, const CertifyOptions& options, const Record& record,
                std::optional<std::uint64_t> order, Certificate& certificate);

}  // namespace tessera
