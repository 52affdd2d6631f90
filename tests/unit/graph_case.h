// Task graphs of command lines, with the interpreter's results, and orders in which to run the
// graphs.
#pragma once
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "cli/verify_target.h"
#include "tests/unit/graph_executor.h"

namespace tessera::test {

using graph::SideId;
using graph::TaskGraph;
using Words = std::vector<std::string>;
using Results = std::vector<std::map<std::string, Tensor, std::less<>>>;

struct GraphCase {
  TaskGraph graph;
  KeptRun launch;
  Results expected;  // from the interpreter
};

inline KeptRun copy_of(const KeptRun& run) {
  KeptRun copy{run.program, {}, run.options};
  for (const auto& device : run.operands) {
    copy.operands.emplace_back();
    for (const auto& [name, tensor] : device) copy.operands.back().emplace(name, tensor.clone());
  }
  return copy;
}

// text: a command or a file, with options. Operands are integers unless the text contains --fill.
inline Expected<cli::VerifyTarget> graph_target(const std::string& text) {
  Words words{"verify"};
  const bool says = text.find(" --fill ") != std::string::npos;
  std::stringstream in(text + (says ? "" : " --fill integers"));
  for (std::string word; in >> word;) words.push_back(word);
  return cli::verify_target(words);
}

inline bool has_graph(const std::string& text) {
  const auto target = graph_target(text);
  return target && graph::task_graph(target->prepared.simulate, target->how);
}

inline GraphCase graph_case(const std::string& text) {
  const auto target = graph_target(text);
  if (!target) ADD_FAILURE() << render(target.diags());
  auto made = graph::task_graph(target->prepared.simulate, target->how);
  if (!made) ADD_FAILURE() << render(made.diags());
  RunOptions options = target->prepared.request.options;
  options.math = Math::exact;
  options.schedule = "eager";
  auto launch = launch_of(target->prepared.simulate, options);
  EXPECT_TRUE(launch);
  GraphCase result{*std::move(made), **std::move(launch), {}};
  // Poison the results: the run that built the graph has already copied values there.
  for (auto& device : result.launch.operands)
    for (const Buffer& b : result.launch.program.buffers) {
      if (b.role != Role::out) continue;
      Tensor& t = device.find(b.name)->second;
      std::fill_n(t.data(), t.bytes(), std::byte{0x7E});
    }
  KeptRun interpreted = copy_of(result.launch);
  {
    const auto machine = launched(interpreted.program, interpreted.bindings(), interpreted.options);
    EXPECT_TRUE(machine);
    const auto done = (*machine)->run([](Machine&) { return std::vector<Finding>(); });
    EXPECT_TRUE(done);
    EXPECT_TRUE(done->findings.empty());
  }
  result.expected = std::move(interpreted.operands);
  return result;
}

inline bool has_results(const GraphCase& of, const KeptRun& run) {
  for (std::size_t d = 0; d < of.expected.size(); ++d)
    for (const Buffer& b : of.launch.program.buffers) {
      if (b.role != Role::out) continue;
      const Tensor &a = of.expected[d].find(b.name)->second,
                   &c = run.operands[d].find(b.name)->second;
      if (!std::equal(a.data(), a.data() + a.bytes(), c.data())) return false;
    }
  return true;
}

inline bool is_right(const GraphCase& of, const std::vector<SideId>& order) {
  KeptRun run = copy_of(of.launch);
  test::GraphExecutor executor(of.graph, run);
  return executor.run(order) && has_results(of, run);
}

using Befores = Table<SideId, std::vector<SideId>>;

// Returns the predecessors of each side. The write side of a copy follows its read side; other
// dependences are kept if of_half(side, predecessor) is true.
template <typename OfHalf>
Befores befores(const TaskGraph& graph, OfHalf of_half) {
  Befores all(graph.sides.size());
  for (const SideId h : graph.sides.ids()) {
    if (graph.sides[h].kind == graph::SideKind::write) all[h].push_back(h - 1);
    for (const graph::Dependence& b : graph.sides[h].predecessors)
      if (of_half(h, b.side)) all[h].push_back(b.side);
  }
  return all;
}
inline Befores befores(const TaskGraph& graph) {
  return befores(graph, [](SideId, SideId) { return true; });
}

inline std::vector<SideId> random_order(const Befores& befores, unsigned seed) {
  std::mt19937 random(seed);
  Table<SideId, int> missing(befores.size());
  Table<SideId, std::vector<SideId>> after(befores.size());
  std::vector<SideId> ready, order;
  for (const SideId h : befores.ids()) {
    missing[h] = static_cast<int>(befores[h].size());
    for (const SideId b : befores[h]) after[b].push_back(h);
    if (missing[h] == 0) ready.push_back(h);
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    const SideId h = ready.back();
    ready.pop_back();
    order.push_back(h);
    for (const SideId next : after[h])
      if (--missing[next] == 0) ready.push_back(next);
  }
  EXPECT_EQ(order.size(), befores.size());
  return order;
}

inline int wrong_orders(const GraphCase& of, const Befores& befores, unsigned count) {
  int wrong = 0;
  for (unsigned seed = 0; seed < count; ++seed)
    wrong += is_right(of, random_order(befores, seed)) ? 0 : 1;
  return wrong;
}

// Returns an order in which only the required sides run before `side`.
inline std::vector<SideId> earliest(const Befores& befores, SideId side) {
  Table<SideId, bool> needed(befores.size(), false);
  needed[side] = true;
  for (SideId h = side; h; --h)
    if (needed[h])
      for (const SideId b : befores[h]) needed[b] = true;
  std::vector<SideId> order;
  for (const bool now : {true, false})
    for (const SideId h : befores.ids())
      if (needed[h] == now) order.push_back(h);
  return order;
}

}  // namespace tessera::test
