// Who sees every event of a run: the text trace, the recorder of a certificate, the timed replay.
#pragma once
#include "interp/observe/event.h"
#include "interp/run_options.h"
#include "interp/run_result.h"

namespace tessera {

class Observer {
 public:
  virtual ~Observer() = default;
  // Before the first event; both live until end().
  virtual void begin(const Program& /*program*/, const RunOptions& /*options*/) {}
  virtual void on(const Event& event) = 0;
  // Whether it can follow a run of points side by side.
  virtual bool takes_point_cores() const { return false; }
  // Whether it is also told of memory that assertions read; others see the run as it is without.
  virtual bool judges_assertions() const { return false; }
  // It takes no more, and the run need not go on for it.
  virtual bool is_full() const { return false; }
  // After the last event; findings may be added. A run that did not end by itself (RunResult::end)
  // may have told anything up to there.
  virtual void end(RunResult& /*result*/) {}
};

}  // namespace tessera
