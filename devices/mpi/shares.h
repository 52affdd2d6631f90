// Which process has which devices.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::mpi {

std::string counted_processes(int count);  // "1 process", "2 processes"

// Devices in a row for each process; where they cannot be even, the first have one more. Each has
// one at least.
class Shares {
 public:
  // 0 < processes <= devices.
  Shares(int devices, int processes) : devices_(devices), processes_(processes) {}
  int owner(int device) const;
  int first(int process) const;  // its first device; those of a process end where the next begin
  std::vector<bool> held(int process) const;  // by device
  std::string text() const;                   // "4 processes, 2 devices each"

 private:
  int devices_, processes_;
};

}  // namespace tessera::mpi
