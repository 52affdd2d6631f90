// How a kernel uses the machine beside its tiles: what changes its speed and never its results.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

// Two neighbouring blocks take neighbouring tiles and fetch the operand that these have in common
// once for both: pairs along the rows of the result share the right operand, pairs along its
// columns the left one.
enum class Pairing : std::uint8_t { none, rows, columns };

// What the L2 cache does with an operand's lines.
enum class Eviction : std::uint8_t { normal, first, last };

struct MachineHints {
  Pairing pairing = Pairing::none;
  bool alternate =
      false;             // the consumers take whole tiles in turn: while one stores, one multiplies
  bool dynamic = false;  // a block takes its next tile when it is done, not every so-many-th
  int band = 8;          // rows of tiles that are walked together
  Eviction left = Eviction::normal, right = Eviction::normal;  // of the program's product

  bool operator==(const MachineHints&) const = default;
};

constexpr std::string_view name(Pairing pairing) {
  return pairing == Pairing::rows ? "rows" : pairing == Pairing::columns ? "columns" : "none";
}
constexpr std::string_view name(Eviction eviction) {
  return eviction == Eviction::first ? "first" : eviction == Eviction::last ? "last" : "normal";
}

// "pairs along the rows, consumers in turn": what is not the default; empty when nothing is.
std::string hints_text(const MachineHints& hints);

}  // namespace tessera
