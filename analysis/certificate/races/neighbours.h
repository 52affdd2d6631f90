// Neighbours of a barrier that do not match: a cause of races and deadlocks that no access shows.
#pragma once
#include <vector>

#include "analysis/certificate/record/record.h"
#include "core/report/finding.h"

namespace tessera {

// Adds a note to the first race or deadlock if a device passes neighbour_barrier a `right`, and
// that device passes another `left`. The note has the place of the call and the devices.
void explain_neighbours(const Record& record, std::vector<Finding>& findings);

}  // namespace tessera
