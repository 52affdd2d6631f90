// The command `diff`.
#include <fmt/format.h>

#include <ostream>

#include "core/report/try.h"
#include "debugger/commands/debugger.h"

namespace tessera::debugger {

Expected<void> Debugger::diff(const Words& words) {
  if (words.empty())
    return error(
        "expected the options of the other run, as in diff --schedule random:1, or its program, as "
        "in diff other.tsr");
  if (!compare_)
    return error(
        ErrorCode::unsupported,
        "the debugger was not started from a command line, so there is no program to compare with");
  if (is_by_hand_)
    return error(
        "this run's schedule was made by hand; save it with `schedule FILE`, and use gmm-run diff "
        "with --schedule replay:FILE");
  const Compared compared = TRY(compare_(words));
  out_ << compared.lines;
  if (compared.first_event)
    out_ << fmt::format("goto {} is before the first difference in A, which is this run\n",
                        *compared.first_event);
  return {};
}

}  // namespace tessera::debugger
