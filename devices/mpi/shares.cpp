#include "devices/mpi/shares.h"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::mpi {

std::string counted_processes(int count) {
  return fmt::format("{} process{}", count, count == 1 ? "" : "es");
}

int Shares::first(int process) const {
  return process * (devices_ / processes_) + std::min(process, devices_ % processes_);
}

int Shares::owner(int device) const {
  int process = device / (devices_ / processes_ + 1);
  while (process + 1 < processes_ && first(process + 1) <= device) ++process;
  return process;
}

std::vector<bool> Shares::held(int process) const {
  std::vector<bool> held(static_cast<std::size_t>(devices_), false);
  std::fill(held.begin() + first(process), held.begin() + first(process + 1), true);
  return held;
}

std::string Shares::text() const {
  const int each = devices_ / processes_, more = devices_ % processes_;
  if (more != 0)
    return fmt::format("{} devices each on {} of {} processes, {} on the others", each + 1, more,
                       processes_, each);
  return fmt::format("{}, {} each", counted_processes(processes_),
                     each == 1 ? "a device" : fmt::format("{} devices", each));
}

}  // namespace tessera::mpi
