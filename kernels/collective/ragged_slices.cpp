#include "kernels/collective/ragged_slices.h"

#include <algorithm>

namespace tessera {
namespace {

RaggedSlices empty_slices(std::size_t count) {
  const auto none = [&] { return Tensor(DType::i32, {static_cast<std::int64_t>(count)}); };
  return {none(), none(), none(), none()};
}

void put(Tensor& tensor, std::size_t i, std::int64_t value) {
  tensor.as<std::int32_t>()[i] = static_cast<std::int32_t>(value);
}

Traffic transposed(const Traffic& traffic) {
  Traffic result(traffic.size(), std::vector<std::int64_t>(traffic.size()));
  for (std::size_t i = 0; i < traffic.size(); ++i)
    for (std::size_t j = 0; j < traffic.size(); ++j) result[j][i] = traffic[i][j];
  return result;
}

// held: number of rows of a sender for each receiver. moved: number of these rows that it sends.
// places: number of rows that they occupy in the receiver's output.
std::vector<RaggedSlices> exchange(const Traffic& held, const Traffic& moved,
                                   const Traffic& places) {
  const std::size_t devices = held.size();
  std::vector<RaggedSlices> all;
  std::vector<std::int64_t> landed(devices);
  for (std::size_t p = 0; p < devices; ++p) {
    RaggedSlices& own = all.emplace_back(empty_slices(devices));
    std::int64_t first = 0;
    for (std::size_t j = 0; j < devices; ++j) {
      put(own.input_offsets, j, first);
      put(own.send_sizes, j, moved[p][j]);
      put(own.output_offsets, j, landed[j]);
      put(own.recv_sizes, j, moved[j][p]);
      first += held[p][j];
      landed[j] += places[p][j];
    }
  }
  return all;
}

}  // namespace

Traffic traffic_of(const std::vector<std::vector<std::int64_t>>& group_sizes) {
  const std::size_t devices = group_sizes.size();
  Traffic traffic(devices, std::vector<std::int64_t>(devices));
  for (std::size_t i = 0; i < devices; ++i)
    for (std::size_t g = 0; g < group_sizes[i].size(); ++g)
      traffic[i][g * devices / group_sizes[i].size()] += group_sizes[i][g];
  return traffic;
}

Traffic bounded(const Traffic& traffic, std::int64_t room) {
  Traffic result = traffic;
  for (std::size_t j = 0; j < traffic.size(); ++j) {
    std::int64_t left = room;
    for (std::size_t i = 0; i < traffic.size(); ++i) {
      result[i][j] = std::min(left, traffic[i][j]);
      left -= result[i][j];
    }
  }
  return result;
}

std::vector<RaggedSlices> dispatch_slices(const Traffic& traffic,
                                          std::optional<std::int64_t> room) {
  const Traffic moved = room ? bounded(traffic, *room) : traffic;
  return exchange(traffic, moved, moved);
}

std::vector<RaggedSlices> combine_slices(const Traffic& traffic, std::optional<std::int64_t> room) {
  const Traffic moved = transposed(room ? bounded(traffic, *room) : traffic);
  return exchange(moved, moved, transposed(traffic));
}

std::vector<RaggedSlices> shared_slices(const std::vector<std::int64_t>& rows) {
  std::vector<RaggedSlices> all;
  std::int64_t first = 0;
  for (const std::int64_t own : rows) {
    RaggedSlices& slices = all.emplace_back(empty_slices(rows.size()));
    for (std::size_t j = 0; j < rows.size(); ++j) {
      put(slices.send_sizes, j, own);
      put(slices.output_offsets, j, first);
      put(slices.recv_sizes, j, rows[j]);
    }
    first += own;
  }
  return all;
}

std::vector<RaggedSlices> group_slices(const std::vector<std::vector<std::int64_t>>& group_sizes) {
  const std::size_t devices = group_sizes.size(), groups = group_sizes[0].size();
  const std::size_t per = groups / devices;
  std::vector<RaggedSlices> all;
  for (std::size_t d = 0; d < devices; ++d) all.push_back(empty_slices(groups));
  for (std::size_t d = 0; d < devices; ++d) {
    std::int64_t first = 0;
    for (std::size_t g = 0; g < groups; ++g) {
      put(all[d].input_offsets, g, first);
      put(all[d].send_sizes, g, group_sizes[d][g]);
      put(all[g / per].recv_sizes, d * per + g % per, group_sizes[d][g]);
      first += group_sizes[d][g];
    }
  }
  for (std::size_t owner = 0; owner < devices; ++owner) {
    std::int64_t place = 0;
    for (std::size_t g = owner * per; g < (owner + 1) * per; ++g)
      for (std::size_t d = 0; d < devices; ++d) {
        put(all[d].output_offsets, g, place);
        place += group_sizes[d][g];
      }
  }
  return all;
}

}  // namespace tessera
