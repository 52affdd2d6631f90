// Ring tables: the devices of each ring, in order. A table is i32 [rings, length] and contains
// every device number once. The column of a device is its place in its ring.
#pragma once  // public
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

// Returns the table of these rings, each a list of device numbers in the order of the places. Does
// not check the numbers (check_rings()). Fails if their lengths differ.
Expected<Tensor> make_rings(const std::vector<std::vector<std::int64_t>>& rings);
// Returns `count` rings of `length` devices each, numbered in order. shuffle: seed of a
// permutation; 0: none.
Tensor make_rings(std::int64_t count, std::int64_t length, std::uint64_t shuffle = 0);

// Returns i32 [rings * length]: by device number, the index of its entry in the flat table.
// Requires check_rings().
Tensor ring_positions(const Tensor& rings);
// Returns the number of the device at this place of the ring, which must exist.
std::size_t device_at(const Tensor& rings, std::int64_t ring, std::int64_t place);

// Checks that `rings` is a table that contains each device 0 .. devices - 1 once, with at least one
// device, and that there is one operand per device. operands: number of operands.
Expected<void> check_rings(const Tensor& rings, std::size_t operands);
// Checks that an operand has the same type and shape on all devices; also true for no devices.
// what: its name, for the error.
Expected<void> check_alike(std::string_view what, std::span<const Tensor> operands);
// Sets the parameters and operands that all kernels on rings have: collective id, calls, table and
// places. The launch has a copy of the table. Requires check_rings().
void set_rings(Launch& launch, const Tensor& rings, const CollectiveOptions& options);

}  // namespace tessera
