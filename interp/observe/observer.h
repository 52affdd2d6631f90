// Interface for receiving the events of a run. Implemented by the text trace, the certificate
// recorder and the timed replay, among others.
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
  // Called before the first step, after the input was checked. False: the program does not run, and
  // run() returns an empty result.
  virtual bool wants_run(const Program& /*expanded*/, const std::vector<Binding>& /*bindings*/,
                         const RunOptions& /*options*/) {
    return true;
  }
  // False: on() is never called.
  virtual bool sees_events() const { return true; }
  // True if the observer also receives accesses to private scalars
  // (interp/machine/planning_memory.h) that parallel loops store to; slower.
  virtual bool sees_private() const { return false; }
  // Called before the first event. Both arguments stay valid until end().
  virtual void begin(const Program& /*program*/, const RunOptions& /*options*/) {}
  // Called with each event, in the order of the run.
  virtual void on(const Event& event) = 0;
  // True if the observer supports loop workers.
  virtual bool supports_loop_workers() const { return false; }
  // True if the observer also receives the reads of assertions (Event::from_assertion). They are
  // hidden by default, so that adding an assertion does not change the observed run.
  virtual bool observes_assertions() const { return false; }
  // True if the observer accepts no more events. The run then ends with RunEnd::events. Queried
  // only from time to time, so more events may follow.
  virtual bool is_full() const { return false; }
  // Called after the last event; may add findings to the result. Not called if run() fails. If the
  // run was cut short (RunResult::end), the events may stop anywhere.
  virtual void end(RunResult& /*result*/) {}
};

}  // namespace tessera
