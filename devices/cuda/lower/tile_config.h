// What a template is instantiated with, chosen from a contraction's blocks; or why no template fits
// them.
#pragma once
#include <string>
#include <vector>

#include "core/kernel/machine_hints.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {

// Matrix instructions for elements of one byte cut every term off 13 bits below the largest one
// (published: about 14 bits are kept). A block of 128 products takes four, each of 32 terms and the
// sum so far; blocks are added in f32.
inline constexpr double fp8_sum_error = 4 * 33 * 0x1p-13;

// Those for elements of two bytes cut 16 terms and the sum so far off two bits below f32, and the
// new sum off to f32 (Khattak and Mikaitis, Accurate Models of NVIDIA Tensor Cores, 2025): (8 + 17)
// units of 2^-25 for 16 terms, for which a bound by roundings has 32; and 8 + 1 + r for the last r.
// Beyond the bound of n - 1 roundings that is at most this much, for one term.
inline constexpr double cut_sum_error = 5 * 0x1p-24;

// Registers of each thread of the producer's and of the consumers' warpgroups. A CTA of three
// warpgroups begins with as many for all as an SM's 65536 allow; the producer, which counts and
// copies, then hands most of its own to the two consumers, whose sums fill theirs (setmaxnreg).
struct Registers {
  int producer = 0, consumer = 0;
};
inline constexpr int registers_at_start = 65536 / (3 * 128) / 8 * 8;  // setmaxnreg counts by 8
inline constexpr Registers alone{40, 232};
inline constexpr Registers paired{56, 224};  // a producer of a cluster follows two tiles
static_assert(alone.producer + 2 * alone.consumer == 3 * registers_at_start);
static_assert(paired.producer + 2 * paired.consumer == 3 * registers_at_start);

// How many of a consumer's registers may be sums; the others hold addresses, the ring's place and
// the tile's numbers. What the tiles have is 128, 192 or 256. By NVRTC 13.0: with 192, a CTA alone
// spills nothing (e4m3) or 16 bytes (bf16), and pairs spill 48 to 104 bytes; with 256, the matrix
// instructions are serialised.
inline constexpr int max_sums_alone = 200;
inline constexpr int max_sums_paired = 160;

// Whether matrix instructions multiply elements of that type, of one byte, as they are: each
// operand is e4m3 or e5m2.
bool is_wgmma_byte_type(DType dtype);

struct OperandConfig {
  const ProductOperand* operand = nullptr;
  std::vector<int> memory_dims;  // the buffer's dimensions, innermost first
  int rank() const { return static_cast<int>(memory_dims.size()); }
  DType dtype() const { return operand->window.buffer->dtype; }
  int position(int buffer_dim) const;  // in memory_dims
};

struct TileConfig {
  int m = 0, n = 0, k = 0;  // of the matrix instructions: m rows by n columns; swapped: m are the
                            // result's columns
  int stages = 0, consumers = 0, m_pieces = 0;
  MachineHints hints;
  bool swapped = false, ragged_k = false;
  OperandConfig left, right;     // of the instructions
  std::vector<int> result_dims;  // the result buffer's, innermost first
  DType result = DType::f32;
  int shared_bytes = 0;

  int operand_bytes() const { return size_of(left.dtype()); }
  // Of each thread; operands of one byte are summed in parts, which are held beside the sums.
  int sums() const { return m_pieces * n / 2 * (operand_bytes() == 1 ? 2 : 1); }
  int threads() const { return 128 * (1 + consumers); }
  int result_rows() const { return swapped ? n : m; }  // of a tile
  int result_columns() const { return swapped ? m : n; }
  int cluster() const { return hints.pairing == Pairing::none ? 1 : 2; }  // CTAs
  SharedShape shared_shape() const;
  Registers registers() const { return cluster() > 1 ? paired : alone; }
};

// ErrorCode::unsupported for types, tiles and layouts that the templates do not take.
Expected<TileConfig> tile_config(const Contraction& contraction, const MachineHints& hints);

}  // namespace tessera::cuda
