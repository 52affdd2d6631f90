// Where things lie in shared memory. Every operand tile is a list of boxes with rows of 128 bytes,
// as one copy of the tensor map's 128-byte swizzle writes them: chunk c (16 bytes) of row r lies at
// chunk c ^ (r mod 8).
// For elements of two bytes, of which such a row has 64 (of one byte: 128, and K-major alone):
//   K-major, [k / 64][rows][64]:  a row is 64 neighbours along k of one row (or column) of the
//   product MN-major, [rows / 64][k][64]: a row is 64 neighbours along the rows (or columns) at one
//   k
#pragma once
#include "devices/cuda/templates/base.cuh"

namespace tessera::cuda {

inline constexpr int shared_limit = 227 * 1024;  // bytes that a CTA of sm_90 may have
inline constexpr int row_bytes = 128;            // of every box
inline constexpr int swizzle_atom = 1024;        // 8 such rows: what boxes are aligned to
inline constexpr int step_bytes = 32;            // along k of one matrix instruction
inline constexpr int warpgroup_rows = 64;        // of one matrix instruction
inline constexpr int warp_rows = 16;             // of its result, in a warp

// A byte offset in a box, with the chunk moved to where the swizzle put it.
TESSERA_BOTH constexpr u32 swizzled(u32 offset) { return offset ^ ((offset >> 3) & 0x70); }

// Elements of an operand in a row of a box, and along k of one matrix instruction.
template <class C>
inline constexpr int box_elements = row_bytes / C::operand_bytes;
template <class C>
inline constexpr int step_k = step_bytes / C::operand_bytes;

// One operand of the product, `rows` x k (or k x columns: `rows` are then its columns), of elements
// of `element_bytes`.
template <int rows, int k, bool k_major, int element_bytes>
struct OperandTile {
  static_assert(k_major || element_bytes == 2);
  static constexpr int box_elements = row_bytes / element_bytes;
  static constexpr int bytes = rows * k * element_bytes;
  static constexpr int box_rows = k_major ? rows : k;
  static constexpr int boxes = k_major ? k / box_elements : rows / box_elements;
  static constexpr int box_bytes = box_rows * row_bytes;
  // In the descriptor: from 8 rows of a box to the next 8, and from a box to the next.
  static constexpr u32 stride = swizzle_atom;
  static constexpr u32 leading = k_major ? 16 : box_bytes;

  // From the tile's start to the part that begins at `row` (a multiple of 8 or, MN-major, of 64)
  // and k.
  TESSERA_BOTH static constexpr u32 offset(int row, int k_first) {
    return k_major ? (k_first / box_elements) * box_bytes + row * row_bytes +
                         (k_first % box_elements) * element_bytes
                   : (row / box_elements) * box_bytes + k_first * row_bytes;
  }
};

// A matrix descriptor of sm_90: start, leading and stride offsets in units of 16 bytes, 128-byte
// swizzle.
TESSERA_BOTH constexpr u64 descriptor(u32 address, u32 leading, u32 stride) {
  return static_cast<u64>((address & 0x3FFFF) >> 4) | static_cast<u64>(leading >> 4) << 16 |
         static_cast<u64>(stride >> 4) << 32 | static_cast<u64>(1) << 62;
}

// A K-major right operand that two blocks share is fetched in halves of its rows: one each.
template <class C>
inline constexpr int right_parts = C::share_right&& C::right_k_major ? C::cluster : 1;

// What a CTA's shared memory is laid out by: the tile m x n x k of a product, the bytes of an
// operand's element, how many steps are in flight, and who multiplies.
struct SharedShape {
  int m, n, k, operand_bytes;
  int stages, consumers;
  bool swapped, dynamic;
};

// Bytes from the start of the shared memory, in this order, and the size of some parts. The host
// asks for as much as the last one says.
struct SharedParts {
  int stage_bytes;    // the left operand's tile, then the right one's
  int staging;        // after all stages: each consumer's buffers of the result
  int staging_bytes;  // of a buffer
  int barriers;       // full and empty for each stage, then two by which consumers take turns, ...
  int numbers;        // ... then those of the tiles' numbers, which follow them
  int arrays;         // scalar memory, if it fits
};

inline constexpr int staging_buffers = 2;  // of a consumer: one is filled while one is copied out

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

// As many stages as fit beside so many bytes of scalar arrays, whatever the shape says.
TESSERA_BOTH constexpr int max_stages(SharedShape shape, int array_bytes) {
  shape.stages = 0;
  const int others = shared_layout(shape).arrays;
  shape.stages = 1;
  return (shared_limit - array_bytes - others) / (shared_layout(shape).arrays - others);
}

// The same for a template's constants C.
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
