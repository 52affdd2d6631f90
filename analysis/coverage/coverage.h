// Observer that collects the notes on coverage of a run. For each kind, events are examined only
// until the run has exercised it, so a run in which everything occurs costs next to nothing.
#pragma once
#include <vector>

#include "analysis/coverage/branches.h"
#include "analysis/coverage/coverage_note.h"
#include "analysis/coverage/fills.h"
#include "analysis/coverage/iterations.h"
#include "analysis/coverage/sizes.h"
#include "analysis/coverage/waits.h"
#include "analysis/coverage/wraps.h"
#include "interp/observe/observer.h"

namespace tessera {

class Coverage : public Observer {
 public:
  void expanded(const Program& structured, const Program& expanded,
                const std::vector<Binding>& bindings, const RunOptions& options) override;
  bool wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                 const RunOptions& options) override;
  void begin(const Program& program, const RunOptions& options) override;
  // Must be called while the machine is at the event, because it reads the registers of the core.
  void on(const Event& event) override;
  // Computes the notes. Requires that the run has ended by itself; else there are none.
  void end(RunResult& result) override;
  // `missing` is in the order of the kinds, then by line. Empty before end(), and if the run did
  // not finish.
  const CoverageNotes& notes() const { return notes_; }

 private:
  const Program* program_ = nullptr;  // valid from begin() to end()
  SourceOps source_;
  Sizes sizes_;
  Fills fills_;
  Waits waits_;
  Branches branches_;
  Wraps wraps_;
  Iterations iterations_;
  CoverageNotes notes_;
};

}  // namespace tessera
