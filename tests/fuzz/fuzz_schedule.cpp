// Schedules: the first line names one of a few programs and how it runs, the rest is a schedule's
// text, as --schedule takes it or a file holds it.
#include <array>
#include <deque>
#include <new>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lang/language.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "interp/schedule/schedule.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{32} << 20;

// Partial copies between devices, with a race; parallel points; cores; a deadlock.
constexpr std::array<std::string_view, 4> texts = {
    R"(kernel pass()
  in  a: f32[4, 8] hbm
  out o: f32[4, 8] hbm
  vmem t: f32[4, 8]
  sem sent: bytes
  sem arrived[2]: bytes
{
  start a[0 +: 2, :] -> (device + 1) mod devices: o[0 +: 2, :], sent, arrived[0]
  start a[2 +: 2, :] -> (device + 1) mod devices: o[2 +: 2, :], sent, arrived[1]
  wait arrived[1] for o[2 +: 2, :]
  copy o -> t
  wait arrived[0] for o[0 +: 2, :]
  wait sent for a
}
)",
    R"(kernel points()
  in  a: f32[8, 8] hbm
  out o: f32[8, 8] hbm
{
  pipeline i in 4 parallel, j in 2 {
    window x = a[i * 2 +: 2, j * 4 +: 4]
    window y = o[i * 2 +: 2, j * 4 +: 4]
    y = x + x
  }
}
)",
    R"(kernel by_cores()
  in  a: f32[4, 8] hbm
  out o: f32[4, 8] hbm
  vmem t: f32[8]
  sem done: count
{
  for i in 4 parallel {
    if i mod cores == core {
      copy a[i, :] -> t
      copy t -> o[i, :]
    }
  }
  signal done on device core (core + 1) mod cores, 1
  wait done, 1
}
)",
    R"(kernel stuck()
  in  a: f32[2, 8] hbm
  out o: f32[2, 8] hbm
  sem arrived: bytes
  sem sent: bytes
{
  wait arrived for o
  start a -> (device + 1) mod devices: o, sent, arrived
  wait sent for a
}
)"};

struct Prepared {
  Program program;
  int devices, cores;
  std::deque<Tensor> tensors;
  std::vector<Binding> bindings;
};

Prepared prepare(std::size_t number) {
  const auto source = std::make_shared<const Source>(Source{"s.tsr", std::string(texts[number])});
  const Expected<Module> module = parse(source);
  REQUIRE(module, module ? "" : render(module.diags()));
  const Expected<Program> program = instantiate(*module, module->kernels.front().name, {}, {});
  REQUIRE(program, program ? "" : render(program.diags()));
  Expected<Program> expanded = expand(*program);
  REQUIRE(expanded, expanded ? "" : render(expanded.diags()));
  Prepared prepared{*std::move(expanded), number == 1 ? 1 : 2, number == 2 ? 2 : 1, {}, {}};
  for (int d = 0; d < prepared.devices; ++d) {
    prepared.bindings.emplace_back();
    for (const Buffer& buffer : prepared.program.buffers) {
      if (buffer.role == Role::scratch) continue;
      prepared.tensors.emplace_back(buffer.dtype, buffer.shape);
      Tensor& tensor = prepared.tensors.back();
      for (std::int64_t i = 0; buffer.role == Role::in && i < tensor.elements(); ++i)
        tensor.set(i, static_cast<double>(i + d));
      prepared.bindings.back()[buffer.name] = &tensor;
    }
  }
  return prepared;
}

const std::deque<Prepared>& programs() {
  static const std::deque<Prepared>* const all = [] {
    auto* const made = new std::deque<Prepared>();
    for (std::size_t i = 0; i < texts.size(); ++i) made->push_back(prepare(i));
    return made;
  }();
  return *all;
}

// One schedule, one run; and what a run says of its schedule gives that run again.
void check_runs(const Prepared& prepared, const RunOptions& options) {
  const auto first = run(prepared.program, prepared.bindings, options);
  const auto second = run(prepared.program, prepared.bindings, options);
  REQUIRE(static_cast<bool>(first) == static_cast<bool>(second), options.schedule);
  if (!first) return require_said(first.diags());
  REQUIRE(first->trace_hash == second->trace_hash && first->schedule == second->schedule &&
              first->results == second->results,
          options.schedule);
  RunOptions again = options;
  again.schedule = first->schedule;
  const auto third = run(prepared.program, prepared.bindings, again);
  REQUIRE(third, first->schedule + "\n" + (third ? "" : render(third.diags())));
  REQUIRE(third->trace_hash == first->trace_hash && third->results == first->results &&
              third->findings.size() == first->findings.size(),
          options.schedule + "\nis recorded as\n" + first->schedule);
}

void check(std::string_view text) {
  programs();
  const MemoryBudget memory(max_bytes);
  const Deadline deadline(std::chrono::milliseconds(1500));
  const std::size_t line = text.find('\n');
  const std::string how(text.substr(0, line));
  const std::string schedule(line == text.npos ? "" : text.substr(line + 1));
  try {
    const Expected<Schedule> parsed = parse_schedule(schedule);
    if (!parsed) return require_said(parsed.diags());
    const std::string written = to_string(*parsed);
    const Expected<Schedule> again = parse_schedule(written);
    REQUIRE(again && to_string(*again) == written, written);
    const std::size_t number = how.empty() ? 0 : static_cast<unsigned char>(how[0]) % texts.size();
    const Prepared& prepared = programs()[number];
    RunOptions options{.machine = {.devices = prepared.devices,
                                   .cores = prepared.cores,
                                   .profile = find_profile(default_profile)->machine},
                       .schedule = schedule,
                       .record = {.schedule = true, .results = true},
                       .max_steps = 2000};
    if (how.find('p') != how.npos) options.copies.granularity = CopyGranularity::partial;
    if (how.find('f') != how.npos) options.copies.order = DmaOrder::fifo;
    if (how.find('s') != how.npos) options.machine.slow_device = 0;
    check_runs(prepared, options);
  } catch (const std::bad_alloc&) {
    REQUIRE(memory.was_refused(), "bad_alloc, and nothing was refused");
  } catch (const Interrupted&) {
    REQUIRE(deadline.is_over(), "interrupted, and nobody asked");
  }
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
