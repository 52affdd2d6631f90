// Provenance of the elements of a rectangle: their last writes, the operands of these writes, and
// so on back to operands of the program. The search walks once from the current step back to the
// beginning, segment by segment. The accesses are only recorded for the segment being searched.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "debugger/session/session.h"

namespace tessera {

// Elements of a buffer between two steps.
struct Elements {
  CoreIndex owner{};  // owner of the buffer
  BufferId buffer{};
  Box box{};
};

// A rectangle and the origin of its values.
struct Piece {
  enum class From : std::uint8_t {
    operand,    // operand of the program
    undefined,  // not written; event: the step that made it undefined, or -1
    op,         // computed by a core from `from`
    sum,        // a core or a copy added to its earlier value
    copy,       // written by a copy
    not_asked   // the search ended before it: too many pieces
  };
  Elements elements;
  From kind = From::not_asked;
  std::int64_t event = -1;  // number of the step that wrote it, from 0; -1: none
  AgentId agent{};
  StmtId statement;
  LoopIndices loops{};
  // Indices into Provenance::pieces. from: the operands, or the copy's source; sorted by operand.
  // before: the earlier value, for a sum.
  std::vector<std::size_t> from{};
  std::vector<std::size_t> before{};
  std::size_t operand = 0;  // index of the operand to which it belongs
};

struct Provenance {
  std::vector<Piece> pieces;       // each before the pieces that it depends on
  std::vector<std::size_t> asked;  // pieces that together are the rectangle
  bool is_complete = true;         // false if there were too many pieces
};

// Returns the provenance of a rectangle at the session's position. The position is restored
// afterwards unless the call fails. After `most` pieces, the earliest writes are not followed
// further. Session::printed() then returns nothing. Fails like Session::go_to().
Expected<Provenance> provenance(Session& session, const Elements& elements,
                                std::size_t most = 1 << 14);

}  // namespace tessera
