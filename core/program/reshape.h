// Tile ops that are not elementwise: properties used by the language and the verifier.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/program/op.h"

namespace tessera {

enum class Reshape : std::uint8_t {
  none,      // elementwise, a product, or not a tile op
  permuted,  // dimensions in another order
  reduced    // one dimension reduced to size 1
};

// Returns the effect of the op on the dimensions of its source.
Reshape reshape_of(const Op& op);
// True if the op requires tiles of two dimensions.
bool takes_matrix(const Op& op);
// True if the op requires integers: bit operations, mod, quotients and remainders. The result has
// their type.
bool computes_integers(const Op& op);
// Returns the dimension, from 0, that a reduction reduces to size 1; none for other ops. It is not
// checked against the rank.
std::optional<std::int64_t> reduced_dimension(const Op& op);

// Returns the dimension order of a Transpose or Permute: order[d] is the source dimension of result
// dimension d. rank: rank of the source; a Transpose is {1, 0} for any rank. Empty if the op's
// field is not a permutation of `rank` dimensions. `op` must be one of the two
// (std::bad_variant_access).
std::vector<int> permutation(const Op& op, int rank);
// Returns the encoding of the order, of at most ten dimensions, in the field Permute::order.
std::int64_t permutation_field(const std::vector<int>& order);

}  // namespace tessera
