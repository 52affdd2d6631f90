// The slices of common exchanges, from the number of rows that each device sends to each other one.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/collective/ragged_all_to_all.h"

namespace tessera {

// traffic[i][j]: how many rows device i sends to device j, [devices, devices]. A device holds its
// rows in the order of j.
using Traffic = std::vector<std::vector<std::int64_t>>;

// The traffic of rows sorted by group: group_sizes[i] are the rows of each group on device i
// [groups], and device j receives the j-th of the equal shares of the groups.
Traffic traffic_of(const std::vector<std::vector<std::int64_t>>& group_sizes);

// The traffic where each device receives at most `room` rows: those that do not fit, the last ones,
// are dropped.
Traffic bounded(const Traffic& traffic, std::int64_t room);

// By device: the slices that send all rows, which arrive in the order of the senders. With `room`,
// of bounded(traffic, room).
std::vector<RaggedSlices> dispatch_slices(const Traffic& traffic,
                                          std::optional<std::int64_t> room = {});
// By device: the inverse of dispatch_slices. Rows that were dropped are not overwritten.
std::vector<RaggedSlices> combine_slices(const Traffic& traffic,
                                         std::optional<std::int64_t> room = {});
// By device: device p sends all of its rows[p] rows to every device, where they arrive in the order
// of the senders.
std::vector<RaggedSlices> shared_slices(const std::vector<std::int64_t>& rows);
// By device: like dispatch_slices(traffic_of(group_sizes)), but rows arrive in the order of the
// groups, then of the senders.
std::vector<RaggedSlices> group_slices(const std::vector<std::vector<std::int64_t>>& group_sizes);

}  // namespace tessera
