// Debugger sessions on small programs.
#pragma once
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <string_view>

#include "core/lang/language.h"
#include "debugger/session/inspect.h"
#include "debugger/session/session.h"
#include "interp/run.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera::test {

struct SessionSetup {
  std::string_view text;
  int devices = 1;
  std::string schedule = "eager";
  CopyGranularity granularity = CopyGranularity::whole;
  bool has_images = false;  // before each step
};

class SessionCase {
 public:
  explicit SessionCase(const SessionSetup& given) : program_(expanded(std::string(given.text))) {
    options_.machine.devices = given.devices;
    options_.schedule = given.schedule;
    options_.copies.granularity = given.granularity;
    if (given.has_images) recording_ = Recording::of_every_step();
  }

  std::unique_ptr<Session> open() { return open(recording_); }
  std::unique_ptr<Session> open(const Recording& recording) {
    testing::Operands operands(program_, options_.machine.devices);
    auto session = Session::open(testing::launch(program_, operands, options_), recording);
    EXPECT_TRUE(session) << render(session.diags());
    return *std::move(session);
  }
  RunResult whole() {
    testing::Operands operands(program_, options_.machine.devices);
    return testing::run_ok(program_, operands, options_);
  }

 private:
  static Program expanded(const std::string& text) {
    const Expected<Program> read = program(text);
    if (!read) ADD_FAILURE() << render(read.diags());
    const Expected<Program> made = expand(*read);
    EXPECT_TRUE(made);
    return *made;
  }
  Program program_;
  RunOptions options_;
  Recording recording_;
};

// Returns a hash of the session's state, including values.
inline std::uint64_t state(Session& session) {
  const Expected<Machine*> machine = session.valued();
  EXPECT_TRUE(machine);
  return state_hash(**machine) ^ state_hash(session.machine()) << 1;
}

}  // namespace tessera::test
