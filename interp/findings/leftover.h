// Findings on semaphores that are not zero when they should be, and the names and uses of
// semaphores in reports.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/finding.h"
#include "interp/machine/semaphores.h"
#include "interp/machine/topology.h"

namespace tessera {

// "recv[1] of dev2"
std::string sem_text(const Program& program, const Topology& topology, const SemId& sem);
std::string unit_text(const Program& program, const SemId& sem,
                      std::int64_t amount);  // "4096 bytes", or "2"
// Returns the finding on a semaphore that is not zero when it should be: unwaited_dma if it counts
// bytes that nothing waited for, else semaphore_leak.
// cell: the cell of `sem`.
// statement: its free; none: at exit.
// when: replaces the words "when it is freed" or "at exit"; may be empty.
Finding leak_finding(const Program& program, const Topology& topology, const SemId& sem,
                     const SemCell& cell, StmtId statement, std::string_view when = {});
// Adds one note for each statement and core that signalled the cell or waited on it.
void add_tallies(const Program& program, const Topology& topology, const SemCell& cell,
                 std::vector<FindingPlace>& notes);

}  // namespace tessera
