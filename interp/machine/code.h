// A program as the dispatch loop runs it: a dense array of instructions on a file of 64-bit
// registers, one for each value. Regions are jumps; what is not scalar or control calls the op's
// exec().
#pragma once
#include <cstdint>
#include <optional>
#include <variant>
#include <vector>

#include "core/program/program.h"
#include "core/report/expected.h"
#include "interp/machine/untraced_scalars.h"

namespace tessera {

// Scalar ops and calls of exec() have the op's own number; these are the rest.
enum class Jump : std::uint16_t {
  always = std::variant_size_v<Op>,  // to c
  if_zero,                           // to c when register a is 0
  for_enter,                         // dst = a; to c when a >= b
  for_next,                          // ++dst; to c while dst < b
  while_enter,                       // dst = 0
  while_next,                        // ++dst; to c
  // A parallel loop tells observers of each point; aux is the register that counts points (and the
  // next one entries).
  points_enter,
  points_next,
  look,  // something that only debug statements which show need, or one of these
  ask,   // memory that only an assertion needs: read in no step of its own
  // One number (indices a, b and c, as many as the buffer has) of the buffer of index aux, in no
  // step of its own where it is defined (untraced_scalars.h). Of a store the value is register dst.
  load_number,
  store_number,
  // Private scalar memory: one element (index a) of the buffer of index aux, or a search in the
  // whole of it.
  load_cell,
  store_cell,  // the value is register b
  search_cells,
  finish
};

struct Instruction {
  std::uint16_t code = 0;
  bool is_dealt = false;  // a parallel loop: its points are for loop workers, where there are some
  std::int32_t dst = 0, a = 0, b = 0, c = 0, aux = 0;
};

struct Code {
  std::vector<Instruction> instructions;
  std::vector<StmtId> statement;  // of each instruction
  // As they are at the start: constants. Behind those of values are those of instructions alone.
  Table<ValueId, std::int64_t> registers;
  std::optional<std::uint64_t> order;  // of the points of parallel loops; ascending without
  Table<BufferId, bool> is_private;    // loads and stores of the buffer are scalar ops
  Table<BufferId, bool> is_told;       // loads of numbers are told later; empty: there are none
};

// An f32 in a register.
std::int64_t to_register(float value);
float real_register(std::int64_t bits);

// Programs with a pipeline, a view or another op that `expand` removes give an error.
// sees_private: observers also see loads and stores of private buffers. untraced: scalar accesses
// that are no steps; may be null.
Expected<Code> compile(const Program& program, std::optional<std::uint64_t> order,
                       bool sees_private = false, const UntracedScalars* untraced = nullptr);

}  // namespace tessera
