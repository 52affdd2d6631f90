// How reports on semaphores name them and who used them.
#pragma once
#include <string>
#include <vector>

#include "interp/machine/machine.h"

namespace tessera {

std::string sem_text(const Machine& machine, const SemId& sem);  // "recv[1] of dev2"
std::string unit_text(const Program& program, const SemId& sem,
                      std::int64_t amount);  // "4096 bytes", or "2"
// One note for each statement and core that signalled it or waited on it.
void add_tallies(Machine& machine, const SemId& sem, std::vector<FindingPlace>& notes);

}  // namespace tessera
