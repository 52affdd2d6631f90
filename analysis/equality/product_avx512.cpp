// Blocks of four rows and sixteen columns, with products of eight lanes. After seven products the
// upper half of a sum is added to a separate sum. Both sums are combined at the end.
#include "analysis/equality/product_avx512.h"

#if defined(__x86_64__)
#pragma GCC diagnostic push
// GCC 12 reports reads of uninitialised values for the "undefined" registers of its own headers.
#pragma GCC diagnostic ignored "-Wuninitialized"
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif
#include <immintrin.h>
#pragma GCC diagnostic pop

#include <algorithm>
#include <vector>

#define TESSERA_AVX512 [[gnu::target("avx512f,avx512dq")]]

namespace tessera::fields {
namespace {

constexpr std::int64_t block_rows = 4;     // rows
constexpr std::int64_t between_folds = 7;  // |x| < 2^30 each, so seven products fit 63 bits

struct Constants {
  __m512i prime, half, low, to_round, carry, carry_twice;
  __m512i primes;  // sixteen, of 32 bits
  __m512d inverse;
};

std::int64_t centred_power(const Modulus& modulus, std::uint64_t power) {
  const Residue x = modulus.power(2, power);
  return x > modulus.prime() / 2 ? static_cast<std::int64_t>(x) - modulus.prime() : x;
}

TESSERA_AVX512 Constants constants(const Modulus& modulus) {
  const auto prime = static_cast<std::int64_t>(modulus.prime());
  return {_mm512_set1_epi64(prime),
          _mm512_set1_epi32(static_cast<std::int32_t>(prime / 2)),
          _mm512_set1_epi64(0xFFFFFFFF),
          _mm512_set1_epi64(std::int64_t{1} << 31),
          _mm512_set1_epi64(centred_power(modulus, 32)),
          _mm512_set1_epi64(centred_power(modulus, 64)),
          _mm512_set1_epi32(static_cast<std::int32_t>(prime)),
          _mm512_set1_pd(1.0 / static_cast<double>(prime))};
}

// Centres sixteen residues: subtracts the prime from those above its half.
TESSERA_AVX512 inline __m512i centred(__m512i x, const Constants& of) {
  return _mm512_mask_sub_epi32(x, _mm512_cmpgt_epi32_mask(x, of.half), x, of.primes);
}

TESSERA_AVX512 inline __mmask16 first(std::int64_t width) {
  return static_cast<__mmask16>((1U << width) - 1);
}

TESSERA_AVX512 void fill_rows(std::int32_t* rows, const Residue* a, std::int64_t count,
                              const Constants& of) {
  for (std::int64_t i = 0; i < count; i += panel_columns) {
    const __mmask16 mask = first(std::min(panel_columns, count - i));
    _mm512_mask_storeu_epi32(rows + i, mask, centred(_mm512_maskz_loadu_epi32(mask, a + i), of));
  }
}

TESSERA_AVX512 void fill_panel(std::int64_t* panel, const Residue* b, std::int64_t k,
                               std::int64_t n, std::int64_t width, const Constants& of) {
  const __mmask16 mask = first(width);
  for (std::int64_t s = 0; s < k; ++s, b += n, panel += panel_columns) {
    const __m512i line = centred(_mm512_maskz_loadu_epi32(mask, b), of);
    _mm512_store_si512(panel, _mm512_cvtepi32_epi64(_mm512_castsi512_si256(line)));
    _mm512_store_si512(panel + 8, _mm512_cvtepi32_epi64(_mm512_extracti64x4_epi64(line, 1)));
  }
}

// Returns the residues of eight sums. |high| < 2^48, low in [0, 2^32).
TESSERA_AVX512 inline __m512i residues(__m512i high, __m512i low, const Constants& of) {
  // high = upper 2^32 + lower, with a signed lower of 32 bits. Products read only the lower half.
  const __m512i upper = _mm512_srai_epi64(_mm512_add_epi64(high, of.to_round), 32);
  const __m512i sum = _mm512_add_epi64(_mm512_add_epi64(_mm512_mul_epi32(high, of.carry), low),
                                       _mm512_mul_epi32(upper, of.carry_twice));
  // The quotient is off by less than one.
  const __m512i quotient = _mm512_cvtpd_epi64(_mm512_mul_pd(_mm512_cvtepi64_pd(sum), of.inverse));
  const __m512i rest = _mm512_sub_epi64(sum, _mm512_mullo_epi64(quotient, of.prime));
  return _mm512_min_epu64(rest, _mm512_add_epi64(rest, of.prime));
}

// acc of [count, width] += rows . panel
TESSERA_AVX512 void block(Residue* acc, std::int64_t n, std::int64_t count, std::int64_t width,
                          const std::int32_t* rows, const std::int64_t* panel, std::int64_t k,
                          const Constants& of) {
  __m512i low[block_rows][2], high[block_rows][2];
  for (int i = 0; i < block_rows; ++i)
    for (int j = 0; j < 2; ++j) low[i][j] = high[i][j] = _mm512_setzero_si512();
  for (std::int64_t begin = 0; begin < k; begin += between_folds) {
    const std::int64_t end = std::min(k, begin + between_folds);
    for (std::int64_t s = begin; s < end; ++s) {
      const __m512i left = _mm512_load_si512(panel + s * panel_columns);
      const __m512i right = _mm512_load_si512(panel + s * panel_columns + 8);
#pragma GCC unroll 4
      for (int i = 0; i < block_rows; ++i) {
        const __m512i x = _mm512_set1_epi32(rows[i * k + s]);
        low[i][0] = _mm512_add_epi64(low[i][0], _mm512_mul_epi32(x, left));
        low[i][1] = _mm512_add_epi64(low[i][1], _mm512_mul_epi32(x, right));
      }
    }
#pragma GCC unroll 4
    for (int i = 0; i < block_rows; ++i)
#pragma GCC unroll 2
      for (int j = 0; j < 2; ++j) {
        high[i][j] = _mm512_add_epi64(high[i][j], _mm512_srai_epi64(low[i][j], 32));
        low[i][j] = _mm512_and_si512(low[i][j], of.low);
      }
  }
  const __mmask16 mask = first(width);
#pragma GCC unroll 4
  for (int i = 0; i < block_rows; ++i) {
    if (i >= count) break;
    const __m512i line = _mm512_inserti64x4(
        _mm512_castsi256_si512(_mm512_cvtepi64_epi32(residues(high[i][0], low[i][0], of))),
        _mm512_cvtepi64_epi32(residues(high[i][1], low[i][1], of)), 1);
    const __m512i sum = _mm512_add_epi32(_mm512_maskz_loadu_epi32(mask, acc + i * n), line);
    _mm512_mask_storeu_epi32(acc + i * n, mask,
                             _mm512_min_epu32(sum, _mm512_sub_epi32(sum, of.primes)));
  }
}

}  // namespace

bool has_avx512() {
  return __builtin_cpu_supports("avx512f") != 0 && __builtin_cpu_supports("avx512dq") != 0;
}

void multiply_add_avx512(Residue* acc, const Residue* a, const Residue* b, std::int64_t m,
                         std::int64_t k, std::int64_t n, const Modulus& modulus) {
  struct alignas(64) Line {
    std::int64_t of[panel_columns];
  };
  const Constants numbers = constants(modulus);
  const std::int64_t blocks = (m + block_rows - 1) / block_rows;
  std::vector<std::int32_t> rows(static_cast<std::size_t>(blocks * block_rows * k));
  fill_rows(rows.data(), a, m * k, numbers);
  std::vector<Line> panel(static_cast<std::size_t>(std::max<std::int64_t>(k, 1)));
  for (std::int64_t j = 0; j < n; j += panel_columns) {
    const std::int64_t width = std::min(panel_columns, n - j);
    fill_panel(panel.data()->of, b + j, k, n, width, numbers);
    for (std::int64_t i = 0; i < m; i += block_rows)
      block(acc + i * n + j, n, std::min(block_rows, m - i), width, rows.data() + i * k,
            panel.data()->of, k, numbers);
  }
}

}  // namespace tessera::fields
#else
namespace tessera::fields {
bool has_avx512() { return false; }
void multiply_add_avx512(Residue*, const Residue*, const Residue*, std::int64_t, std::int64_t,
                         std::int64_t, const Modulus&) {}
}  // namespace tessera::fields
#endif
