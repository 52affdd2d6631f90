// The configuration of a template, derived from the blocks of a contraction; or the reason why no
// template fits.
#pragma once
#include <string>
#include <vector>

#include "core/kernel/machine_hints.h"
#include "core/report/expected.h"
#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/templates/shape.cuh"

namespace tessera::cuda {

// Matrix instructions for one-byte elements truncate each term 13 bits below the largest term
// (published: about 14 bits are kept). A block of 128 products takes four instructions, each with
// 32 terms and the previous sum. Blocks are added in f32.
inline constexpr double fp8_sum_error = 4 * 33 * 0x1p-13;

// Matrix instructions for two-byte elements truncate 16 terms and the previous sum two bits below
// f32 precision, and truncate the new sum to f32 (Khattak and Mikaitis, Accurate Models of NVIDIA
// Tensor Cores, 2025). Their error is (8 + 17) units of 2^-25 for 16 terms, for which a bound by
// roundings has 32; and 8 + 1 + r units for the last r terms.
// cut_sum_error is the maximum excess of this error over the bound of n - 1 roundings. It occurs
// for one term.
inline constexpr double cut_sum_error = 5 * 0x1p-24;

// Registers per thread in the producer's and the consumers' warpgroups. A CTA of three warpgroups
// starts with equal shares of the 65536 registers of an SM. The producer only counts and copies, so
// it passes most of its registers to the two consumers for their sums (setmaxnreg).
struct Registers {
  int producer = 0, consumer = 0;
};
inline constexpr int registers_at_start = 65536 / (3 * 128) / 8 * 8;  // multiple of 8: setmaxnreg
inline constexpr Registers alone{40, 232};
inline constexpr Registers paired{56, 224};  // a producer in a cluster tracks two tiles
static_assert(alone.producer + 2 * alone.consumer == 3 * registers_at_start);
static_assert(paired.producer + 2 * paired.consumer == 3 * registers_at_start);

// Max registers of a consumer thread for sums. The others hold addresses, the ring position and the
// scalars of the tile. Actual tiles have 128, 192 or 256. With NVRTC 13.0: 192 sums in an unpaired
// CTA spill nothing (e4m3) or 16 bytes (bf16), and in pairs 48 to 104 bytes; with 256 the matrix
// instructions are serialised.
inline constexpr int max_sums_alone = 200;
inline constexpr int max_sums_paired = 160;

// True for one-byte types that matrix instructions multiply directly: e4m3 and e5m2.
bool is_wgmma_byte_type(DType dtype);

struct OperandConfig {
  const ProductOperand* operand = nullptr;
  std::vector<int> memory_dims;  // buffer dimensions, innermost first
  int rank() const { return static_cast<int>(memory_dims.size()); }
  DType dtype() const { return operand->window.buffer->dtype; }
  int position(int buffer_dim) const;  // index in memory_dims; rank() if it is not there
};

struct TileConfig {
  // Tile of the matrix instructions: m rows by n columns. swapped: m are columns of the result.
  int m = 0, n = 0, k = 0;
  int stages = 0, consumers = 0, m_pieces = 0;  // m_pieces: blocks of 64 rows per consumer
  MachineHints hints;
  bool swapped = false, ragged_k = false;
  OperandConfig left, right;     // operands of the instructions
  std::vector<int> result_dims;  // dimensions of the result, innermost first
  DType result = DType::f32;
  int shared_bytes = 0;  // without the scalar arrays

  int operand_bytes() const { return size_of(left.dtype()); }
  // Sums per thread. One-byte operands also need partial sums of the same number.
  int sums() const { return m_pieces * n / 2 * (operand_bytes() == 1 ? 2 : 1); }
  int threads() const { return 128 * (1 + consumers); }
  int result_rows() const { return swapped ? n : m; }  // per tile
  int result_columns() const { return swapped ? m : n; }
  int cluster() const { return hints.pairing == Pairing::none ? 1 : 2; }  // CTAs
  SharedShape shared_shape() const;
  Registers registers() const { return cluster() > 1 ? paired : alone; }
};

// Returns the configuration, which points into `contraction`. Fails with ErrorCode::unsupported,
// without a place, for types, tiles and layouts that the templates do not support.
Expected<TileConfig> tile_config(const Contraction& contraction, const MachineHints& hints);

}  // namespace tessera::cuda
