// Slices of common exchanges, computed from the number of rows that each device sends to each other
// device.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/collective/ragged_all_to_all.h"

namespace tessera {

// traffic[i][j]: number of rows that device i sends to device j, [devices, devices]. The rows of a
// device are sorted by j.
using Traffic = std::vector<std::vector<std::int64_t>>;

// Returns the traffic of rows sorted by group. group_sizes[i]: rows of each group on device i
// [groups], where the number of devices must divide the number of groups. Device j receives the
// j-th of the equal shares of the groups.
Traffic traffic_of(const std::vector<std::vector<std::int64_t>>& group_sizes);

// Returns the traffic if each device receives at most `room` rows. It receives the rows of the
// senders in order; the last rows, which do not fit, are dropped. room: at least 0.
Traffic bounded(const Traffic& traffic, std::int64_t room);

// Returns, by device, slices that send all rows, or with `room` the rows of bounded(traffic, room).
// They arrive in the order of the senders.
std::vector<RaggedSlices> dispatch_slices(const Traffic& traffic,
                                          std::optional<std::int64_t> room = {});
// Returns, by device, slices that send the rows of dispatch_slices back to their first places. Rows
// that were dropped are not overwritten.
std::vector<RaggedSlices> combine_slices(const Traffic& traffic,
                                         std::optional<std::int64_t> room = {});
// Returns, by device, slices with which device p sends all of its rows[p] rows to every device.
// They arrive in the order of the senders.
std::vector<RaggedSlices> shared_slices(const std::vector<std::int64_t>& rows);
// Returns, by device, slices like dispatch_slices(traffic_of(group_sizes)), but one for each group,
// and rows arrive in the order of the groups, then of the senders. Requires at least one device,
// and the same number of groups on each, which the number of devices must divide.
std::vector<RaggedSlices> group_slices(const std::vector<std::vector<std::int64_t>>& group_sizes);

}  // namespace tessera
