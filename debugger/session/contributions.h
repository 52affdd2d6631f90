// Of a sum that was followed back: its products, and how often parts of operands are factors in it.
#pragma once
#include <cstdint>
#include <vector>

#include "debugger/session/provenance.h"

namespace tessera {

// How often the elements of an operand along one dimension were factors of the sum that a piece is.
struct Contribution {
  CoreIndex owner{};
  BufferId buffer{};
  Box box{};      // around all of it, without the dimension
  int along = 0;  // the dimension
  struct Stretch {
    std::int64_t begin = 0, end = 0, times = 0;
  };
  std::vector<Stretch> stretches{};  // together the dimension, ascending
};
// The products that a piece is the sum of, the first one first; what they were added to is left
// out.
std::vector<std::size_t> products(const Program& program, const Provenance& found,
                                  std::size_t piece);
// Of the operands of these products that differ along one dimension alone.
std::vector<Contribution> contributions(const Program& program, const Provenance& found,
                                        const std::vector<std::size_t>& products);

}  // namespace tessera
