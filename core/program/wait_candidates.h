// Proposes waits for a copy without a wait. Their text is composed from the copy's `start`, from
// other waits for the same semaphore, and from the access that comes too early. The caller must
// test the candidates.
#pragma once
#include <string>
#include <vector>

#include "core/lang/language.h"

namespace tessera {

// A wait statement that may be missing.
struct WaitCandidate {
  int before_line = 0;  // line of the module's text before which it belongs, from 1
  std::string text;     // "wait arrived[now] for buffer[now]"
};

// Returns waits for the bytes of the copy that starts at `start`, most likely first: before the
// statements that contain the early accesses, then at the ends of the blocks around the start.
// Empty if no copy of the module's text starts at exactly this location. of_source: name the source
// in the wait instead of the destination, and for a remote copy the semaphore that counts the bytes
// read. lines: lines of the early accesses, from 1.
std::vector<WaitCandidate> wait_candidates(const Module& module, const Loc& start, bool of_source,
                                           const std::vector<int>& lines);

// Returns the text of the module with the wait inserted on its own line, without indentation,
// before wait.before_line; at the end if there is no such line.
std::string with_wait(const Module& module, const WaitCandidate& wait);

}  // namespace tessera
