// Hints for a kernel in addition to its tiles. They change its speed and never its results.
#pragma once  // public
#include <cstdint>
#include <string>
#include <string_view>

namespace tessera {

// Cluster multicast: a cluster of two CTAs computes neighbouring tiles and loads their common
// operand once. Pairs along the rows of the result share the right operand, pairs along its columns
// share the left operand.
enum class Pairing : std::uint8_t { none, rows, columns };

// Eviction of an operand's lines from the L2 cache: as usual, first, or last.
enum class Eviction : std::uint8_t { normal, first, last };

// Hints for a GPU kernel. A device rejects a hint that it does not support.
struct MachineHints {
  Pairing pairing = Pairing::none;  // CTAs that form a cluster
  bool alternate = false;  // ping-pong consumers: one warp group multiplies while the other stores
  // True: dynamic tile scheduler, each CTA acquires the next tile when it is free. False: static
  // scheduler, CTA i computes the tiles i, i + CTAs, ...
  bool dynamic = false;
  int band = 8;  // rasterization: rows of tiles that are traversed column by column, for L2 reuse
  Eviction left = Eviction::normal, right = Eviction::normal;  // per operand

  bool operator==(const MachineHints&) const = default;
};

// Return the enumerator's name.
constexpr std::string_view name(Pairing pairing) {
  return pairing == Pairing::rows ? "rows" : pairing == Pairing::columns ? "columns" : "none";
}
constexpr std::string_view name(Eviction eviction) {
  return eviction == Eviction::first ? "first" : eviction == Eviction::last ? "last" : "normal";
}

// Returns the hints that differ from the defaults: "pairs along the rows, consumers in turn". Empty
// if there are none.
std::string hints_text(const MachineHints& hints);

}  // namespace tessera
