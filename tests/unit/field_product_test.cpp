// Matrix products over the finite field, with each instruction set of this CPU, compared with sums
// of single products. Residues at both ends of the range give the largest possible sums.
#include <gtest/gtest.h>

#include "analysis/equality/product.h"

namespace tessera::fields {
namespace {

struct Problem {
  std::int64_t m, k, n;
};

std::vector<Residue> drawn(std::int64_t count, const Modulus& modulus, SplitMix& random, int kind) {
  std::vector<Residue> values(static_cast<std::size_t>(count));
  for (Residue& value : values) {
    value = modulus.drawn(random.next());
    if (kind == 1) value = modulus.prime() / 2 + static_cast<Residue>(random.below(2));
    if (kind == 2) value = modulus.prime() - 1;
  }
  return values;
}

void expect_sums(Lanes lanes, const Problem& problem, const Modulus& modulus, int kind) {
  const auto [m, k, n] = problem;
  SplitMix random(static_cast<std::uint64_t>(m * 1000 + k * 10 + n));
  const std::vector<Residue> a = drawn(m * k, modulus, random, kind);
  const std::vector<Residue> b = drawn(k * n, modulus, random, kind);
  std::vector<Residue> acc = drawn(m * n, modulus, random, kind), expected = acc;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j)
      for (std::int64_t s = 0; s < k; ++s) {
        Residue& sum = expected[static_cast<std::size_t>(i * n + j)];
        sum = modulus.add(sum, modulus.mul(a[static_cast<std::size_t>(i * k + s)],
                                           b[static_cast<std::size_t>(s * n + j)]));
      }
  multiply_add(acc.data(), a.data(), b.data(), m, k, n, modulus, lanes);
  EXPECT_EQ(acc, expected) << m << ", " << k << ", " << n << " modulo " << modulus.prime()
                           << ", kind " << kind;
}

TEST(FieldProduct, EachKindOfInstructionsGivesTheSameSums) {
  for (const Lanes lanes : {Lanes::one, Lanes::avx2, Lanes::avx512}) {
    if (!is_here(lanes)) continue;
    for (std::uint64_t seed = 0; seed < 4; ++seed) {
      const Draw of = draw(seed);
      for (const Modulus& modulus : {of.p, of.q})
        for (const Problem& problem :
             {Problem{1, 1, 1}, Problem{4, 7, 16}, Problem{5, 8, 17}, Problem{3, 700, 15},
              Problem{8, 0, 8}, Problem{2, 15, 33}, Problem{9, 64, 5}})
          for (const int kind : {0, 1, 2}) expect_sums(lanes, problem, modulus, kind);
    }
  }
}

}  // namespace
}  // namespace tessera::fields
