// The waits that a program's text could have for a copy that is not waited for: in the words that
// the text uses at its start, at other waits for the same semaphore, and at the access that comes
// too early. Whether one of them would do is for others to try.
#pragma once
#include <string>
#include <vector>

#include "core/lang/language.h"

namespace tessera {

struct WaitCandidate {
  int before_line = 0;
  std::string text;  // "wait arrived[now] for buffer[now]"
};

// For the bytes of the copy that starts at `start` (of a remote one with `of_source`: those that it
// has read), most likely first: before the `lines` of the accesses that come too early, then at the
// ends of the blocks around the start.
std::vector<WaitCandidate> wait_candidates(const Module& module, const Loc& start, bool of_source,
                                           const std::vector<int>& lines);

// The text of the module with the wait in a line of its own.
std::string with_wait(const Module& module, const WaitCandidate& wait);

}  // namespace tessera
