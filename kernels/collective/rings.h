// Which devices form which ring, in which order. A ring table is i32 of shape (rings, length) and
// holds every device id once; a device's place is its column.
#pragma once  // public
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/launch/launch.h"

namespace tessera {

// Of the devices of each ring in order; all rings have one length.
Expected<Tensor> make_rings(const std::vector<std::vector<std::int64_t>>& rings);
// `count` rings of `length`, devices in order or, with a seed, permuted.
Tensor make_rings(std::int64_t count, std::int64_t length, std::uint64_t shuffle = 0);

// i32 (rings * length): by device id, the flat index of its place.
Tensor ring_positions(const Tensor& rings);
// The device at a place.
std::size_t device_at(const Tensor& rings, std::int64_t ring, std::int64_t place);

// What every kernel on rings needs: a table of i32 that names the devices 0 .. size - 1 once each,
// at least one, and as many operands as devices.
Diags check_rings(const Tensor& rings, std::size_t operands);
// One operand on every device has one type and shape.
Diags check_alike(std::string_view what, std::span<const Tensor> operands);
// The parameters and operands that the kernels on rings share.
void set_rings(Launch& launch, const Tensor& rings, const CollectiveOptions& options);

}  // namespace tessera
