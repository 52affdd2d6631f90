// The inner loop of a grouped matmul on the interpreter's memory and tile ops, without the
// interpreter, beside a loop of Eigen products over the groups: m = n = k = 2048, 8 groups. "full"
// ones are for measuring.
#include <benchmark/benchmark.h>

#include <Eigen/Dense>
#include <memory>
#include <random>
#include <string>

#include "interp/memory/storage.h"
#include "interp/tiles/tile_math.h"
#include "interp/tiles/tile_ops.h"

namespace tessera {
namespace {

struct Problem {
  std::int64_t size = 2048, groups = 8;
  Tensor lhs, rhs, out;

  Problem(DType dtype, std::int64_t size, std::int64_t groups)
      : size(size),
        groups(groups),
        lhs(dtype, {size, size}),
        rhs(dtype, {groups, size, size}),
        out(DType::f32, {size, size}) {
    std::mt19937 rng(1);
    std::uniform_int_distribution<int> small(-4, 4);
    for (Tensor* tensor : {&lhs, &rhs}) {
      for (std::int64_t i = 0; i < tensor->elements(); ++i) tensor->set(i, small(rng));
    }
  }
  void count(benchmark::State& state) const {
    const auto n = static_cast<double>(size);
    state.counters["GFLOP/s"] =
        benchmark::Counter(2e-9 * n * n * n, benchmark::Counter::kIsIterationInvariantRate);
  }
};

Buffer buffer(Role role, Space space, DType dtype, Shape shape) {
  Buffer result;
  result.role = role;
  result.space = space;
  result.dtype = dtype;
  result.shape = std::move(shape);
  return result;
}

Box block(std::int64_t row, std::int64_t rows, std::int64_t col, std::int64_t cols) {
  Box box;
  box.rank = 2;
  box.start = {row, col};
  box.size = {rows, cols};
  return box;
}

Box block_of(std::int64_t which, std::int64_t row, std::int64_t rows, std::int64_t col,
             std::int64_t cols) {
  Box box;
  box.rank = 3;
  box.dropped = 1;
  box.start = {which, row, col};
  box.size = {1, rows, cols};
  return box;
}

void eigen(benchmark::State& state, std::int64_t size) {
  using Matrix = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  Problem p(DType::f32, size, 8);
  const std::int64_t rows = size / p.groups;
  for (auto _ : state) {
    for (std::int64_t g = 0; g < p.groups; ++g) {
      const Eigen::Map<const Matrix> a(p.lhs.as<float>() + g * rows * size, rows, size);
      const Eigen::Map<const Matrix> b(p.rhs.as<float>() + g * size * size, size, size);
      Eigen::Map<Matrix> c(p.out.as<float>() + g * rows * size, rows, size);
      c.noalias() = a * b;
    }
    benchmark::ClobberMemory();
  }
  p.count(state);
}

// Two slots for each operand; each step copies one tile of each, as expand() lays it out.
void tiles(benchmark::State& state, DType dtype, std::int64_t size, std::int64_t tile,
           Checks checks) {
  Problem p(dtype, size, 8);
  const Buffer lhs_buffer = buffer(Role::in, Space::hbm, dtype, {size, size});
  const Buffer rhs_buffer = buffer(Role::in, Space::hbm, dtype, {p.groups, size, size});
  const Buffer out_buffer = buffer(Role::out, Space::hbm, DType::f32, {size, size});
  const Buffer slot_buffer = buffer(Role::scratch, Space::vmem, dtype, {2, tile, tile});
  const Buffer out_slot_buffer = buffer(Role::scratch, Space::vmem, DType::f32, {2, tile, tile});
  const Buffer acc_buffer = buffer(Role::scratch, Space::tile, DType::f32, {tile, tile});
  const tile::Context context;
  const std::int64_t n = size / tile, group_rows = size / p.groups;
  for (auto _ : state) {
    Storage lhs(lhs_buffer, p.lhs, checks), rhs(rhs_buffer, p.rhs, checks),
        out(out_buffer, p.out, checks);
    Storage a(slot_buffer, checks), b(slot_buffer, checks), o(out_slot_buffer, checks),
        acc(acc_buffer, checks);
    for (Storage* scratch : {&a, &b, &o, &acc}) scratch->allocate({});
    out.once(0);
    std::int64_t step = 0;
    for (std::int64_t j = 0; j < n; ++j) {
      for (std::int64_t i = 0; i < n; ++i) {
        const Box o_slot = block_of((j * n + i) % 2, 0, tile, 0, tile);
        o.fresh(o_slot, {});
        tile::cast(acc.write(acc.whole()), TileView::of(0.0F), context);
        for (std::int64_t s = 0; s < n; ++s, ++step) {
          const Box slot = block_of(step % 2, 0, tile, 0, tile);
          a.fresh(slot, {});
          a.land(slot, lhs.snapshot(block(i * tile, tile, s * tile, tile)), {});
          b.fresh(slot, {});
          b.land(slot,
                 rhs.snapshot(block_of(i * tile / group_rows, s * tile, tile, j * tile, tile)), {});
          const TileView x = a.read(slot), y = b.read(slot);
          tile::matmul(acc.update(acc.whole()), x, y, {}, context);
        }
        const TileView result = acc.read(acc.whole());
        tile::cast(o.write(o_slot), result, context);
        out.land_stored(block(i * tile, tile, j * tile, tile), o.snapshot_stored(o_slot), {}, 0);
      }
    }
    if (out.never_written()) state.SkipWithError("a tile is missing");
  }
  p.count(state);
  state.SetLabel(math::native_instructions(dtype));
}

void register_all(const std::string& prefix, std::int64_t size, std::int64_t largest_tile) {
  const auto add = [](const std::string& name, auto run) {
    benchmark::RegisterBenchmark(name.c_str(), run)->Unit(benchmark::kMillisecond);
  };
  add(prefix + "/eigen_f32", [=](benchmark::State& state) { eigen(state, size); });
  for (std::int64_t tile = 128; tile <= largest_tile; tile *= 2) {
    for (const DType dtype : {DType::f32, DType::bf16, DType::f16, DType::e4m3}) {
      for (const Checks checks : {Checks::on, Checks::off}) {
        const std::string how = checks == Checks::on ? "checked" : "unchecked";
        add(prefix + "/" + std::string(name(dtype)) + "_" + std::to_string(tile) + "_" + how,
            [=](benchmark::State& state) { tiles(state, dtype, size, tile, checks); });
      }
    }
  }
}

const bool registered = [] {
  register_all("tile", 256, 128);
  register_all("tile_full", 2048, 256);
  return true;
}();

}  // namespace
}  // namespace tessera
