#include "devices/cuda/error_word.h"

#include <fmt/format.h>

namespace tessera::cuda {

std::string error_text(const Program& program, const LoweredKernel& kernel, std::int64_t word) {
  if (word == 0) return "";
  if (word > 0 && kernel.ragged_contraction) {
    return fmt::format(
        "{} reads up to {} along a contraction of {}; do the group sizes sum to more?",
        program.name, word, kernel.contraction);
  }
  if (word > 0) {
    return fmt::format(
        "{} stores rows up to {} of a result that has {}; do the group sizes sum to "
        "more?",
        program.name, word, kernel.result.extent[1]);
  }
  const std::int64_t found = -1 - word, index = found / 256;
  const auto buffer = static_cast<std::size_t>(found % 256);
  if (buffer >= program.buffers.size()) return fmt::format("an unknown error word, {}", word);
  const Buffer& counts = program.buffers[buffer];
  if (index >= elements(counts.shape)) {
    return fmt::format("`{}` sums to more rows than a kernel can address; nothing was multiplied",
                       counts.name);
  }
  return fmt::format("{}[{}] is negative; nothing was multiplied", counts.name, index);
}

}  // namespace tessera::cuda
