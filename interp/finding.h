// What a run found wrong with the program: data, never an exception.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/diag.h"
#include "interp/loop_indices.h"

namespace tessera {

enum class FindingKind : std::uint8_t {
  race,
  deadlock,
  out_of_bounds,
  uninitialised_read,
  never_written,
  capacity,
  lifetime,
  semaphore_leak,
  semaphore_overflow,
  unwaited_dma,
  revisit,
  mismatch,
  unsupported
};

std::string_view name(FindingKind kind);  // "out_of_bounds"

// Who did or waits for what, and where it is written.
struct FindingPlace {
  Loc loc{};
  std::string message{};
  int device = -1;
  std::string agent{};   // "dev0.core0", "dev0.core0/dma#3"; empty: nobody in particular
  LoopIndices loops{};   // where in its loops; of a copy: where it was started
  bool is_last = false;  // of several times, which the message counts: the loops are the last one's
};

struct Finding {
  FindingKind kind;
  std::string message{};  // names the values: "read of a[0:128, 64:192] leaves ..."
  FindingPlace at{};
  std::vector<FindingPlace> notes{};  // call chain, origins, the other access, who waits for what
};

// The message with the place in the loops: "..., at i=0 j=1 s=3".
std::string message_text(const FindingPlace& place, std::string_view message);

// "file:line:col: kind: text", source line and caret, then the notes.
std::string render(const Finding& finding);

}  // namespace tessera
