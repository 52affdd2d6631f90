// Layout of shared memory. An operand tile is a list of boxes with rows of 128 bytes, as one copy
// with the tensor map's 128-byte swizzle writes them: chunk c (16 bytes) of row r is stored at
// chunk c ^ (r mod 8).
// Layouts of two-byte elements, 64 in a row (one-byte elements: 128, and only K-major):
// K-major, [k / 64][rows][64]: a row is 64 neighbours along k of one row (or column).
// MN-major, [rows / 64][k][64]: a row is 64 neighbours along the rows (or columns) at one k.
// rows: rows of the left operand, columns of the right operand.
#pragma once
#include "devices/cuda/templates/base.cuh"

namespace tessera::cuda {

inline constexpr int shared_limit = 227 * 1024;  // max bytes per CTA of sm_90
inline constexpr int row_bytes = 128;            // in every box
inline constexpr int swizzle_atom = 1024;        // 8 rows; alignment of boxes
inline constexpr int step_bytes = 32;            // along k per matrix instruction
inline constexpr int warpgroup_rows = 64;        // per matrix instruction
inline constexpr int warp_rows = 16;             // rows of the result per warp

// Swizzled byte offset in a box.
TESSERA_BOTH constexpr u32 swizzled(u32 offset) { return offset ^ ((offset >> 3) & 0x70); }

// Operand elements in a row of a box, and along k of one matrix instruction.
template <class C>
inline constexpr int box_elements = row_bytes / C::operand_bytes;
template <class C>
inline constexpr int step_k = step_bytes / C::operand_bytes;

// One operand of the product: `rows` x k, or k x columns, with the number of columns as `rows`.
// Elements have `element_bytes` bytes.
template <int rows, int k, bool k_major, int element_bytes>
struct OperandTile {
  static_assert(k_major || element_bytes == 2);
  static constexpr int box_elements = row_bytes / element_bytes;
  static constexpr int bytes = rows * k * element_bytes;
  static constexpr int box_rows = k_major ? rows : k;
  static constexpr int boxes = k_major ? k / box_elements : rows / box_elements;
  static constexpr int box_bytes = box_rows * row_bytes;
  // Offsets in the descriptor: between groups of 8 rows of a box, and between boxes.
  static constexpr u32 stride = swizzle_atom;
  static constexpr u32 leading = k_major ? 16 : box_bytes;

  // Byte offset in the tile of the part that starts at `row` (a multiple of 8 or, MN-major, of 64)
  // and k_first.
  TESSERA_BOTH static constexpr u32 offset(int row, int k_first) {
    return k_major ? (k_first / box_elements) * box_bytes + row * row_bytes +
                         (k_first % box_elements) * element_bytes
                   : (row / box_elements) * box_bytes + k_first * row_bytes;
  }
};

// Matrix descriptor of sm_90: start address, leading and stride offsets in units of 16 bytes, with
// 128-byte swizzle.
TESSERA_BOTH constexpr u64 descriptor(u32 address, u32 leading, u32 stride) {
  return static_cast<u64>((address & 0x3FFFF) >> 4) | static_cast<u64>(leading >> 4) << 16 |
         static_cast<u64>(stride >> 4) << 32 | static_cast<u64>(1) << 62;
}

// Parts of a step's right operand: K-major and shared by two CTAs, each fetches half of its rows.
template <class C>
inline constexpr int right_parts = C::share_right&& C::right_k_major ? C::cluster : 1;

// Parameters of a CTA's shared memory layout: product tile m x n x k, bytes per operand element,
// number of stages in flight, and consumers.
struct SharedShape {
  int m, n, k, operand_bytes;
  int stages, consumers;
  bool swapped, dynamic;
};

// Offsets in bytes in shared memory, in this order, and sizes of some parts. The host requests
// `arrays` bytes, plus the scalar arrays.
struct SharedParts {
  int stage_bytes;    // left tile, then right tile
  int staging;        // after the stages: result buffers of each consumer
  int staging_bytes;  // per buffer
  int barriers;       // full and empty per stage, two for the consumers' turns, ...
  int numbers;        // ... and barriers for tile numbers; the numbers follow
  int arrays;         // scalar arrays, if they fit
};

inline constexpr int staging_buffers = 2;  // per consumer: one is filled while the other is copied

TESSERA_BOTH constexpr SharedParts shared_layout(const SharedShape& shape) {
  SharedParts parts{};
  parts.stage_bytes = (shape.m + shape.n) * shape.k * shape.operand_bytes;
  parts.staging = shape.stages * parts.stage_bytes;
  const int rows = shape.swapped ? shape.n : warpgroup_rows;
  parts.staging_bytes = (rows * row_bytes + swizzle_atom - 1) / swizzle_atom * swizzle_atom;
  parts.barriers = parts.staging + shape.consumers * staging_buffers * parts.staging_bytes;
  parts.numbers = parts.barriers + (2 * shape.stages + 2 + (shape.dynamic ? 4 : 0)) * 8;
  parts.arrays = parts.numbers + (shape.dynamic ? 8 : 0);
  return parts;
}

// Max number of stages that fit next to `array_bytes` of scalar arrays; ignores shape.stages.
TESSERA_BOTH constexpr int max_stages(SharedShape shape, int array_bytes) {
  shape.stages = 0;
  const int others = shared_layout(shape).arrays;
  shape.stages = 1;
  return (shared_limit - array_bytes - others) / (shared_layout(shape).arrays - others);
}

// The layout for the constants C of a template.
template <class C>
struct SharedLayout {
  using Left = OperandTile<C::m, C::k, C::left_k_major, C::operand_bytes>;
  using Right = OperandTile<C::n, C::k, C::right_k_major, C::operand_bytes>;
  static constexpr SharedParts parts = shared_layout(
      {C::m, C::n, C::k, C::operand_bytes, C::stages, C::consumers, C::swapped, C::dynamic});
  static constexpr int stage_bytes = parts.stage_bytes;
  static_assert(stage_bytes == Left::bytes + Right::bytes);
  static constexpr int staging = parts.staging, staging_bytes = parts.staging_bytes;
  static constexpr int barriers = parts.barriers, numbers = parts.numbers, arrays = parts.arrays;
};

}  // namespace tessera::cuda
