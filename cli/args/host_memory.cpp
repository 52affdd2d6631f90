#include "cli/args/host_memory.h"

#include <fmt/format.h>

#include "core/host/host_memory.h"
#include "text/numbers.h"

namespace tessera::cli {

Diags check_host_memory(const std::vector<TensorSize>& tensors) {
  constexpr double max_elements = 1099511627776.0;  // 2^40, the limit of the language
  double bytes = 0;
  for (const TensorSize& tensor : tensors) {
    double elements = 1;
    for (const std::int64_t extent : tensor.shape) elements *= static_cast<double>(extent);
    if (elements > max_elements) {
      return {error(fmt::format("shape {} has more than 2^40 elements", to_string(tensor.shape)))};
    }
    bytes += elements * static_cast<double>(size_of(tensor.dtype)) * tensor.copies;
  }
  const MemoryLimit limit = memory_limit();
  if (bytes <= static_cast<double>(limit.left)) return {};
  const auto human = [](double amount) { return human_bytes(static_cast<std::int64_t>(amount)); };
  return {error(ErrorCode::environment,
                fmt::format("hbm needs {}, and the process has {} left of {} ({})", human(bytes),
                            human_bytes(limit.left), human_bytes(limit.bytes), limit.by))};
}

}  // namespace tessera::cli
