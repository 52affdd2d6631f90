// Assignment of devices to processes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::mpi {

std::string counted_processes(int count);  // "1 process", "2 processes"

// Each process has consecutive devices, at least one. If the shares cannot be equal, the first
// processes have one more.
class Shares {
 public:
  // Requires 0 < processes <= devices.
  Shares(int devices, int processes) : devices_(devices), processes_(processes) {}
  int owner(int device) const;  // the process that has the device
  // Its first device; its last one is before first(process + 1). For the number of processes: the
  // number of devices.
  int first(int process) const;
  std::vector<bool> held(int process) const;  // by device
  std::string text() const;                   // "4 processes, 2 devices each"

 private:
  int devices_, processes_;
};

}  // namespace tessera::mpi
