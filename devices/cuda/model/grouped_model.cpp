#include "devices/cuda/model/grouped_model.h"

#include <algorithm>
#include <cmath>

#include "core/data/dtype.h"
#include "devices/cuda/model/configuration.h"
#include "devices/cuda/model/schedule.h"

namespace tessera::cuda {
namespace {

constexpr double epilogue_clocks = 600;  // fixed: last products, barriers, first chunk
constexpr double tile_clocks = 250;      // to find the tile; consumers do this in order
constexpr double taken_clocks = 300;     // to find the tile and wait for its number
constexpr double slowest_swapped = 16;   // clocks per instruction that reads 2 KiB of weights

int operand_bytes(const GroupedDesc& desc) { return desc.is_tgmm() ? 2 : size_of(desc.lhs); }

std::int64_t ceil_div(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

// Work of one tile on a multiprocessor.
struct TileWork {
  double steps = 0;
  double product_clocks = 0;  // per step
  double bytes = 0;           // per step, through the L2 cache
  double store_bytes = 0;     // per tile
};

class Model {
 public:
  Model(const GroupedDesc& desc, const KernelConfig& config, const GpuFigures& gpu)
      : s_(desc), c_(config), gpu_(gpu) {}

  double seconds() {
    if (s_.is_tgmm())
      tgmm();
    else
      gmm();
    if (tiles_.clocks.empty() || tiles_.grid.columns == 0) return gpu_.launch_seconds;
    const double busy = makespan(tiles_, c_.hints, gpu_.multiprocessors);
    const double there = busy / gpu_.clock, memory = memory_bytes() / gpu_.memory_bytes_a_second;
    return gpu_.launch_seconds + std::max(there, memory) +
           gpu_.memory_interference * std::min(there, memory);
  }

 private:
  // Counts operands and results once; weights of empty groups are not read.
  double memory_bytes() const {
    std::int64_t rows = 0, filled = 0;
    for (const std::int64_t size : s_.sizes) {
      rows += size;
      filled += size > 0 ? 1 : 0;
    }
    const auto groups = static_cast<std::int64_t>(s_.sizes.size());
    const std::int64_t bytes =
        s_.is_tgmm()
            ? operand_bytes_ * rows * (s_.k + s_.n) + out_bytes_ * groups * s_.k * s_.n
            : operand_bytes_ * (rows * s_.k + filled * s_.k * s_.n) + out_bytes_ * rows * s_.n;
    return static_cast<double>(bytes);
  }

  // Time between the starts of two such tiles.
  double clocks(const TileWork& tile) const {
    // Copies and products overlap, but copies slow the products and use power even if they keep up.
    const double copies = tile.bytes / gpu_.l2_bytes_a_clock;
    const double alone = std::max(tile.product_clocks, copies) +
                         gpu_.copy_interference * std::min(tile.product_clocks, copies);
    const double step = c_.hints.pairing == Pairing::none ? alone : alone * (1 + gpu_.pair_loss);
    const double contraction = tile.steps * step;
    const double end = epilogue_clocks + tile.store_bytes / gpu_.store_bytes_a_clock +
                       (c_.hints.dynamic ? taken_clocks : tile_clocks);
    // Alternating consumers: the other consumer's products hide the epilogue if they last longer.
    if (c_.hints.alternate) return std::max(contraction, (contraction + end) / 2);
    return contraction + end;
  }

  // Partial sums of each block are added to the total in f32, after a wait. Half of this time is
  // hidden by the other consumer's products if both multiply at the same time.
  double added_clocks(double rows, double columns) const {
    constexpr double drained = 100, additions_a_clock = 128;
    const double clocks = rows * columns / additions_a_clock;
    return c_.hints.alternate || rows <= 64 ? clocks + drained : clocks / 2;
  }

  // Clocks of a gmm tile with `rows` rows. share_rows, share_weights: fraction of the operand's
  // bytes that the CTA fetches itself.
  double gmm_tile(std::int64_t rows, double share_rows, double share_weights) const {
    const Tiling& t = c_.tiling;
    TileWork tile;
    tile.steps = static_cast<double>(ceil_div(s_.k, t.k));
    const auto n = static_cast<double>(t.n);
    const double k_bytes = static_cast<double>(t.k * operand_bytes_);
    // A matrix instruction reads 32 bytes along k, for one-byte and two-byte elements.
    const double instruction_rows_a_clock = gpu_.products_a_clock / 16;
    if (t.m < 64) {
      tile.product_clocks =
          n / 64 * k_bytes / 32 *
          std::max(64.0 * static_cast<double>(t.m) / instruction_rows_a_clock, slowest_swapped);
      tile.bytes = k_bytes * static_cast<double>(t.n + t.m);
    } else {
      const auto taken = static_cast<double>(ceil_div(rows, 64) * 64);
      tile.product_clocks = taken * n * k_bytes / 32 / instruction_rows_a_clock;
      if (operand_bytes_ == 1) tile.product_clocks += added_clocks(taken, n);
      tile.bytes = k_bytes * (taken * share_rows + n * share_weights);
    }
    tile.store_bytes = static_cast<double>(rows * t.n * out_bytes_);
    return clocks(tile);
  }

  void gmm() {
    const Tiling& t = c_.tiling;
    const std::int64_t columns = ceil_div(s_.n, t.n);
    const double rows = c_.hints.pairing == Pairing::columns && columns > 1 ? gpu_.pair_share : 1;
    std::int64_t number = 0;  // index of the tile along the rows of all groups
    for (const std::int64_t size : s_.sizes) {
      const std::int64_t tiles = ceil_div(size, t.m);
      if (tiles == 0) continue;
      const std::int64_t last = size - (tiles - 1) * t.m;
      // Pairs start at even tile indices over all groups, so the neighbour may be in another group.
      double times[2][2];
      for (const bool is_last : {false, true}) {
        for (const bool shares : {false, true})
          times[is_last][shares] =
              gmm_tile(is_last ? last : t.m, rows, shares ? gpu_.pair_share : 1);
      }
      const std::int64_t end = number + tiles;
      for (std::int64_t first = number; number < end; ++number) {
        const std::int64_t neighbour = number % 2 == 0 ? number + 1 : number - 1;
        const bool shares =
            c_.hints.pairing == Pairing::rows && neighbour >= first && neighbour < end;
        tiles_.clocks.push_back(times[number + 1 == end][shares]);
      }
    }
    tiles_.grid = {1, static_cast<int>(number), static_cast<int>(columns)};
  }

  void tgmm() {
    const Tiling& t = c_.tiling;
    const std::int64_t down = ceil_div(s_.k, t.k), across = ceil_div(s_.n, t.n);
    const double left = c_.hints.pairing == Pairing::columns && across > 1 ? gpu_.pair_share : 1;
    const double right = c_.hints.pairing == Pairing::rows && down > 1 ? gpu_.pair_share : 1;
    for (const std::int64_t size : s_.sizes) {
      TileWork tile;
      tile.steps = static_cast<double>(ceil_div(size, t.m));
      const double rows = tile.steps == 0 ? 0 : static_cast<double>(ceil_div(size, 16) * 16);
      const auto k = static_cast<double>(t.k), n = static_cast<double>(t.n);
      if (tile.steps > 0) tile.product_clocks = rows / tile.steps * k * n / gpu_.products_a_clock;
      tile.bytes = 2 * static_cast<double>(t.m) * (k * left + n * right);
      tile.store_bytes = k * n * out_bytes_;
      tiles_.clocks.insert(tiles_.clocks.end(), static_cast<std::size_t>(down), clocks(tile));
    }
    tiles_.grid = {static_cast<int>(s_.sizes.size()), static_cast<int>(down),
                   static_cast<int>(across)};
  }

  const GroupedDesc& s_;
  const KernelConfig& c_;
  const GpuFigures& gpu_;
  const int operand_bytes_ = operand_bytes(s_), out_bytes_ = size_of(s_.out);
  TileClocks tiles_;
};

}  // namespace

double estimate_seconds(const GroupedDesc& desc, const KernelConfig& config,
                        const GpuFigures& gpu) {
  return Model(desc, config, gpu).seconds();
}

std::vector<Estimate> estimates(const GroupedDesc& desc, const GpuFigures& gpu) {
  std::vector<Estimate> all;
  for (const KernelConfig& c :
       desc.is_tgmm() ? tgmm_candidates() : gmm_candidates(operand_bytes(desc)))
    all.push_back({c, estimate_seconds(desc, c, gpu)});
  std::stable_sort(all.begin(), all.end(),
                   [](const Estimate& a, const Estimate& b) { return a.seconds < b.seconds; });
  return all;
}

}  // namespace tessera::cuda
