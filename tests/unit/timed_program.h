// Runs a program on a machine with rates for which times can be computed by hand.
#pragma once
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "analysis/timeline/timing.h"
#include "core/passes/expand.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "tests/unit/language_support.h"

namespace tessera::test {

// Returns a machine with memory at 1 GB/s, links at 100 MB/s and 1 TFLOP/s; nothing else takes
// time.
inline MachineProfile plain_machine() {
  MachineProfile machine = find_profile("v5e")->machine;
  machine.hbm_bandwidth = 1e9;
  machine.link_bandwidth = 1e8;
  machine.matmul_flops = 1e12;
  machine.lanes = machine.sublanes = 1;
  machine.matrix_unit = 1;
  return machine;
}

// listener: receives the timeline; may be null. first: observes the run before the timing, which
// then may have findings; may be null.
inline Timing timed(const std::string& text, const MachineProfile& machine,
                    const MachineRates& rates = {}, int devices = 1,
                    const std::string& schedule = "eager", int cores = 1,
                    TimelineListener* listener = nullptr, Observer* first = nullptr) {
  const Expected<Program> structured = program(text);
  EXPECT_TRUE(structured) << messages(structured ? Diags{} : structured.diags());
  const Expected<Program> program = expand(*structured);
  EXPECT_TRUE(program);
  std::vector<std::vector<Tensor>> storage(static_cast<std::size_t>(devices));
  std::vector<Binding> bindings(storage.size());
  for (std::size_t d = 0; d < storage.size(); ++d) {
    storage[d].reserve(program->buffers.size());
    for (const Buffer& buffer : program->buffers) {
      if (buffer.role == Role::scratch) continue;
      storage[d].emplace_back(buffer.dtype, buffer.shape);
      bindings[d][buffer.name] = &storage[d].back();
    }
  }
  TimingObserver observer(rates);
  if (listener != nullptr) observer.tell(*listener);
  RunOptions options;
  options.machine.devices = devices;
  options.machine.cores = cores;
  options.machine.profile = machine;
  options.math = Math::none;
  options.schedule = schedule;
  if (first != nullptr) options.observers = {first};
  options.observers.push_back(&observer);
  const Expected<RunResult> result = run(*program, bindings, options);
  EXPECT_TRUE(result && (first != nullptr || result->findings.empty()));
  return observer.timing();
}

inline constexpr const char* two_copies = R"(kernel t()
  in   a:  f32[500, 500] hbm
  in   b:  f32[500, 500] hbm
  out  o:  f32[1, 1]     hbm
  vmem x:  f32[500, 500]
  vmem y:  f32[500, 500]
  tile r:  f32[500, 500]
  sem  s:  bytes
  sem  t:  bytes
{
  start a -> x, s
  start b -> y, t
  wait s for x
  wait t for y
  r = 0
  r += x . y
  copy x[0 +: 1, 0 +: 1] -> o
}
)";

}  // namespace tessera::test
