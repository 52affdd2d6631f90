// Where the elements of a rectangle come from: who wrote them last, from which operands, and so on
// back to operands of the program. The way back is one walk from the place to the beginning,
// stretch by stretch; of each stretch the accesses are known while it is looked at.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "core/report/expected.h"
#include "debugger/session/session.h"

namespace tessera {

// Elements of a buffer between two steps.
struct Elements {
  CoreIndex owner{};  // where the buffer is kept
  BufferId buffer{};
  Box box{};
};

// A rectangle and what made it what it is.
struct Piece {
  enum class From : std::uint8_t {
    operand,    // the program was given it
    undefined,  // nothing has written it; event: where it became so, or -1
    op,         // a core computed it from `from`
    sum,        // a core or a copy added to what it was
    copy,       // a copy carried it
    not_asked   // the search has an end before it
  };
  Elements elements;
  From kind = From::not_asked;
  std::int64_t event = -1;  // in which it was written
  AgentId agent{};
  StmtId statement;
  LoopIndices loops{};
  // Positions in the list of pieces: of what it was computed from, or brought from.
  std::vector<std::size_t> from{};    // by operand
  std::vector<std::size_t> before{};  // sum: of what was added to
  std::size_t operand = 0;            // of what asked for it: which one it is a part of, from 0
};

struct Provenance {
  std::vector<Piece> pieces;       // each before those it comes from
  std::vector<std::size_t> asked;  // those that together are the rectangle
  bool is_complete = true;         // false: there were too many pieces
};

// Of a rectangle as it is where the session stands, which stands there again afterwards. When there
// are `most` pieces, what was written earliest is not followed further.
Expected<Provenance> provenance(Session& session, const Elements& elements,
                                std::size_t most = 1 << 14);

}  // namespace tessera
