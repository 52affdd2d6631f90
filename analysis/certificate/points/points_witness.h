// Run which shows that iterations of parallel loops are not independent, because another order of
// the iterations, or concurrent iterations, end differently.
#pragma once
#include <optional>
#include <string>

#include "analysis/certificate/simulate.h"

namespace tessera {

struct PointsWitness {
  std::string schedule;  // text for --schedule
  int loop_workers = 0;  // run iterations concurrently; 0: in order
  std::string outcome;   // "o of dev0 is different", "deadlock"
};
// Tries a few orders of iterations, and a few schedules of concurrent iterations. Returns the first
// that ends differently from the ascending order: only one of them has findings, or the values of a
// result differ (not compared with Math::none). Empty if there is none or a run fails. Overwrites
// the results.
std::optional<PointsWitness> find_points_witness(const Simulate& simulate, RunOptions options);

}  // namespace tessera
