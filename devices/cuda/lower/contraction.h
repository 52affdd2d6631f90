// The class of programs that the fast kernels support: one pipeline whose body adds products of two
// windows and, at the last step, stores an elementwise function of the sums.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera::cuda {

// A loop of the grid over [lower, upper); bounds are scalars of the program.
struct GridLoop {
  ValueId index = no_value, lower = no_value, upper = no_value;
};

// A window and its buffer.
struct WindowUse {
  ValueId ref = no_value;
  const Window* op = nullptr;
  const Buffer* buffer = nullptr;
  Shape block;            // sizes of the kept dimensions
  std::vector<int> dims;  // buffer dimensions that are kept
};

// An operand of the product. One dimension of its block runs along the contraction (k_dim), the
// other across (row_dim).
struct ProductOperand {
  WindowUse window;
  int k_dim = 0, row_dim = 0;  // dimensions of the buffer
  std::int64_t rows = 0;       // size of the block across the contraction
  bool k_major = false;        // true if k_dim is the contiguous dimension
};

// A condition of a region. holds: true for the `if` branch, false for `else`.
struct Condition {
  ValueId value = no_value;
  bool holds = true;
  bool operator==(const Condition&) const = default;
};

struct EpilogueStatement {
  StmtId at;
  std::vector<Condition> conditions;  // without the condition for the last step
};

struct Contraction {
  StmtId open;                    // pipeline statement
  std::vector<GridLoop> loops;    // parallel loops
  std::optional<GridLoop> steps;  // loop over the contraction; none if it is one step
  ProductOperand left, right;     // out[rows of left, rows of right]
  ValueId sums = no_value;        // accumulator tile
  std::vector<Condition> active;  // conditions for a step to multiply
  ValueId k_start = no_value,
          k_size = no_value;  // part of the block that is multiplied; none: all
  // Rows of left that are multiplied and stored; none: all. A kernel may multiply all rows.
  ValueId row_start = no_value, row_size = no_value;
  std::int64_t k = 0;      // size of the block along the contraction
  std::int64_t depth = 0;  // stages
  WindowUse result;
  std::vector<EpilogueStatement> epilogue;
};

// True if two scalars are provably equal: the same value, equal constants, or differences of equal
// scalars.
bool same_number(const Program& program, ValueId a, ValueId b);

// Recognises the program as a contraction; the result points into the program. Fails with
// ErrorCode::unsupported, with the reason and its place, if it is none.
Expected<Contraction> recognise(const Program& program);

}  // namespace tessera::cuda
