#include "devices/cuda/arguments.h"

#include <cstring>

namespace tessera::cuda {

std::vector<std::byte> kernel_arguments(const LoweredKernel& kernel,
                                        const KernelAddresses& addresses) {
  std::vector<std::byte> bytes;
  const auto append = [&](const void* from, std::size_t size) {
    const auto at = bytes.size();
    bytes.resize(at + size);
    std::memcpy(bytes.data() + at, from, size);
  };
  const auto number = [&](std::uint64_t value) { append(&value, sizeof value); };
  for (const EncodedMap* map : {&addresses.left, &addresses.right, &addresses.result_map})
    append(map->data(), map->size());
  number(addresses.result);
  number(static_cast<std::uint64_t>(kernel.result.extent[1]));
  number(static_cast<std::uint64_t>(kernel.result.extent[0]));
  number(addresses.arrays);
  number(static_cast<std::uint64_t>(kernel.array_elements));
  number(addresses.error);
  for (const std::uint64_t operand : addresses.operands) number(operand);
  for (const std::int64_t value : kernel.numbers) number(static_cast<std::uint64_t>(value));
  bytes.resize((bytes.size() + 63) / 64 * 64);  // the struct's alignment is that of its tensor maps
  return bytes;
}

}  // namespace tessera::cuda
