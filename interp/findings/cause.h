// Which findings are causes, which follow from another one, and which say the same of another
// device. One place has the rule; reports show causes and fold the rest.
//
//  1. Alike: of one kind, about the same statements and objects, at one place of the text. The
//     first stands for all.
//  2. A copy that nobody waits for is the cause of the races of its bytes.
//  3. Of races with one cause the access that comes first behind the copy's start, in the order of
//     the text, stands for all: races of the same bytes of one copy; of two cores for one buffer
//     behind the same last wait; of points of one parallel loop for one buffer; with a core's
//     entering the kernel; with its leaving. Then of two cores for one buffer, behind the same last
//     wait and with one statement in common, the first: one order is missing, of a copy that comes
//     too early.
//  4. A race for a buffer is the cause of undefined data that was read from it: it had not come. A
//     read of a scalar out of bounds is the cause of undefined data that comes from it.
//  5. What is gone with a wait that another one lacks has the same cause; the wait was tried.
//  6. A race whose read decides what the program does next is the cause of what the run ended with,
//     and of other races for its buffer.
#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "core/report/finding.h"

namespace tessera {

struct CauseLink {
  std::optional<std::size_t> folded_into;   // alike: the one that stands for it
  std::optional<std::size_t> follows_from;  // its cause, which follows from none and stands for all
  std::int64_t count = 1;                   // with those that are alike
  std::vector<std::int32_t> devices;        // of all of them, ascending
  bool is_cause() const { return !folded_into && !follows_from; }
};

// One link for each finding, in their order.
std::vector<CauseLink> causes(const std::vector<Finding>& findings);

// The message for all that are alike: "out of dev0..dev7 is never written", or "..., alike on
// dev0..dev7" where they differ in more than their own device.
std::string folded_message(const std::vector<Finding>& findings,
                           const std::vector<CauseLink>& links, std::size_t finding);

// "dev0..dev3, dev5"
std::string devices_text(const std::vector<std::int32_t>& devices);

}  // namespace tessera
