// Groups findings: causes, consequences of another finding, and repetitions. Reports show causes
// and fold the rest. The rules are only here:
//
// 1. Repetitions have one kind, the same statements and objects, and one place in the text. The
//    first represents all of them.
// 2. A copy without a wait is the cause of the races of its bytes.
// 3. Some groups of races have one cause. The group is represented by the race whose access is the
//    first in the text after the start of the copy. The groups are:
//    - races of the same bytes of one copy;
//    - races of two cores for one buffer after the same last wait;
//    - races of the points of one parallel loop for one buffer;
//    - races with a core's entry into the kernel, and races with its exit.
//    Of the remaining races of two cores for one buffer, after the same last wait and with one
//    statement in common, the first represents all: one order is missing, because a copy arrives
//    too early.
// 4. A race for a buffer is the cause of undefined data that was read from the buffer: the data had
//    not arrived. A scalar read out of bounds is the cause of undefined data that depends on it.
// 5. If adding one missing wait also removes another finding, both have the same cause. The wait
//    was tried in a run.
// 6. A race whose read decides the next actions of the program is the cause of the findings at the
//    end of the run, and of other races for its buffer.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/report/finding.h"

namespace tessera {

struct CauseLink {
  std::optional<std::size_t> folded_into;   // repetition: the finding that represents it
  std::optional<std::size_t> follows_from;  // the cause; itself neither folded nor a consequence
  std::int64_t count = 1;                   // including repetitions
  std::vector<std::int32_t> devices;        // including repetitions, ascending
  bool is_cause() const { return !folded_into && !follows_from; }
};

// Returns one link per finding, in the same order.
std::vector<CauseLink> causes(const std::vector<Finding>& findings);

// Returns one message for a finding and its repetitions: "out of dev0..dev7 is never written", or
// "... (one of 8 alike, on dev0..dev7)" if the messages differ in more than the device. links:
// result of causes(). finding: index of a finding that is not folded itself.
std::string folded_message(const std::vector<Finding>& findings,
                           const std::vector<CauseLink>& links, std::size_t finding);

// "dev0..dev3, dev5". devices: ascending.
std::string devices_text(const std::vector<std::int32_t>& devices);

}  // namespace tessera
