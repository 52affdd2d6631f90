// How one name stands for what each device has: x{d}.npy is a file for each, and a file without a
// hole may hold all of them behind each other, as np.stack makes it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"

namespace tessera::cli {

inline constexpr std::string_view device_hole = "{d}";

bool has_device_hole(std::string_view name);
// The first hole filled with the number; a name without one as it is.
std::string with_number(std::string_view name, std::string_view hole, std::size_t number);

// Part `index` of a tensor whose first axis counts them.
Tensor part_of(const Tensor& whole, std::size_t index);
// The parts, of one type and shape, with an axis in front that counts them.
Tensor stacked(const std::vector<const Tensor*>& parts);

}  // namespace tessera::cli
