// One file name for the tensors of several devices. x{d}.npy names a file per device. A file
// without `{d}` can contain the tensors of all devices, stacked along a leading axis as by
// np.stack.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"

namespace tessera::cli {

inline constexpr std::string_view device_hole = "{d}";

bool has_device_hole(std::string_view name);
// Returns the name with its first hole replaced by the number; unchanged if it has no hole.
std::string with_number(std::string_view name, std::string_view hole, std::size_t number);

// Returns a copy of the slice at `index` of the first axis, without this axis. index: below its
// extent.
Tensor part_of(const Tensor& whole, std::size_t index);
// Stacks the parts, at least one, along a new first axis. They must have the same type and shape.
Tensor stacked(const std::vector<const Tensor*>& parts);

}  // namespace tessera::cli
