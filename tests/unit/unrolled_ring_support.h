// Records of rings, from program text and from command lines, for tests of the unrolled ring.
#pragma once
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "analysis/certificate/certifier.h"
#include "analysis/certificate/unrolled_ring/unrolled_ring.h"
#include "cli/verify_target.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera::test {

// The verdict for all schedules of one run, and the record that it is based on.
struct RingRun {
  std::unique_ptr<Certifier> certifier;
  SchedulesVerdict verdict() const { return certifier->certificate().verdict; }
  bool is_proved() const { return verdict() == SchedulesVerdict::proved; }
  const Record& record() const { return certifier->analysed(); }
};

template <typename Run>
RingRun ring_run(RunOptions options, const Run& run) {
  RingRun ring{std::make_unique<Certifier>(CopyGranularity::partial, 100'000'000)};
  options.observers = {ring.certifier.get()};
  const auto result = run(options);
  EXPECT_TRUE(result) << (result ? "" : render(result.diags()));
  return ring;
}

// Runs the words of a command line of `verify`.
inline RingRun run_words(const std::string& words) {
  std::istringstream stream(words);
  std::vector<std::string> all = {"verify"};
  for (std::string word; stream >> word;) all.push_back(word);
  const Expected<cli::VerifyTarget> target = cli::verify_target(all);
  EXPECT_TRUE(target) << words << (target ? "" : render(target.diags()));
  return ring_run(target->how.run, target->prepared.simulate);
}

// A program from text, with operands for any number of devices.
class RingProgram {
 public:
  explicit RingProgram(const std::string& text, int calls = 1, const Settings& settings = {}) {
    auto module = parse(source("test.tsr", text));
    EXPECT_TRUE(module) << (module ? "" : messages(module.diags())) << text;
    auto parsed =
        instantiate(*module, module->kernels.at(0).name, settings, library(), {.calls = calls});
    EXPECT_TRUE(parsed) << (parsed ? "" : messages(parsed.diags())) << text;
    expanded_ = *expand(*parsed);
  }
  explicit RingProgram(Program expanded) : expanded_(std::move(expanded)) {}
  const Program& expanded() const { return expanded_; }
  RingRun run(int devices, RunOptions options = {}) const {
    testing::Operands operands(expanded_, devices);
    options.machine.devices = devices;
    return ring_run(options, [&](const RunOptions& how) {
      return tessera::run(expanded_, operands.bindings(), how);
    });
  }
  // Returns the first number of devices in [first, last] for which the program is not proved, or 0.
  int first_not_proved(int first, int last, const RunOptions& options = {}) const {
    for (int devices = first; devices <= last; ++devices)
      if (!run(devices, options).is_proved()) return devices;
    return 0;
  }

 private:
  Program expanded_;
};

// "quiet", "rests on 14-19 16-16", with the lines of each pair, or the reason.
inline std::string text_of(const UnrolledRing& ring, const Record& record) {
  if (ring.verdict == LengthVerdict::quiet) return "quiet";
  if (ring.verdict == LengthVerdict::not_analysed) return ring.reason;
  std::string text = "rests on";
  const auto line = [&](StmtId s) { return s ? record.program->loc(s).line : 0; };
  for (const LengthPair& pair : ring.pairs) {
    text += fmt::format(" {}-{}", line(pair.first), line(pair.second));
    if (pair.next_length > 0) text += fmt::format("@{}", pair.next_length);
  }
  return text;
}

inline std::string unrolled(const RingRun& run, const UnrollOptions& options = {}) {
  return text_of(unroll_ring(run.record(), options), run.record());
}

}  // namespace tessera::test
