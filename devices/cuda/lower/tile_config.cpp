#include "devices/cuda/lower/tile_config.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "core/report/try.h"

namespace tessera::cuda {
namespace {

std::vector<int> memory_dims(const Buffer& buffer) {
  std::vector<int> dims = buffer.order;
  if (dims.empty()) {
    dims.resize(buffer.shape.size());
    std::iota(dims.begin(), dims.end(), 0);
  }
  std::reverse(dims.begin(), dims.end());
  return dims;
}

Diag no(std::string reason) { return error(ErrorCode::unsupported, std::move(reason)); }

// Checks a buffer for copies: boxes of 2 or 3 dimensions, rows in units of 16 bytes.
Expected<void> check_copies(const Buffer& buffer) {
  const std::vector<int> dims = memory_dims(buffer);
  if (dims.size() < 2 || dims.size() > 3) {
    return no(fmt::format("`{}` has {} dimensions; the CUDA kernels copy 2 or 3", buffer.name,
                          dims.size()));
  }
  const std::int64_t row = buffer.shape[static_cast<std::size_t>(dims[0])] * size_of(buffer.dtype);
  if (row % 16 != 0) {
    return no(fmt::format("rows of `{}` are {} bytes; the copy engine moves multiples of 16",
                          buffer.name, row));
  }
  return {};
}

Expected<void> check_operand(const OperandConfig& config, const char* side) {
  const Buffer& buffer = *config.operand->window.buffer;
  TRY(check_copies(buffer));
  if (!config.operand->k_major && config.operand->rows % warpgroup_rows != 0) {
    return no(
        fmt::format("`{}` is contiguous along its rows of the product: the tile's {} are a "
                    "multiple of {}, found {}",
                    buffer.name, side, warpgroup_rows, config.operand->rows));
  }
  return {};
}

Expected<void> check_types(const Contraction& c) {
  const DType a = c.left.window.buffer->dtype, b = c.right.window.buffer->dtype;
  const DType result = c.result.buffer->dtype;
  if (!(is_wgmma_byte_type(a) && is_wgmma_byte_type(b)) &&
      (a != b || (a != DType::bf16 && a != DType::f16))) {
    return no(
        fmt::format("products of {} and {}; the CUDA kernels multiply bf16, f16, or e4m3 and e5m2",
                    name(a), name(b)));
  }
  if (result != DType::f32 && result != DType::bf16 && result != DType::f16)
    return no(fmt::format("a result of {}; the CUDA kernels store f32, bf16 or f16", name(result)));
  if (is_wgmma_byte_type(a) && (!c.left.k_major || !c.right.k_major)) {
    return no(
        fmt::format("`{}` is contiguous across the contraction; the matrix instructions for "
                    "elements of one byte read operands that are contiguous along it",
                    (c.left.k_major ? c.right : c.left).window.buffer->name));
  }
  return {};
}

// Chooses the tile of the matrix instructions and its division among the consumers.
Expected<void> choose_sides(TileConfig& t, const Contraction& c) {
  const bool has_bytes = is_wgmma_byte_type(c.left.window.buffer->dtype);
  // Sums of 128 products of one-byte elements are added in f32.
  if (c.k != 128 && (c.k != 64 || has_bytes)) {
    return no(fmt::format("tiles of {} along the contraction; the CUDA kernels take {}", c.k,
                          has_bytes ? "128 of such elements" : "64 or 128"));
  }
  t.k = static_cast<int>(c.k);
  // Instructions have 64 rows and at least 8 columns. A result tile with few rows is swapped: its
  // rows become their columns.
  t.swapped = c.left.rows < warpgroup_rows;
  const ProductOperand& left = t.swapped ? c.right : c.left;
  const ProductOperand& right = t.swapped ? c.left : c.right;
  if (left.rows != 64 && left.rows != 128 && left.rows != 256) {
    return no(fmt::format("tiles of {} {}; the CUDA kernels take 64, 128 or 256{}", left.rows,
                          t.swapped ? "columns" : "rows",
                          t.swapped ? " columns with fewer than 64 rows" : ""));
  }
  t.m = static_cast<int>(left.rows);
  const std::int64_t unit = t.swapped ? 8 : 64;
  if (right.rows % unit != 0 || right.rows > 256 || right.rows < unit) {
    return no(fmt::format("tiles of {} {}; the CUDA kernels take multiples of {} up to 256",
                          right.rows, t.swapped ? "rows" : "columns", unit));
  }
  t.n = static_cast<int>(right.rows);
  t.consumers = t.m == warpgroup_rows && !t.hints.alternate ? 1 : 2;
  t.m_pieces = t.m / warpgroup_rows / (t.hints.alternate ? 1 : t.consumers);
  t.ragged_k = c.k_size != no_value;
  t.left = {&left, memory_dims(*left.window.buffer)};
  t.right = {&right, memory_dims(*right.window.buffer)};
  return {};
}

// Checks that the sums of a thread fit, in addition to the registers for tiles and addresses.
Expected<void> check_registers(const TileConfig& t) {
  if (t.sums() > max_sums_alone) {
    return no(fmt::format("tiles of {} x {}{}: the sums do not fit the registers", t.m, t.n,
                          t.hints.alternate ? " for each consumer" : ""));
  }
  if (t.cluster() > 1 && t.sums() > max_sums_paired) {
    return no(
        fmt::format("tiles of {} x {} in pairs of blocks do not fit the registers", t.m, t.n));
  }
  return {};
}

Expected<void> check_layouts(const TileConfig& t, const Contraction& c) {
  if (t.swapped && t.cluster() > 1)
    return no("tiles with fewer than 64 rows are not fetched for two blocks together");
  if (t.hints.band < 1) return no(fmt::format("bands of {} tiles", t.hints.band));
  TRY(check_operand(t.left, t.swapped ? "columns" : "rows"));
  TRY(check_operand(t.right, t.swapped ? "rows" : "columns"));
  if (t.ragged_k && (c.left.k_major || c.right.k_major)) {
    return no(
        "a part of a block along the contraction needs operands that are contiguous across it");
  }
  const Buffer& result = *c.result.buffer;
  TRY(check_copies(result));
  const int rank = static_cast<int>(result.shape.size());
  if (!result.order.empty() || c.result.dims != std::vector<int>{rank - 2, rank - 1}) {
    return no(
        fmt::format("the blocks of `{}` are not of its two innermost dimensions", result.name));
  }
  if (c.result.block != Shape{t.result_rows(), t.result_columns()}) {
    return no(fmt::format("the result's block is {}, the product's is {} x {}",
                          to_string(c.result.block), t.result_rows(), t.result_columns()));
  }
  return {};
}

Expected<void> choose_stages(TileConfig& t, const Contraction& c) {
  t.stages = static_cast<int>(c.depth);
  const SharedParts parts = shared_layout(t.shared_shape());
  t.shared_bytes = parts.arrays;
  if (t.shared_bytes > shared_limit) {
    return no(fmt::format("{} buffers of {} bytes do not fit the shared memory; at most {} do",
                          t.stages, parts.stage_bytes, max_stages(t.shared_shape(), 0)));
  }
  if (t.stages < 2) return no("the CUDA kernels need at least two buffers for each operand");
  return {};
}

}  // namespace

bool is_wgmma_byte_type(DType dtype) { return dtype == DType::e4m3 || dtype == DType::e5m2; }

int OperandConfig::position(int buffer_dim) const {
  return static_cast<int>(std::find(memory_dims.begin(), memory_dims.end(), buffer_dim) -
                          memory_dims.begin());
}

SharedShape TileConfig::shared_shape() const {
  return {m, n, k, operand_bytes(), stages, consumers, swapped, hints.dynamic};
}

Expected<TileConfig> tile_config(const Contraction& c, const MachineHints& hints) {
  TileConfig t;
  t.hints = hints;
  t.result = c.result.buffer->dtype;
  t.result_dims = memory_dims(*c.result.buffer);
  TRY(check_types(c));
  TRY(choose_sides(t, c));
  TRY(check_registers(t));
  TRY(check_layouts(t, c));
  TRY(choose_stages(t, c));
  return t;
}

}  // namespace tessera::cuda
