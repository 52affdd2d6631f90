// Semaphores that are not zero when they should be, and how reports name semaphores and who used
// them.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "interp/machine/machine.h"

namespace tessera {

std::string sem_text(const Machine& machine, const SemId& sem);  // "recv[1] of dev2"
std::string unit_text(const Program& program, const SemId& sem,
                      std::int64_t amount);  // "4096 bytes", or "2"
// A semaphore that is not zero when it should be; statement: its free, or -1 at exit; when: in
// other words than these.
Finding leak_finding(Machine& machine, const SemId& sem, StmtId statement,
                     std::string_view when = {});
// One note for each statement and core that signalled it or waited on it.
void add_tallies(Machine& machine, const SemId& sem, std::vector<FindingPlace>& notes);

}  // namespace tessera
