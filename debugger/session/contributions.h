// Analysis of a sum by its provenance: its products, and the number of times that parts of operands
// are factors.
#pragma once
#include <cstdint>
#include <vector>

#include "debugger/session/provenance.h"

namespace tessera {

// Number of times that the elements of an operand, along one dimension, are factors of the sum in a
// piece.
struct Contribution {
  CoreIndex owner{};
  BufferId buffer{};
  Box box{};      // all contributing elements, and the whole dimension `along`
  int along = 0;  // dimension in which the factors differ
  struct Stretch {
    std::int64_t begin = 0, end = 0, times = 0;  // indices in the dimension; without end
  };
  std::vector<Stretch> stretches{};  // in ascending order; together they cover the dimension
};
// Returns the indices in found.pieces of the matrix products of which a piece is the sum, in their
// order, without the initial value. Copies, casts and additions are followed; products before any
// other op are not included. A product may occur more than once. piece: index in found.pieces.
std::vector<std::size_t> products(const Program& program, const Provenance& found,
                                  std::size_t piece);
// Returns the contributions of those operands of the products that vary along exactly one
// dimension: their boxes differ there or have more than one element. Sorted by buffer and owner.
// products: the result of products().
std::vector<Contribution> contributions(const Program& program, const Provenance& found,
                                        const std::vector<std::size_t>& products);

}  // namespace tessera
