// What the ops on tiles that are not elementwise make of a tile: the language and the rules ask
// here.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/program/op.h"

namespace tessera {

enum class Reshape : std::uint8_t {
  none,      // elementwise, a product, or no op on tiles
  permuted,  // the dimensions in another order
  reduced    // one dimension has size 1
};

Reshape reshape_of(const Op& op);
// Whether it takes tiles of two dimensions alone.
bool takes_matrix(const Op& op);
// Whether it takes integers alone: bits and quotients. Its value has their type.
bool computes_integers(const Op& op);
// The dimension that a reduction leaves with size 1.
std::optional<std::int64_t> reduced_dimension(const Op& op);

// The order of a permuting op as its field has it: the source's dimension for each of the result's.
// Of a source of that rank; empty for what is no permutation.
std::vector<int> permutation(const Op& op, int rank);
std::int64_t permutation_field(const std::vector<int>& order);

}  // namespace tessera
