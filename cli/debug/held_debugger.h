// Debugger for use from programs: executes one command line and returns its output.
#pragma once
#include <cstdint>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/args/options.h"
#include "cli/debug/compare_runs.h"
#include "core/report/expected.h"

namespace tessera::cli {

class HeldDebugger {
 public:
  // Opens a session from the words of `gmm-run debug`, beginning with "debug". The run is before
  // its first step. Fails like debug_session(), and for options that change nothing. `files` must
  // outlive the debugger.
  static Expected<std::unique_ptr<HeldDebugger>> open(const std::vector<std::string>& words,
                                                      Files& files);

  // Executes a debugger command and returns its output. Fails with the errors of the command, and
  // if memory is exhausted or a stop of this thread is requested.
  Expected<std::string> command(std::string_view line);
  std::int64_t event() const { return session_->position(); }  // number of past events
  // True if the run is at its end.
  bool is_over() const { return session_->is_over(); }

 private:
  HeldDebugger(std::unique_ptr<Session> session, const Arguments& arguments)
      : session_(std::move(session)),
        debugger_(*session_, out_, arguments.invocation(),
                  compare_with(arguments.invocation(), arguments.files()), arguments.files()) {}

  std::unique_ptr<Session> session_;
  std::ostringstream out_;
  debugger::Debugger debugger_;
};

}  // namespace tessera::cli
