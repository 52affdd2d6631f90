// Residues are centred around 0, |x| <= 2^30. Seven of their products fit into 64 bits with a sign,
// so sums are reduced once in five steps of k, and only to 61 bits.
#include "analysis/equality/product.h"

#include "analysis/equality/product_avx512.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include <algorithm>
#include <vector>

namespace tessera::fields {
namespace {

constexpr std::int64_t between_reductions = 5;

std::int32_t centred(Residue x, std::uint32_t prime) {
  return x > prime / 2 ? static_cast<std::int32_t>(static_cast<std::int64_t>(x) - prime)
                       : static_cast<std::int32_t>(x);
}

// Returns an equal number modulo the prime, at most 2^61 + 2^32 in size.
std::int64_t reduced(std::int64_t sum, std::int32_t carry) {
  const auto low = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) & 0xFFFFFFFF);
  return (sum >> 32) * carry + low;
}

// Residue of a reduced sum, which is smaller than p * 2^32.
Residue in_range(std::int64_t sum, const Modulus& modulus) {
  return modulus.reduce(static_cast<std::uint64_t>(sum) + (std::uint64_t{modulus.prime()} << 32));
}

// sums[j] = a[0 .. k) . panel[0 .. k)[j] for one row and a panel of columns.
void row_times_panel(std::int64_t* sums, const std::int32_t* a, const std::int64_t* panel,
                     std::int64_t k, std::int32_t carry) {
  std::fill_n(sums, panel_columns, 0);
  for (std::int64_t begin = 0; begin < k; begin += between_reductions) {
    const std::int64_t end = std::min(k, begin + between_reductions);
    for (std::int64_t s = begin; s < end; ++s)
      for (std::int64_t j = 0; j < panel_columns; ++j)
        sums[j] += a[s] * panel[s * panel_columns + j];
    for (std::int64_t j = 0; j < panel_columns; ++j) sums[j] = reduced(sums[j], carry);
  }
}

#if defined(__x86_64__)
// Two rows in one pass.
[[gnu::target("avx2")]] void rows_times_panel(std::int64_t* sums, const std::int32_t* a,
                                              std::int64_t row, const std::int64_t* panel,
                                              std::int64_t k, std::int32_t carry) {
  __m256i acc[2][4];
  for (auto& side : acc)
    for (auto& sum : side) sum = _mm256_setzero_si256();
  const __m256i low = _mm256_set1_epi64x(0xFFFFFFFF), carries = _mm256_set1_epi64x(carry);
  for (std::int64_t begin = 0; begin < k; begin += between_reductions) {
    const std::int64_t end = std::min(k, begin + between_reductions);
    for (std::int64_t s = begin; s < end; ++s) {
      const auto* line = reinterpret_cast<const __m256i*>(panel + s * panel_columns);
      const __m256i x = _mm256_set1_epi64x(a[s]), y = _mm256_set1_epi64x(a[row + s]);
      for (int j = 0; j < 4; ++j) {
        const __m256i b = _mm256_loadu_si256(line + j);
        acc[0][j] = _mm256_add_epi64(acc[0][j], _mm256_mul_epi32(x, b));
        acc[1][j] = _mm256_add_epi64(acc[1][j], _mm256_mul_epi32(y, b));
      }
    }
    for (auto& side : acc)
      for (auto& sum : side)
        sum = _mm256_add_epi64(_mm256_mul_epi32(_mm256_srli_epi64(sum, 32), carries),
                               _mm256_and_si256(sum, low));
  }
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 4; ++j)
      _mm256_storeu_si256(reinterpret_cast<__m256i*>(sums + i * panel_columns + j * 4), acc[i][j]);
}

bool has_avx2() { return __builtin_cpu_supports("avx2") != 0; }
#else
void rows_times_panel(std::int64_t*, const std::int32_t*, std::int64_t, const std::int64_t*,
                      std::int64_t, std::int32_t) {}
bool has_avx2() { return false; }
#endif

}  // namespace

bool is_here(Lanes lanes) {
  if (lanes == Lanes::avx512) return has_avx512();
  return lanes == Lanes::one || has_avx2();
}

Lanes max_lanes() {
  static const Lanes most = is_here(Lanes::avx512) ? Lanes::avx512
                            : is_here(Lanes::avx2) ? Lanes::avx2
                                                   : Lanes::one;
  return most;
}

void multiply_add(Residue* acc, const Residue* a, const Residue* b, std::int64_t m, std::int64_t k,
                  std::int64_t n, const Modulus& modulus, Lanes lanes) {
  if (lanes == Lanes::avx512) return multiply_add_avx512(acc, a, b, m, k, n, modulus);
  const bool wide = lanes == Lanes::avx2;
  const std::uint32_t prime = modulus.prime();
  const std::int32_t carry = centred(modulus.reduce(std::uint64_t{1} << 32), prime);
  std::vector<std::int32_t> rows(static_cast<std::size_t>(m * k));
  for (std::size_t i = 0; i < rows.size(); ++i) rows[i] = centred(a[i], prime);
  std::vector<std::int64_t> panel(static_cast<std::size_t>(k * panel_columns));
  std::int64_t sums[2 * panel_columns];
  for (std::int64_t first = 0; first < n; first += panel_columns) {
    const std::int64_t width = std::min(panel_columns, n - first);
    for (std::int64_t s = 0; s < k; ++s)
      for (std::int64_t j = 0; j < panel_columns; ++j)
        panel[static_cast<std::size_t>(s * panel_columns + j)] =
            j < width ? centred(b[s * n + first + j], prime) : 0;
    for (std::int64_t i = 0; i < m;) {
      const std::int64_t count = wide && i + 1 < m ? 2 : 1;
      if (count == 2)
        rows_times_panel(sums, rows.data() + i * k, k, panel.data(), k, carry);
      else
        row_times_panel(sums, rows.data() + i * k, panel.data(), k, carry);
      for (std::int64_t r = 0; r < count; ++r)
        for (std::int64_t j = 0; j < width; ++j) {
          Residue& out = acc[(i + r) * n + first + j];
          out = modulus.add(out, in_range(sums[r * panel_columns + j], modulus));
        }
      i += count;
    }
  }
}

}  // namespace tessera::fields
