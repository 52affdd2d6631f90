#include "analysis/equality/residues.h"

#include <fmt/format.h>

#include <cmath>
#include <string>

#include "core/data/splitmix.h"

namespace tessera::fields {
namespace {

// Miller-Rabin test. These bases decide all n below 2^32.
bool is_prime(std::uint32_t n) {
  if (n % 2 == 0) return n == 2;
  const Modulus modulus(n);
  std::uint32_t odd = n - 1;
  int twos = 0;
  for (; odd % 2 == 0; odd /= 2) ++twos;
  for (const std::uint32_t base : {2U, 7U, 61U}) {
    Residue x = modulus.power(base % n, odd);
    if (x == 1 || x == n - 1) continue;
    bool is_witness = true;
    for (int i = 1; i < twos && is_witness; ++i) {
      x = modulus.mul(x, x);
      is_witness = x != n - 1;
    }
    if (is_witness) return false;
  }
  return true;
}

Residue literal_in(const Modulus& modulus, std::uint64_t digits, int exponent, bool is_negative) {
  Residue value = modulus.reduce(digits);
  const Residue ten =
      modulus.power(10, static_cast<std::uint64_t>(exponent < 0 ? -exponent : exponent));
  value = modulus.mul(value, exponent < 0 ? modulus.inverse(ten) : ten);
  return is_negative ? modulus.sub(0, value) : value;
}

}  // namespace

Residue Modulus::power(Residue base, std::uint64_t exponent) const {
  Residue result = 1;
  for (; exponent != 0; exponent /= 2) {
    if (exponent % 2 != 0) result = mul(result, base);
    base = mul(base, base);
  }
  return result;
}

std::uint64_t Draw::rank(Residue element) const {
  constexpr int bits = 61;  // place within a level
  const std::uint64_t place = SplitMix::mix(element + SplitMix::mix(~order)) >> (64 - bits);
  std::uint64_t level = 2;
  if (levels != nullptr)
    if (const auto found = levels->find(element); found != levels->end())
      level = static_cast<std::uint64_t>(found->second + 2);
  return place + (level << bits);
}

Number Draw::of(double literal) const {
  if (std::isinf(literal)) {
    const Residue infinity = literal < 0 ? minus_infinity : plus_infinity;
    return {infinity, infinity};
  }
  std::uint64_t digits = 0;
  int exponent = 0;
  bool is_behind_dot = false;
  const std::string text = fmt::format("{}", std::abs(literal));
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == 'e') {
      exponent += std::stoi(text.substr(i + 1));
      break;
    }
    if (text[i] == '.') {
      is_behind_dot = true;
      continue;
    }
    digits = digits * 10 + static_cast<std::uint64_t>(text[i] - '0');
    exponent -= is_behind_dot ? 1 : 0;
  }
  const bool is_negative = std::signbit(literal);
  return {literal_in(p, digits, exponent, is_negative),
          literal_in(q, digits, exponent, is_negative)};
}

Draw draw(std::uint64_t seed) {
  SplitMix random(seed);
  for (;;) {
    constexpr std::uint32_t least = 1U << 29;  // least q; p then has 31 bits
    const auto q = static_cast<std::uint32_t>(least + random.below(least)) | 1U;
    if (!is_prime(q) || !is_prime(2 * q + 1)) continue;
    const Modulus p(2 * q + 1);
    const auto root = static_cast<Residue>(2 + random.below(q));
    const std::uint64_t key = random.next();
    return {p, Modulus(q), p.mul(root, root), key, key};
  }
}

std::uint64_t text_seed(std::string_view text) {
  std::uint64_t seed = text.size();
  for (const char c : text)
    seed = SplitMix::mix(seed * SplitMix::golden + static_cast<unsigned char>(c));
  return seed;
}

}  // namespace tessera::fields
