#include "tests/mpi/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "analysis/node_check/node_check.h"
#include "analysis/node_check/node_check_report.h"
#include "cli/verify_target.h"
#include "core/lang/language.h"
#include "devices/profiles/profile.h"
#include "interp/run.h"
#include "tests/fuzz/engines/engine_case.h"
#include "tests/fuzz/larger/random_kernel.h"

namespace tessera::test {
namespace {

using fuzz::copy_of;

template <typename Do>
void for_results(KeptRun& run, Do&& act) {
  for (std::size_t d = 0; d < run.operands.size(); ++d)
    for (const Buffer& buffer : run.program.buffers)
      if (buffer.role == Role::out) act(d, buffer, run.operands[d].find(buffer.name)->second);
}

// Every element of what the node writes, by its lowest byte. side: of it, in the process that has
// it.
void spoil(std::int32_t node, std::int32_t& side) {
  side = -1;
  graph::plant_fault([node, &side](const graph::TaskGraph& graph, graph::SideId done,
                                   graph::GraphMemory& memories) {
    if (graph.sides[done].node.index != node) return;
    for (const graph::Rectangle& at : graph::outputs(graph, graph::private_memories(graph), done)) {
      if (memories.is_elided(at.memory)) continue;  // what the copy reads is others' as well
      side = done.index;
      std::vector<std::byte> bytes = graph::bytes_at(memories, at);
      const TileView to = memories.view(at.memory, at.box);
      const auto size = static_cast<std::size_t>(size_of(to.dtype));
      for (std::size_t i = 0; i < bytes.size(); i += size) bytes[i] ^= std::byte{1};
      copy_elements(to, compact(bytes.data(), to));
    }
  });
}

std::unique_ptr<Executable> executable_of(mpi::World& world, const Launch& launch,
                                          const mpi::Trial& trial) {
  return mpi::mpi_program(world, launch.structured, launch.run.program, trial);
}

struct Checked {
  Outcome outcome = Outcome::wrong;
  graph::Tally tally{};
};

Checked checked(mpi::World& world, const std::string& name, const Launch& launch,
                const mpi::Trial& trial) {
  KeptRun run = copy_of(launch.run);
  run.options.math = Math::exact;
  graph::NodeCheckReport told;
  run.options.observers = {&told};
  const auto executable = executable_of(world, launch, trial);
  const auto report = executable->run(run.bindings(), {run.options.machine.profile, &run.options});
  if (!report) {
    if (report.diags().front().code == ErrorCode::unsupported) return {Outcome::refused};
    if (world.rank() == 0) fmt::print("{}: {}", name, render(report.diags()));
    return {};
  }
  return {Outcome::right, told.tally};
}

}  // namespace

std::optional<Launch> launch_of(const std::string& words) {
  std::vector<std::string> all{"verify"};
  std::istringstream in(words);
  for (std::string word; in >> word;) all.push_back(word);
  const auto target = cli::verify_target(all);
  if (!target) {
    fmt::print(stderr, "{}: {}", words, render(target.diags()));
    return std::nullopt;
  }
  RunOptions options = target->prepared.request.options;
  options.schedule = "eager";
  auto run = tessera::launch_of(target->prepared.simulate, options);
  if (!run || !*run) return std::nullopt;
  return Launch{**std::move(run), {}};
}

std::optional<Launch> random_launch(std::uint64_t seed, int processes) {
  const int devices = std::max(processes, 2 + static_cast<int>(seed % 7));
  const fuzz::RandomKernel kernel = fuzz::KernelMaker(seed, devices).make();
  const auto module = parse(std::make_shared<const Source>(Source{"large.tsr", kernel.text}));
  if (!module) return std::nullopt;
  const auto program = instantiate(*module, "large", {}, {});
  if (!program) return std::nullopt;
  auto expanded = expand(*program);
  const auto profile = find_profile(default_profile);
  if (!expanded || !profile) return std::nullopt;
  KeptRun run{*std::move(expanded), {}, {}};
  run.options.machine.devices = kernel.devices;
  run.options.machine.cores = kernel.cores;
  run.options.machine.profile = profile->machine;
  run.operands.resize(static_cast<std::size_t>(kernel.devices));
  int next = 0;
  for (auto& device : run.operands)
    for (const Buffer& buffer : run.program.buffers) {
      if (buffer.role == Role::scratch) continue;
      Tensor& tensor =
          device.emplace(buffer.name, Tensor(buffer.dtype, buffer.shape)).first->second;
      for (std::int64_t i = 0; buffer.role == Role::in && i < tensor.elements(); ++i)
        tensor.set(i, (next = (next * 5 + 3) % 17) - 8);
    }
  return Launch{std::move(run), seed % 2 == 0 ? *program : Program()};
}

std::optional<Launch> pipelines_launch(std::uint64_t seed, int processes) {
  fuzz::EngineCase of = fuzz::engine_case(seed, processes + static_cast<int>(seed % 3));
  if (!fuzz::interpreted(of)) return std::nullopt;
  return Launch{std::move(of.run), std::move(of.structured)};
}

Outcome run_together(mpi::World& world, const std::string& name, const Launch& launch,
                     const mpi::Trial& trial) {
  const bool tells = world.rank() == 0;
  if (launch.run.operands.size() < static_cast<std::size_t>(world.size()))
    return Outcome::too_small;
  KeptRun run = copy_of(launch.run);
  run.options.math = Math::exact;
  for_results(run, [](std::size_t, const Buffer&, Tensor& result) {
    std::fill_n(result.data(), result.bytes(), std::byte{0x7E});
  });
  const auto executable = executable_of(world, launch, trial);
  const auto report = executable->run(run.bindings(), {run.options.machine.profile, &run.options});
  if (!report) {
    if (report.diags().front().code == ErrorCode::unsupported) return Outcome::refused;
    if (tells) fmt::print("{}: {}", name, render(report.diags()));
    return Outcome::wrong;
  }
  std::string wrong;
  if (tells) {
    KeptRun expected = copy_of(launch.run);
    expected.options.math = Math::exact;
    expected.options.schedule = "eager";
    const auto simulated = tessera::run(expected.program, expected.bindings(), expected.options);
    wrong = simulated ? fuzz::difference(run, expected) : render(simulated.diags());
    if (!wrong.empty()) fmt::print("{}: {}\n", name, wrong);
  }
  const auto told = world.agree(wrong);
  return told && told->front().empty() ? Outcome::right : Outcome::wrong;
}

Outcome check_together(mpi::World& world, const std::string& name, const Launch& launch,
                       const mpi::Trial& trial) {
  if (launch.run.operands.size() < static_cast<std::size_t>(world.size()))
    return Outcome::too_small;
  const Checked clean = checked(world, name, launch, trial);
  if (clean.outcome != Outcome::right) return clean.outcome;
  const graph::Tally& all = clean.tally;
  std::string wrong;
  if (all.compared == 0 || all.compared != all.nodes || all.same != all.compared)
    wrong = fmt::format("{} of {} nodes compared, {} the same", all.compared, all.nodes, all.same);
  const auto nodes = static_cast<std::int32_t>(all.nodes);
  for (const std::int32_t node : {0, nodes / 2, nodes - 1}) {
    std::int32_t side = -1;
    spoil(node, side);
    const Checked spoilt = checked(world, name, launch, trial);
    graph::plant_fault(nullptr);
    const bool is_mine = side >= 0;
    if (is_mine && spoilt.tally.first != side)
      wrong = fmt::format("a fault in node {} is told of half {}", node, spoilt.tally.first);
  }
  bool is_right = true;
  const auto told = world.agree(wrong);
  for (std::size_t p = 0; told && p < told->size(); ++p) {
    is_right = is_right && (*told)[p].empty();
    if (world.rank() == 0 && !(*told)[p].empty())
      fmt::print("{}: process {}: {}\n", name, p, (*told)[p]);
  }
  return told && is_right ? Outcome::right : Outcome::wrong;
}

}  // namespace tessera::test
