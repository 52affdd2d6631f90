// A program with one of its synchronising ops changed: what an author could have got wrong. Used to
// ask whether a proof would have noticed.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/program/program.h"

namespace tessera {

enum class Mutation : std::uint8_t {
  remove,        // the op is not there
  more,          // a count or a number of bytes is 1 higher
  less,          // ... or 1 lower
  other_device,  // the device after the one that is meant
  other_core,    // the core after the one that is named
  other_cell,    // the next semaphore of the array
  other_slot,    // the next slot of a buffer: the first dimension of which the op takes one index
  swapped        // a remote copy's two semaphores for each other
};
std::string_view name(Mutation mutation);

struct Mutant {
  Mutation mutation = Mutation::remove;
  StmtId statement;   // of the program it is made from
  std::string field;  // which slice or value of the op changes; empty: all of it
};

// Every mutant of an expanded program, in the order of its statements.
std::vector<Mutant> mutants(const Program& expanded);
// `expanded` with that change; its places stay those of the source.
Program mutated(const Program& expanded, const Mutant& mutant);

}  // namespace tessera
