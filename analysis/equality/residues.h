// Numbers of a run over a field: residues modulo a random prime p, and in addition modulo the prime
// q = (p - 1) / 2, for arguments of exponentials.
#pragma once
#include <cstdint>
#include <memory>
#include <string_view>
#include <unordered_map>

#include "core/data/splitmix.h"

namespace tessera::fields {

using Residue = std::uint32_t;                        // in [0, modulus), or one of the next three
inline constexpr Residue as_in_machine = 0xFFFFFFFD;  // the integer in the machine's memory
inline constexpr Residue plus_infinity = 0xFFFFFFFE;
inline constexpr Residue minus_infinity = 0xFFFFFFFF;
inline bool is_finite(Residue residue) { return residue < (Residue{1} << 31); }

// A prime below 2^31, and arithmetic on residues, which must be less than it.
class Modulus {
 public:
  explicit Modulus(std::uint32_t prime) : prime_(prime), inverse_(~std::uint64_t{0} / prime) {}
  std::uint32_t prime() const { return prime_; }

  // Return the residue of an integer.
  Residue reduce(std::uint64_t x) const {
    const auto quotient =
        static_cast<std::uint64_t>((static_cast<unsigned __int128>(x) * inverse_) >> 64);
    std::uint64_t rest = x - quotient * prime_;
    while (rest >= prime_) rest -= prime_;
    return static_cast<Residue>(rest);
  }
  Residue of(std::int64_t x) const {
    const std::int64_t rest = x % static_cast<std::int64_t>(prime_);
    return static_cast<Residue>(rest < 0 ? rest + prime_ : rest);
  }
  Residue add(Residue a, Residue b) const {
    const Residue sum = a + b;
    return sum >= prime_ ? sum - prime_ : sum;
  }
  Residue sub(Residue a, Residue b) const { return a >= b ? a - b : a + prime_ - b; }
  Residue mul(Residue a, Residue b) const { return reduce(std::uint64_t{a} * b); }
  // base^exponent; 1 for exponent 0.
  Residue power(Residue base, std::uint64_t exponent) const;
  Residue inverse(Residue a) const { return power(a, prime_ - 2); }  // a must not be 0
  // Uniform residue from 64 random bits.
  Residue drawn(std::uint64_t bits) const {
    return static_cast<Residue>((static_cast<unsigned __int128>(bits) * prime_) >> 64);
  }

 private:
  std::uint32_t prime_;
  std::uint64_t inverse_;
};

// Value in both fields.
struct Number {
  Residue p = 0, q = 0;
  bool operator==(const Number&) const = default;
};

class Comparisons;
// Levels of values in an order, from -2 to 2; other values have level 0. Each value of a level is
// above all values of the levels below.
using Levels = std::unordered_map<Residue, int>;

// Random choices of one draw: the primes, an element of order q modulo p, and the key of the
// unknown functions.
struct Draw {
  Modulus p, q;
  Residue generator = 0;
  std::uint64_t key = 0;
  // Order of max and min: its key, the levels of values (may be null), and an object that notes the
  // compared operands (may be null).
  std::uint64_t order = 0;
  std::shared_ptr<const Levels> levels{};
  Comparisons* comparisons = nullptr;

  // Returns the value of an unknown function at an argument. tag: identifies the function.
  Number unknown(std::uint64_t tag, std::uint64_t argument) const {
    const std::uint64_t bits =
        SplitMix::mix(argument + SplitMix::mix(key + SplitMix::golden * (tag + 1)));
    return {p.drawn(bits), q.drawn(SplitMix::mix(bits + SplitMix::golden))};
  }
  // Returns the position of a finite element in the random order of max and min: the largest one
  // has the highest.
  std::uint64_t rank(Residue element) const;
  Number of(std::int64_t integer) const { return {p.of(integer), q.of(integer)}; }
  // Returns the rational number of the shortest decimal of a literal: 1/10 for 0.1. An infinity
  // stays one. literal: not a NaN.
  Number of(double literal) const;
};

// Returns a draw with a random p of 31 bits for which q = (p - 1) / 2 is prime as well; equal for
// equal seeds.
Draw draw(std::uint64_t seed);

// Hash of a text, the same on every machine.
std::uint64_t text_seed(std::string_view text);

}  // namespace tessera::fields
