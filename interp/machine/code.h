// A compiled program for the dispatch loop: a dense array of instructions on 64-bit registers, one
// for each value. Regions become jumps. Ops that are neither scalar nor control call their exec().
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/machine/untraced_scalars.h"

namespace tessera {

// Codes of instructions. Scalar ops and calls of exec() use the number of the op instead.
enum class Jump : std::uint16_t {
  always = std::variant_size_v<Op>,  // to c
  if_zero,                           // to c if register a is 0
  for_enter,                         // dst = a; to c if a >= b
  for_next,                          // ++dst; to c while dst < b
  while_enter,                       // dst = 0
  while_next,                        // ++dst; to c
  // Parallel loop, which reports each iteration to observers. aux: register that counts iterations;
  // the next register counts entries of the loop.
  points_enter,
  points_next,
  look,  // a `print` or `breakpoint`, or an op that only these need
  ask,   // a read that only an assertion needs; not a step
  // Untraced access (untraced_scalars.h) to one element of buffer aux. The indices are a, b and c,
  // as many as the buffer has dimensions. The access is a step only if it cannot be done in place,
  // for example if the element is undefined. A store writes register dst.
  load_number,
  store_number,
  // Private scalar memory: one element (index a) of buffer aux, or a search in the whole buffer.
  load_cell,
  store_cell,  // the value is register b
  search_cells,
  finish
};

struct Instruction {
  std::uint16_t code = 0;
  bool is_dealt = false;  // parallel loop with iterations for loop workers, if there are any
  std::int32_t dst = 0, a = 0, b = 0, c = 0, aux = 0;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<StmtId> statement;  // by instruction
  // Initial values: constants, else 0. Registers of values come first, then registers that only
  // instructions use.
  Table<ValueId, std::int64_t> registers;
  std::optional<std::uint64_t> order;  // seed of the order of iterations; none: ascending
  Table<BufferId, bool> is_private;    // loads and stores of the buffer are scalar ops
  Table<BufferId, bool> is_told;       // loads are reported in batches; empty: no untraced scalars
};

// Conversion between an f32 and a register.
std::int64_t to_register(float value);
float real_register(std::int64_t bits);

// Compiles an expanded program. Fails with ErrorCode::unsupported for pipelines, views and other
// ops that `expand` removes.
// order: seed of the order of iterations of parallel loops; none: ascending.
// sees_private: accesses to private buffers that parallel loops store to are steps, so that
// observers see them.
// untraced: scalar accesses that are not steps; may be null.
Expected<Code> compile(const Program& program, std::optional<std::uint64_t> order,
                       bool sees_private = false, const UntracedScalars* untraced = nullptr);

}  // namespace tessera
