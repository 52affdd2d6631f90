// Ring tables: which devices form which ring, in which order. A table is i32 [rings, length] and
// holds every device number once; the column of a device is its place in its ring.
#pragma once  // public
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

// The table of these rings, each the device numbers in order. An error where their lengths
// differ.
Expected<Tensor> make_rings(const std::vector<std::vector<std::int64_t>>& rings);
// `count` rings of `length` devices each, numbered in order or, with a seed other than 0, permuted.
Tensor make_rings(std::int64_t count, std::int64_t length, std::uint64_t shuffle = 0);

// i32 [rings * length]: by device number, the index of its entry in the flat table.
Tensor ring_positions(const Tensor& rings);
// The number of the device at a place of a ring.
std::size_t device_at(const Tensor& rings, std::int64_t ring, std::int64_t place);

// Whether `rings` is a table that names the devices 0 .. devices - 1 once each, at least one of
// them, and there are as many operands.
Expected<void> check_rings(const Tensor& rings, std::size_t operands);
// Whether an operand has one type and shape on all devices. `what` names it.
Expected<void> check_alike(std::string_view what, std::span<const Tensor> operands);
// Sets what all kernels on rings take: collective id, calls, table and places.
void set_rings(Launch& launch, const Tensor& rings, const CollectiveOptions& options);

}  // namespace tessera
