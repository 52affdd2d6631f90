// The class of programs that the fast kernels compute: one pipeline whose body adds products of two
// windows and, at the last step, stores an elementwise function of the sums.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"

namespace tessera::cuda {

// A loop of the grid; bounds are scalars of the program.
struct GridLoop {
  ValueId index = no_value, lower = no_value, upper = no_value;
};

// A window and what it moves over.
struct WindowUse {
  ValueId ref = no_value;
  const Window* op = nullptr;
  const Buffer* buffer = nullptr;
  Shape block;            // of its kept dimensions
  std::vector<int> dims;  // those dimensions of the buffer
};

// An operand of the product: which dimension of its buffer runs along the contraction, which
// across.
struct ProductOperand {
  WindowUse window;
  int k_dim = 0, row_dim = 0;  // of the buffer
  std::int64_t rows = 0;       // of the block, across
  bool k_major = false;        // the contraction's dimension is the contiguous one
};

// A region's condition and whether it must hold or fail.
struct Condition {
  ValueId value = no_value;
  bool holds = true;
  bool operator==(const Condition&) const = default;
};

struct EpilogueStatement {
  StmtId at;
  std::vector<Condition> conditions;  // without the one that says "last step"
};

struct Contraction {
  StmtId open;                    // the pipeline's
  std::vector<GridLoop> loops;    // parallel ones
  std::optional<GridLoop> steps;  // the contraction's, if it is not done in one step
  ProductOperand left, right;     // out[left's rows, right's rows]
  ValueId sums = no_value;        // the accumulator tile
  std::vector<Condition> active;  // when a step multiplies
  ValueId k_start = no_value,
          k_size = no_value;  // the part of the block that is multiplied, or the whole
  // The part of left's rows that is multiplied, and stored; or the whole. A kernel may multiply
  // all.
  ValueId row_start = no_value, row_size = no_value;
  std::int64_t k = 0;      // of the block
  std::int64_t depth = 0;  // stages
  WindowUse result;
  std::vector<EpilogueStatement> epilogue;
};

// Two scalars that say the same number: one value, equal constants, or the same difference.
bool same_number(const Program& program, ValueId a, ValueId b);

// The program as a contraction, or why it is none (ErrorCode::unsupported).
Expected<Contraction> recognise(const Program& program);

}  // namespace tessera::cuda
