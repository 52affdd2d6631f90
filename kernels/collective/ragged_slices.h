// The slices of the usual exchanges, from how many rows each device has for each.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <vector>

#include "core/data/tensor.h"
#include "kernels/collective/ragged_all_to_all.h"

namespace tessera {

// rows[i][j]: that device i sends to device j. A device holds its rows in the order of j.
using Traffic = std::vector<std::vector<std::int64_t>>;

// From the sizes of the groups of each device's rows, of which device j holds the j-th equal share.
Traffic traffic_of(const std::vector<std::vector<std::int64_t>>& group_sizes);

// What is left of the traffic when a device has room for `room` rows: the last ones are dropped.
Traffic bounded(const Traffic& traffic, std::int64_t room);

// Every row goes to its device, there in the order of the senders. With `room`, rows that do not
// fit stay behind.
std::vector<RaggedSlices> dispatch_slices(const Traffic& traffic,
                                          std::optional<std::int64_t> room = {});
// And back to where it came from: the inverse of the dispatch. Places of dropped rows are left out.
std::vector<RaggedSlices> combine_slices(const Traffic& traffic,
                                         std::optional<std::int64_t> room = {});
// Device p sends its own rows[p] rows to every device, to one after the other's.
std::vector<RaggedSlices> shared_slices(const std::vector<std::int64_t>& rows);
// Like the dispatch, by group: there in the order of the groups, then of the senders.
std::vector<RaggedSlices> group_slices(const std::vector<std::vector<std::int64_t>>& group_sizes);

}  // namespace tessera
