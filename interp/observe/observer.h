// Who sees every event of a run: the text trace, the recorder of a certificate, the timed replay.
#pragma once
#include <vector>

#include "interp/binding.h"
#include "interp/observe/event.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

class Observer {
 public:
  virtual ~Observer() = default;
  // Called by devices that expand the program themselves, before the run and before wants_run().
  virtual void expanded(const Program& /*structured*/, const Program& /*expanded*/,
                        const std::vector<Binding>& /*bindings*/, const RunOptions& /*options*/) {}
  // Called before the first step, when the input has been checked. False: the run is not made, and
  // run() returns an empty result.
  virtual bool wants_run(const Program& /*expanded*/, const std::vector<Binding>& /*bindings*/,
                         const RunOptions& /*options*/) {
    return true;
  }
  // False: on() is never called.
  virtual bool sees_events() const { return true; }
  // True if it also sees accesses to the scalars that only one core can reach; slower.
  virtual bool sees_private() const { return false; }
  // Before the first event; both live until end().
  virtual void begin(const Program& /*program*/, const RunOptions& /*options*/) {}
  virtual void on(const Event& event) = 0;
  // Whether it can follow a run of points side by side.
  virtual bool supports_loop_workers() const { return false; }
  // Whether it is also told of memory that assertions read; others see the run as it is without.
  virtual bool observes_assertions() const { return false; }
  // It takes no more, and the run need not go on for it.
  virtual bool is_full() const { return false; }
  // After the last event; findings may be added. A run that did not end by itself (RunResult::end)
  // may have told anything up to there.
  virtual void end(RunResult& /*result*/) {}
};

}  // namespace tessera
