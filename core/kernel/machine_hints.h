// How a kernel uses the machine beside its tiles: what changes its speed and never its results.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

// Cluster multicast: a cluster of two CTAs computes neighbouring tiles and loads the operand that
// both need once for both. Pairs along the rows of the result share the right operand, pairs along
// its columns the left one.
enum class Pairing : std::uint8_t { none, rows, columns };

// What the L2 cache does with an operand's lines: evicts them as usual, first, or last.
enum class Eviction : std::uint8_t { normal, first, last };

// Hints to a GPU's kernel; a device that does not know one refuses it.
struct MachineHints {
  Pairing pairing = Pairing::none;  // which CTAs form a cluster
  bool alternate = false;  // ping-pong consumers: one warp group multiplies while the other stores
  // Dynamic tile scheduler: a CTA takes the next tile when it is free. Else a static one: CTA i
  // takes the tiles i, i + CTAs, ...
  bool dynamic = false;
  int band = 8;  // rasterization: rows of tiles whose columns are walked together, for L2 reuse
  Eviction left = Eviction::normal, right = Eviction::normal;  // of each operand

  bool operator==(const MachineHints&) const = default;
};

// The enumerator's name.
constexpr std::string_view name(Pairing pairing) {
  return pairing == Pairing::rows ? "rows" : pairing == Pairing::columns ? "columns" : "none";
}
constexpr std::string_view name(Eviction eviction) {
  return eviction == Eviction::first ? "first" : eviction == Eviction::last ? "last" : "normal";
}

// "pairs along the rows, consumers in turn": what is not the default; empty when nothing is.
std::string hints_text(const MachineHints& hints);

}  // namespace tessera
