// Random programs of several pipelines, run by threads and compared with the interpreter.
//
//   fuzz_engines [--seed N] [--count M] [--check-nodes K]       2,000 programs, every eighth with
//   --check-nodes
//
// Each program is planned and run as a task graph, in a random order of tasks as small as possible;
// its results must have the interpreter's bits. Every K-th run is also compared node by node.
// Prints the program and the first element that differs, and exits with 1.
#include <cstdlib>
#include <string_view>

#include "analysis/node_check/node_check_report.h"
#include "analysis/task_graph/completeness.h"
#include "devices/threads/task_run.h"
#include "devices/threads/threads_device.h"
#include "tests/fuzz/engines/engine_case.h"

namespace tessera::fuzz {
namespace {

struct Totals {
  std::int64_t programs = 0, ran = 0, refused = 0, checked = 0, differences = 0;
  std::int64_t memoised = 0;  // programs with a pipeline that repeats another one
};

// What is wrong; empty: nothing. is_refused: the program has no task graph.
std::string run_on_threads(const EngineCase& of, const KeptRun& expected, bool is_checked,
                           bool& is_refused) {
  KeptRun run = copy_of(of.run);
  graph::NodeCheckReport checked;
  RunOptions options = run.options;
  if (is_checked) options.observers = {&checked};
  const auto report = threads_device().run(
      of.structured, run.bindings(), {.profile = options.machine.profile, .interpreter = &options});
  if (!report) {
    is_refused = report.diags().front().code == ErrorCode::unsupported;
    return render(report.diags());
  }
  if (!report->findings.empty()) return report->findings.front().message;
  return difference(run, expected);
}

void try_program(std::uint64_t seed, bool is_checked, Totals& totals) {
  const EngineCase of = engine_case(seed);
  ++totals.programs;
  const std::optional<KeptRun> expected = interpreted(of);
  if (!expected) {
    ++totals.refused;
    return;
  }
  bool is_refused = false;
  shuffle_tasks(seed);
  const std::string wrong = run_on_threads(of, *expected, is_checked, is_refused);
  shuffle_tasks({});
  ++(is_refused ? totals.refused : totals.ran);
  if (is_refused) return;
  totals.checked += is_checked ? 1 : 0;
  if (wrong.empty()) return;
  if (++totals.differences <= 10)
    fmt::print("seed {}, --devices {}{}: {}\n{}\n", seed, of.run.options.machine.devices,
               is_checked ? " --check-nodes" : "", wrong, of.text);
}

}  // namespace
}  // namespace tessera::fuzz

int main(int argc, char** argv) {
  using namespace tessera::fuzz;
  std::int64_t seed = 1, count = 2000, check_every = 8;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view option = argv[i];
    if (i + 1 == argc || (option != "--seed" && option != "--count" && option != "--check-nodes")) {
      fmt::print(stderr, "fuzz_engines [--seed N] [--count M] [--check-nodes K]\n");
      return 2;
    }
    (option == "--seed"    ? seed
     : option == "--count" ? count
                           : check_every) = std::strtoll(argv[i + 1], nullptr, 10);
  }
  Totals totals;
  // No fault: only looks at each plan.
  bool is_memoised = false;
  tessera::graph::plant_planning_fault(
      {.nodes = [&](const tessera::graph::Log& log, tessera::graph::Nodes&) {
        is_memoised = !log.instances.all.empty();
      }});
  for (std::int64_t i = seed; i < seed + count; ++i) {
    is_memoised = false;
    try_program(static_cast<std::uint64_t>(i), check_every > 0 && i % check_every == 0, totals);
    totals.memoised += is_memoised ? 1 : 0;
  }
  fmt::print(
      "{} programs: {} ran on threads, {} of them with --check-nodes, {} with memoised pipelines, "
      "{} "
      "refused; {} differ\n",
      totals.programs, totals.ran, totals.checked, totals.memoised, totals.refused,
      totals.differences);
  return totals.differences == 0 && totals.ran > 0 ? 0 : 1;
}
