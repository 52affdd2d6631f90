// The tiles with which gmm and tgmm are launched on sm_90 when the caller names none, as data. They
// are chosen by counting, not by measuring: no line of the table has been timed yet. A caller who
// names no tiling and leaves the buffers at their default gets a line's buffers too.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "core/dtype.h"
#include "core/tiling.h"
#include "devices/cuda/hints.h"

namespace tessera::cuda {

struct Configuration {
  Tiling tiling;
  std::int64_t buffers = 4;
  std::int64_t align = 1;  // tiles begin at their group; gmm only
  Hints hints = {};

  bool operator==(const Configuration&) const = default;
};

// "128,64,256, 4 buffers, pairs along the rows": for tables and reports.
std::string to_string(const Configuration& configuration);

// One line: for up to so many rows a group on average and up to so many steps along the
// contraction.
struct TuningLine {
  std::int64_t rows_up_to, k_up_to;
  Configuration configuration;
};

std::span<const TuningLine> gmm_lines();
std::span<const TuningLine> tgmm_lines();
// The first line that fits; sizes are those of the whole problem.
Configuration gmm_configuration(std::int64_t m, std::int64_t k, std::int64_t groups);
Configuration tgmm_configuration(std::int64_t m, std::int64_t groups);

}  // namespace tessera::cuda
