// A run that shows that points of parallel loops are not independent: another order of them ends
// otherwise.
#pragma once
#include <optional>
#include <string>

#include "interp/certificate/simulate.h"

namespace tessera {

struct PointsWitness {
  std::string schedule;  // text for --schedule
  std::string outcome;   // "o of dev0 is different", "deadlock"
};
// Of a few orders the first that ends otherwise than the ascending one; nothing when none does.
std::optional<PointsWitness> find_points_witness(const Simulate& simulate, RunOptions options);

}  // namespace tessera
