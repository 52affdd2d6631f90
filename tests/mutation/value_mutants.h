// A program with one of its ops on values changed: what an author could have got wrong, and no
// proof about schedules would notice. Used to ask whether a comparison does.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"

namespace tessera::fields {

enum class ValueMutation : std::uint8_t {
  removed,        // the op is not there
  replaced,       // = for +=: of a sum, a product that is added, a copy that adds
  turned,         // a subtraction for an addition, a minimum for a maximum
  negated,        // first() or last() holds where it does not
  always,         // ... in every turn
  a_turn_later,   // ... one turn later
  other_end,      // last() for first(), or first() for last()
  swapped,        // the two operands for each other
  other_operand,  // another memory of the same type and shape for an operand or the target
  transposed,     // an operand of a product
  at_zero,        // an index of a slice is 0
  one_on,         // ... or one more
  other_slot      // ... or that of the next slot: of a dimension of which the op takes one index
};
std::string_view name(ValueMutation mutation);

struct ValueMutant {
  ValueMutation mutation = ValueMutation::removed;
  StmtId statement;           // of the program it is made from
  std::size_t field = 0;      // of its op, that changes
  std::size_t dimension = 0;  // of a slice
};

// Every mutant of an expanded program, in the order of its statements.
std::vector<ValueMutant> value_mutants(const Program& expanded);
// Which field changes, as "a" or "a[1]"; empty: the op as a whole.
std::string place(const Program& expanded, const ValueMutant& mutant);
// `expanded` with that change; its places stay those of the source.
Program mutated(const Program& expanded, const ValueMutant& mutant);

}  // namespace tessera::fields
