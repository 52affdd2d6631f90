// Neighbours of a barrier that do not match: a cause of races and deadlocks that no access shows.
#pragma once
#include <vector>

#include "core/report/finding.h"
#include "interp/certificate/record/record.h"

namespace tessera {

// Adds a note to the first race or deadlock if the program calls neighbour_barrier with a `right`
// whose own `left` is another device: the place of the call, and the devices.
void explain_neighbours(const Record& record, std::vector<Finding>& findings);

}  // namespace tessera
