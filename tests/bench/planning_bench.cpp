// What it takes to make a task graph, part by part: the run alone, that of single points, the run
// with its verdict and what of this is analysis, the run that is recorded, cutting it into nodes,
// the edges; all of it for a folded graph, and what unfolding it takes. Counters are milliseconds
// of the processor: who else is at work on the machine has less part in them than in time that
// passes. That is `planned`, of the folded graph, whose nodes are made beside the verdict.
#include <benchmark/benchmark.h>

#include <ctime>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "analysis/task_graph/edge_builder.h"
#include "analysis/task_graph/graph_cache.h"
#include "analysis/task_graph/recorder.h"
#include "analysis/task_graph/segments.h"
#include "analysis/task_graph/sides.h"
#include "analysis/task_graph/task_graph.h"
#include "analysis/task_graph/unfold.h"
#include "cli/verify_target.h"
#include "interp/launch.h"
#include "interp/run.h"

namespace tessera {
namespace {

Expected<cli::VerifyTarget> target_of(const std::string& text) {
  std::vector<std::string> words{"verify"};
  std::stringstream in(text);
  for (std::string word; in >> word;) words.push_back(word);
  return cli::verify_target(words);
}

class Milliseconds {
 public:
  // Since the last call.
  double lap() {
    const std::clock_t now = std::clock();
    return 1e3 * static_cast<double>(now - std::exchange(begin_, now)) / CLOCKS_PER_SEC;
  }

 private:
  std::clock_t begin_ = std::clock();
};

void planning(benchmark::State& state, const char* text) {
  const auto target = target_of(text);
  if (!target) return state.SkipWithError("no such operation");
  const Simulate& simulate = target->prepared.simulate;
  CertifyOptions how = target->how;
  how.run.math = Math::none;
  how.run.computes_values = false;
  how.run.schedule = "eager";
  double run = 0, points = 0, certify_ms = 0, analysis = 0, record = 0, cut = 0, edges = 0,
         whole = 0, unfolded = 0, planned = 0;
  std::size_t nodes = 0;
  for (auto _ : state) {
    Milliseconds timer;
    const auto alone = simulate(how.run);
    const double alone_ms = timer.lap();
    run += alone_ms;
    RunOptions with_points = how.run;
    with_points.checks.loops = how.granularity;
    timer.lap();
    const auto judged = simulate(with_points);
    points += timer.lap() - alone_ms;
    const auto certificate = certify(simulate, how);
    certify_ms += timer.lap();
    if (!alone || !judged || !certificate) return state.SkipWithError("not run");
    analysis += 1e3 * certificate->statistics.seconds;
    graph::Recorder recorder;
    RunOptions recorded = how.run;
    recorded.observers.push_back(&recorder);
    timer.lap();
    const auto done = simulate(recorded);
    auto log = recorder.take();
    record += timer.lap();
    if (!done || !log) return state.SkipWithError("not recorded");
    graph::TaskGraph made{.program = recorder.program(), .topology = recorder.topology()};
    for (graph::Node& node : graph::segments(*log)) made.nodes.add(std::move(node));
    made.memories = std::move(log->memories);
    made.actions = std::move(log->actions);
    made.arena = log->arena;
    cut += timer.lap();
    graph::add_sides(made, log->accesses);
    graph::EdgeBuilder(made).run();
    edges += timer.lap();
    nodes = made.nodes.size();
    auto graph = graph::folded_task_graph(simulate, how);
    whole += timer.lap();
    if (!graph) return state.SkipWithError("no graph");
    if (!graph::unfold(*graph)) return state.SkipWithError("not unfolded");
    unfolded += timer.lap();
    planned += 1e3 * graph->planning.all();
  }
  const auto count = [&](const char* name, double value) {
    state.counters[name] = benchmark::Counter(value, benchmark::Counter::kAvgIterations);
  };
  count("1_run", run);
  count("2_points", points);
  count("2_certify", certify_ms);
  count("2_analysis", analysis);
  count("3_recorded_run", record);
  count("4_cut", cut);
  count("5_edges", edges);
  count("6_task_graph", whole);
  count("7_unfolded", unfolded);
  count("8_planned", planned);
  state.counters["nodes"] = static_cast<double>(nodes);
}

BENCHMARK_CAPTURE(planning, gmm, "gmm --group-sizes 100,150,50 --k 64 --n 32");
BENCHMARK_CAPTURE(planning, all_reduce_8, "all-reduce --devices 8 --m 64 --n 64");

// A call whose program and routing are known: 8 devices with 8 KiB of choices each.
void kept_graph(benchmark::State& state) {
  const auto target =
      target_of("ring-of-experts --devices 8 --m 512 --k 8 --n 8 --groups 8 --top-k 4");
  if (!target) return state.SkipWithError("no such operation");
  auto kept = launch_of(target->prepared.simulate, target->how.run);
  if (!kept || !*kept) return state.SkipWithError("not launched");
  KeptRun& launch = **kept;
  const std::vector<Binding> bindings = launch.bindings();
  const graph::ProgramGraphs graphs(launch.program, launch.program);
  const auto simulate = [&](const RunOptions& options) {
    return run(launch.program, bindings, options);
  };
  const auto made = graphs.of(simulate, bindings, target->how);
  if (!made) return state.SkipWithError("no graph");
  for (auto _ : state)
    if (*graphs.of(simulate, bindings, target->how) != *made)
      return state.SkipWithError("planned anew");
}
BENCHMARK(kept_graph)->Name("planning-full/kept_graph")->Unit(benchmark::kMicrosecond);

void planning_full(benchmark::State& state, const char* text) { planning(state, text); }

#define FULL(name, text)                       \
  BENCHMARK_CAPTURE(planning_full, name, text) \
      ->Name("planning-full/" #name)           \
      ->Unit(benchmark::kMillisecond)          \
      ->Iterations(1)
FULL(gmm, "gmm --m 2048 --k 2048 --n 2048 --groups 8 --group-sizes uniform");
FULL(ag_matmul, "ag-matmul --devices 8 --m 2048 --k 2048 --n 2048");
FULL(ep_gmm, "ep-gmm --devices 8 --m 512 --k 512 --n 512 --groups 64 --top-k 4");
FULL(ring_of_experts, "ring-of-experts --devices 8 --m 512 --k 128 --n 128 --groups 64 --top-k 4");
FULL(all_reduce_256, "all-reduce --devices 256 --m 256 --n 4");

}  // namespace
}  // namespace tessera
