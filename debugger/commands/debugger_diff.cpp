// The command `diff`.
#include <fmt/format.h>

#include <ostream>

#include "core/report/try.h"
#include "debugger/commands/debugger.h"

namespace tessera::debugger {

Expected<void> Debugger::diff(const Words& words) {
  if (words.empty())
    return error(
        "expected options that the other run has, as in diff --schedule random:1, or its "
        "program, as in diff other.tsr");
  if (!compare_)
    return error(ErrorCode::unsupported, "nobody said by which command line this run began");
  if (is_by_hand_)
    return error(
        "this run's schedule was made by hand; `schedule FILE` keeps it, and gmm-run diff "
        "takes it with --schedule replay:FILE");
  const Compared compared = TRY(compare_(words));
  out_ << compared.lines;
  if (compared.first_event)
    out_ << fmt::format("goto {} is before the first difference in A, which is this run\n",
                        *compared.first_event);
  return {};
}

}  // namespace tessera::debugger
