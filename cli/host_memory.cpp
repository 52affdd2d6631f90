#include "cli/host_memory.h"

#include <fmt/format.h>
#include <unistd.h>

#include "cli/text.h"

namespace tessera::cli {

Diags check_host_memory(const std::vector<TensorSize>& tensors) {
  constexpr double most_elements = 1099511627776.0;  // 2^40, the limit of the language
  double bytes = 0;
  for (const TensorSize& tensor : tensors) {
    double elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
    if (elements > most_elements) {
      return {error(fmt::format("shape {} has more than 2^40 elements", to_string(tensor.shape)))};
    }
    bytes += elements * static_cast<double>(size_of(tensor.dtype)) * tensor.copies;
  }
  const double there =
      static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (bytes <= there) return {};
  return {
      error(ErrorCode::environment, fmt::format("what is in hbm needs {}, and this machine has {}",
                                                human_bytes(static_cast<std::int64_t>(bytes)),
                                                human_bytes(static_cast<std::int64_t>(there))))};
}

}  // namespace tessera::cli
