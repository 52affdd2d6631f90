#include "kernels/collective/rings.h"

#include <fmt/format.h>

#include <numeric>
#include <utility>

#include "core/data/splitmix.h"

namespace tessera {

Expected<Tensor> make_rings(const std::vector<std::vector<std::int64_t>>& rings) {
  const auto length = static_cast<std::int64_t>(rings.empty() ? 0 : rings.front().size());
  Tensor table(DType::i32, {static_cast<std::int64_t>(rings.size()), length});
  std::int64_t next = 0;
  for (const auto& ring : rings) {
    if (static_cast<std::int64_t>(ring.size()) != length)
      return error(
          fmt::format("all rings must have one length, found {} and {}", length, ring.size()));
    for (const std::int64_t device : ring) table.set(next++, static_cast<double>(device));
  }
  return table;
}

Tensor make_rings(std::int64_t count, std::int64_t length, std::uint64_t shuffle) {
  Tensor table(DType::i32, {count, length});
  std::int32_t* const ids = table.as<std::int32_t>();
  std::iota(ids, ids + count * length, 0);
  SplitMix random(shuffle);
  for (std::int64_t i = count * length - 1; shuffle != 0 && i > 0; --i) {
    std::swap(ids[i], ids[random.next() % static_cast<std::uint64_t>(i + 1)]);
  }
  return table;
}

Tensor ring_positions(const Tensor& rings) {
  Tensor positions(DType::i32, {rings.elements()});
  for (std::int64_t flat = 0; flat < rings.elements(); ++flat)
    positions.as<std::int32_t>()[rings.as<std::int32_t>()[flat]] = static_cast<std::int32_t>(flat);
  return positions;
}

std::size_t device_at(const Tensor& rings, std::int64_t ring, std::int64_t place) {
  return static_cast<std::size_t>(rings.as<std::int32_t>()[ring * rings.dim(1) + place]);
}

Expected<void> check_rings(const Tensor& rings, std::size_t operands) {
  if (rings.rank() != 2 || rings.dtype() != DType::i32) {
    return error(
        fmt::format("the table of rings must be i32 with two dimensions, got {} of shape {}",
                    name(rings.dtype()), to_string(rings.shape())));
  }
  const std::int64_t count = rings.elements();
  if (count == 0) return error("a ring has at least one device");
  std::vector<bool> seen(static_cast<std::size_t>(count));
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int32_t id = rings.as<std::int32_t>()[i];
    if (id < 0 || id >= count)
      return error(fmt::format("the rings name device {}, and devices are 0 to {}", id, count - 1));
    if (seen[static_cast<std::size_t>(id)])
      return error(fmt::format("the rings name device {} twice", id));
    seen[static_cast<std::size_t>(id)] = true;
  }
  if (operands == static_cast<std::size_t>(count)) return {};
  return error(
      fmt::format("operands are given for {} devices, and the rings name {}", operands, count));
}

Expected<void> check_alike(std::string_view what, std::span<const Tensor> operands) {
  for (std::size_t d = 1; d < operands.size(); ++d) {
    if (operands[d].dtype() == operands[0].dtype() && operands[d].shape() == operands[0].shape())
      continue;
    return error(fmt::format("{} of device {} is {}{}, and device 0 has {}{}", what, d,
                             name(operands[d].dtype()), to_string(operands[d].shape()),
                             name(operands[0].dtype()), to_string(operands[0].shape())));
  }
  return {};
}

void set_rings(Launch& launch, const Tensor& rings, const CollectiveOptions& options) {
  launch.calls = options.calls;
  launch.set("rings", rings.dim(0));
  launch.set("length", rings.dim(1));
  launch.set("collective", options.collective_id);
  launch.table("ring", rings.clone());
  launch.table("position", ring_positions(rings));
}

}  // namespace tessera
