// A run that shows that points of parallel loops are not independent: another order of them, or
// points side by side, end otherwise.
#pragma once
#include <optional>
#include <string>

#include "analysis/certificate/simulate.h"

namespace tessera {

struct PointsWitness {
  std::string schedule;  // text for --schedule
  int loop_workers = 0;  // that run points side by side; 0: one after the other
  std::string outcome;   // "o of dev0 is different", "deadlock"
};
// Of a few orders, and a few schedules of points side by side, the first that ends otherwise than
// the ascending order; nothing when none does.
std::optional<PointsWitness> find_points_witness(const Simulate& simulate, RunOptions options);

}  // namespace tessera
