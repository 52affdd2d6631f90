// The debugger for a program that calls it: one line in, its answer out.
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
  // The words of `gmm-run debug`, that one first; the run stands before its first step. The files
  // outlive the debugger.
  static Expected<std::unique_ptr<HeldDebugger>> open(const std::vector<std::string>& words,
                                                      Files& files);

  // A command of the debugger; what it tells. Memory that does not suffice and the stop of this
  // thread are errors too.
  Expected<std::string> command(std::string_view line);
  std::int64_t event() const { return session_->position(); }  // how many have happened
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
