#include "tests/mpi/together.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>
#include <vector>

#include "cli/verify_target.h"
#include "core/lang/language.h"
#include "devices/profiles/profile.h"
#include "interp/rerun.h"
#include "interp/run.h"
#include "interp/stamp/stamp_scope.h"
#include "interp/stamp/stamps.h"
#include "tests/fuzz/larger/random_kernel.h"

namespace tessera::test {
namespace {

KeptRun copy_of(const KeptRun& run) {
  KeptRun copy{run.program, {}, run.options};
  for (const auto& device : run.operands) {
    copy.operands.emplace_back();
    for (const auto& [name, tensor] : device) copy.operands.back().emplace(name, tensor.clone());
  }
  return copy;
}

template <typename Do>
void for_results(KeptRun& run, Do&& act) {
  for (std::size_t d = 0; d < run.operands.size(); ++d)
    for (const Buffer& buffer : run.program.buffers)
      if (buffer.role == Role::out) act(d, buffer, run.operands[d].find(buffer.name)->second);
}

std::string difference(KeptRun& run, KeptRun& expected) {
  std::string found;
  for_results(run, [&](std::size_t device, const Buffer& buffer, Tensor& got) {
    const Tensor& wanted = expected.operands[device].find(buffer.name)->second;
    for (std::int64_t i = 0; i < got.elements() && found.empty(); ++i) {
      const std::int64_t size = size_of(buffer.dtype);
      if (!std::equal(got.data() + i * size, got.data() + (i + 1) * size, wanted.data() + i * size))
        found = fmt::format("{} of device {}: element {} is {}, expected {}", buffer.name, device,
                            i, got.at(i), wanted.at(i));
    }
  });
  return found;
}

// Every element of what the node writes, by its lowest byte. half: of it, in the process that has
// it.
void spoil(std::int32_t node, std::int32_t& half) {
  half = -1;
  graph::plant_fault([node, &half](const graph::TaskGraph& graph, graph::HalfId done,
                                   graph::Memories& memories) {
    if (graph.halves[done].node.index != node) return;
    for (const graph::Rectangle& at : graph::outputs(graph, graph::private_memories(graph), done)) {
      if (memories.is_forwarded(at.memory)) continue;  // what the copy reads is others' as well
      half = done.index;
      std::vector<std::byte> bytes = graph::bytes_at(memories, at);
      const TileView to = memories.view(at.memory, at.box);
      const auto size = static_cast<std::size_t>(size_of(to.dtype));
      for (std::size_t i = 0; i < bytes.size(); i += size) bytes[i] ^= std::byte{1};
      copy_elements(to, compact(bytes.data(), to));
    }
  });
}

// What was kept of a launch is the expanded program alone: whether points of its parallel loops are
// independent is not what is asked here.
std::unique_ptr<Executable> executable_of(mpi::World& world, const KeptRun& run,
                                          const mpi::Trial& trial) {
  return mpi::mpi_program(world, Program(), run.program, trial);
}

struct Stamped {
  Outcome outcome = Outcome::wrong;
  graph::Tally tally{};
};

Stamped stamped(mpi::World& world, const std::string& name, const KeptRun& launch,
                const mpi::Trial& trial) {
  KeptRun run = copy_of(launch);
  run.options.math = Math::exact;
  graph::StampReport told;
  const graph::StampScope scope(told);
  const auto executable = executable_of(world, run, trial);
  const auto report = executable->run(run.bindings(), {run.options.profile, &run.options});
  if (!report) {
    if (report.diags().front().code == ErrorCode::unsupported) return {Outcome::refused};
    if (world.rank() == 0) fmt::print("{}: {}", name, render(report.diags()));
    return {};
  }
  return {Outcome::right, told.tally};
}

}  // namespace

std::optional<KeptRun> launch_of(const std::string& words) {
  std::vector<std::string> all{"verify"};
  std::istringstream in(words);
  for (std::string word; in >> word;) all.push_back(word);
  const auto target = cli::verify_target(all);
  if (!target) {
    fmt::print(stderr, "{}: {}", words, render(target.diags()));
    return std::nullopt;
  }
  LaunchScope scope;
  RunOptions options = options_of_rerun(target->prepared.request.options);
  options.schedule = "eager";
  if (!target->prepared.simulate(options)) return std::nullopt;
  return scope.take();
}

std::optional<KeptRun> random_launch(std::uint64_t seed, int processes) {
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
  run.options.devices = kernel.devices;
  run.options.cores = kernel.cores;
  run.options.profile = profile->machine;
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
  return run;
}

Outcome run_together(mpi::World& world, const std::string& name, const KeptRun& launch,
                     const mpi::Trial& trial) {
  const bool tells = world.rank() == 0;
  if (launch.operands.size() < static_cast<std::size_t>(world.size())) return Outcome::too_small;
  KeptRun run = copy_of(launch);
  run.options.math = Math::exact;
  for_results(run, [](std::size_t, const Buffer&, Tensor& result) {
    std::fill_n(result.data(), result.bytes(), std::byte{0x7E});
  });
  const auto executable = executable_of(world, run, trial);
  const auto report = executable->run(run.bindings(), {run.options.profile, &run.options});
  if (!report) {
    if (report.diags().front().code == ErrorCode::unsupported) return Outcome::refused;
    if (tells) fmt::print("{}: {}", name, render(report.diags()));
    return Outcome::wrong;
  }
  std::string wrong;
  if (tells) {
    KeptRun expected = copy_of(launch);
    expected.options.math = Math::exact;
    expected.options.schedule = "eager";
    const auto simulated = tessera::run(expected.program, expected.bindings(), expected.options);
    wrong = simulated ? difference(run, expected) : render(simulated.diags());
    if (!wrong.empty()) fmt::print("{}: {}\n", name, wrong);
  }
  const auto told = world.agree(wrong);
  return told && told->front().empty() ? Outcome::right : Outcome::wrong;
}

Outcome stamp_together(mpi::World& world, const std::string& name, const KeptRun& launch,
                       const mpi::Trial& trial) {
  if (launch.operands.size() < static_cast<std::size_t>(world.size())) return Outcome::too_small;
  const Stamped clean = stamped(world, name, launch, trial);
  if (clean.outcome != Outcome::right) return clean.outcome;
  const graph::Tally& all = clean.tally;
  std::string wrong;
  if (all.compared == 0 || all.compared != all.nodes || all.same != all.compared)
    wrong = fmt::format("{} of {} nodes compared, {} the same", all.compared, all.nodes, all.same);
  const auto nodes = static_cast<std::int32_t>(all.nodes);
  for (const std::int32_t node : {0, nodes / 2, nodes - 1}) {
    std::int32_t half = -1;
    spoil(node, half);
    const Stamped spoilt = stamped(world, name, launch, trial);
    graph::plant_fault(nullptr);
    const bool is_mine = half >= 0;
    if (is_mine && spoilt.tally.first != half)
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
