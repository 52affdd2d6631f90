// The configurations with which gmm and tgmm are launched on sm_90, as data: what the model ranks
// (grouped_model.h), tuning measures and the compiler gates hold.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/machine/machine_hints.h"
#include "core/machine/tiling.h"

namespace tessera::cuda {

struct Configuration {
  Tiling tiling;
  std::int64_t buffers = 4;
  std::int64_t align = 1;  // tiles begin at their group; gmm only
  MachineHints hints = {};

  bool operator==(const Configuration&) const = default;
};

// "128,64,256, 4 buffers, pairs along the rows": for tables and reports.
std::string to_string(const Configuration& configuration);

// All that a choice is made from; every one of them compiles without spills. Tiles of tgmm have
// their step along the contraction as m. Operands of one byte are those of e4m3 and e5m2.
std::vector<Configuration> gmm_candidates(int operand_bytes = 2);
std::vector<Configuration> tgmm_candidates();

}  // namespace tessera::cuda
