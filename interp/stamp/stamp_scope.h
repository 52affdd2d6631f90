// Who asks that what devices run is compared with the interpreter, and what comes of it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/report/expected.h"
#include "core/report/finding.h"
#include "interp/stamp/tally.h"

namespace tessera::graph {

// What a run that is stamped gives for a report.
struct StampReport {
  std::int64_t runs = 0;
  Tally tally;                     // of all of them
  std::optional<Finding> first{};  // of the first run in which a node differs
};

// A run with this tally is over: the report has it, and its first difference is a finding of the
// run. An error where it is not known whether what nodes wrote is right.
Expected<void> take(const Tally& tally, std::optional<Finding> first, StampReport& report,
                    std::vector<Finding>& findings);

// While it lives, what devices run on this thread is compared with the interpreter, if they can: so
// whoever is between a command and its run needs not know of it.
class StampScope {
 public:
  explicit StampScope(StampReport& report);
  ~StampScope();
  StampScope(const StampScope&) = delete;
  StampScope& operator=(const StampScope&) = delete;

  static StampReport* current();  // null: nobody asks for it

 private:
  StampReport* outer_;
};

}  // namespace tessera::graph
