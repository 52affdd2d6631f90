#include "devices/mpi/plan.h"

#include <fmt/format.h>

#include <cstring>
#include <string>
#include <utility>

#include "analysis/certificate/certificate.h"
#include "analysis/task_graph/unfold.h"
#include "core/host/build_id.h"
#include "core/lang/language.h"
#include "core/report/try.h"
#include "interp/memory/layout.h"
#include "interp/observe/content_hash.h"
#include "interp/run.h"

namespace tessera::mpi {
namespace {

// Fails if a text differs from the text of process 0; the error names the process.
Expected<void> check_same(const std::vector<std::string>& texts, std::string_view what) {
  for (std::size_t process = 1; process < texts.size(); ++process)
    if (texts[process] != texts[0])
      return error(ErrorCode::environment,
                   fmt::format("process {} has another {} than process 0 ({}, {}): expected the "
                               "same command line, files and Tessera version in all processes",
                               process, what, texts[process], texts[0]));
  return {};
}

// A tensor of zeros that is allocated when it is read.
Tensor unread(const Buffer& buffer) {
  return Tensor::deferred(buffer.dtype, stored_shape(buffer),
                          [&buffer] { return Tensor(buffer.dtype, stored_shape(buffer)); });
}

void mix(ContentHash& hash, const Box& box) {
  for (int d = 0; d < box.rank; ++d) {
    hash.mix(static_cast<std::uint64_t>(box.start[Box::at(d)]));
    hash.mix(static_cast<std::uint64_t>(box.size[Box::at(d)]));
  }
}

template <typename Tag>
void mix(ContentHash& hash, Id<Tag> id) {
  hash.mix(static_cast<std::uint64_t>(id.index));
}

// The contents of the process's own control inputs, concatenated.
std::string own_bytes(const Shares& shares, int process, const Program& expanded,
                      const ControlFlow& control, const std::vector<Binding>& of_all) {
  std::string bytes;
  for (int device = shares.first(process); device < shares.first(process + 1); ++device)
    for (const BufferId id : expanded.buffers.ids()) {
      const Buffer& buffer = expanded.buffers[id];
      if (buffer.role != Role::in || !control.buffers[id]) continue;
      const Tensor& tensor = *of_all[static_cast<std::size_t>(device)].find(buffer.name)->second;
      bytes.append(reinterpret_cast<const char*>(tensor.data()),
                   static_cast<std::size_t>(tensor.bytes()));
    }
  return bytes;
}

}  // namespace

std::string program_text(const Program& expanded) {
  return fmt::format("{}, {:016x}, version " TESSERA_VERSION " {}", expanded.name,
                     text_hash(print(expanded)), build_id());
}

std::string planning_text(const RunOptions& run) {
  return fmt::format("{}, {} cores, dma order {}, math {}", run.machine.profile.text(),
                     run.machine.cores, static_cast<int>(run.copies.order),
                     static_cast<int>(run.math));
}

Expected<std::unique_ptr<ControlInputs>> ControlInputs::gather(World& world, const Shares& shares,
                                                               const Program& expanded,
                                                               const ControlFlow& control,
                                                               const std::string& what,
                                                               const std::vector<Binding>& of_all) {
  const std::string text = fmt::format("{}, {} devices", what, of_all.size());
  std::vector<std::string> texts =
      TRY(world.agree(text + '\n' + own_bytes(shares, world.rank(), expanded, control, of_all)));
  std::vector<std::string> bytes;
  for (std::string& one : texts) {
    const std::size_t end = one.find('\n');
    bytes.push_back(one.substr(end + 1));
    one.resize(end);
  }
  TRY(check_same(texts, "program"));
  auto made = std::make_unique<ControlInputs>();
  made->bindings_.resize(of_all.size());
  ContentHash hash;
  hash.mix(text_hash(text));
  for (const std::string& one : bytes) hash.mix(text_hash(one));
  made->hash_ = hash.value();
  std::vector<std::size_t> taken(bytes.size(), 0);  // bytes read so far, by process
  for (std::size_t device = 0; device < of_all.size(); ++device) {
    const auto owner = static_cast<std::size_t>(shares.owner(static_cast<int>(device)));
    for (const BufferId id : expanded.buffers.ids()) {
      const Buffer& buffer = expanded.buffers[id];
      if (buffer.role == Role::scratch) continue;
      const bool is_in = buffer.role == Role::in, is_control = is_in && control.buffers[id];
      if (is_in && !is_control && static_cast<int>(owner) == world.rank()) {
        made->bindings_[device].emplace(buffer.name, of_all[device].find(buffer.name)->second);
        continue;
      }
      made->tensors_.push_back(std::make_unique<Tensor>(
          is_control ? Tensor(buffer.dtype, stored_shape(buffer)) : unread(buffer)));
      Tensor& tensor = *made->tensors_.back();
      made->bindings_[device].emplace(buffer.name, &tensor);
      if (!is_control) continue;
      const auto size = static_cast<std::size_t>(tensor.bytes());
      std::memcpy(tensor.data(), bytes[owner].data() + taken[owner], size);
      taken[owner] += size;
    }
  }
  return made;
}

std::uint64_t graph_hash(const graph::TaskGraph& graph) {
  ContentHash hash;
  for (const graph::Memory& memory : graph.memories) {
    mix(hash, memory.owner);
    mix(hash, memory.buffer);
  }
  for (const graph::Action& action : graph.actions) {
    mix(hash, action.statement);
    mix(hash, action.core);
    for (const auto& scalar : action.scalars) hash.mix(static_cast<std::uint64_t>(scalar.second));
    mix(hash, action.from().memory);
    mix(hash, action.from().box);
    mix(hash, action.to().memory);
    mix(hash, action.to().box);
    hash.mix((action.adds ? 1U : 0U) | (action.stored_only ? 2U : 0U));
  }
  for (const graph::Instance& instance : graph.instances.all) {
    mix(hash, instance.pattern);
    mix(hash, instance.core);
  }
  for (const graph::Instances::Own& own : graph.instances.memories) mix(hash, own.memory);
  for (const graph::Node& node : graph.nodes) {
    hash.mix(static_cast<std::uint64_t>(node.kind));
    mix(hash, node.instance);
    for (const graph::ActionId action : node.actions) mix(hash, action);
  }
  for (const graph::NodeSide& side : graph.sides) {
    mix(hash, side.node);
    for (const graph::Dependence& before : side.predecessors) mix(hash, before.side);
  }
  return hash.value();
}

Expected<graph::TaskGraph> agreed_graph(World& world, const Program& expanded, JudgedPoints& points,
                                        const ControlInputs& inputs, const RunOptions& run) {
  const auto simulate = [&](const RunOptions& options) -> Expected<RunResult> {
    return points.run(expanded, inputs.bindings(), options);
  };
  CertifyOptions how;
  how.run = run;
  graph::TaskGraph graph = TRY(graph::folded_task_graph(simulate, how));
  const auto hashes = TRY(world.agree(fmt::format("{:016x}", graph_hash(graph))));
  TRY(check_same(hashes, "task graph"));
  return graph;
}

Expected<void> keep_own(graph::TaskGraph& graph, const Shares& shares, int process) {
  TRY(graph::unfold(
      graph, [&](CoreIndex core) { return shares.owner(graph.topology.device(core)) == process; }));
  const auto is_own = [&](graph::MemoryId memory) {
    return memory && shares.owner(graph.topology.device(graph.memories[memory].owner)) == process;
  };
  for (graph::NodeSide& side : graph.sides) {
    if (shares.owner(graph.topology.device(graph.owner(side))) == process) continue;
    side.accesses = {};
    side.predecessors = {};
  }
  for (const graph::ActionId id : graph.actions.ids()) {
    graph::Action& action = graph.actions[id];
    const bool is_here = action.is_copy
                             ? is_own(action.from().memory) || is_own(action.to().memory)
                             : shares.owner(graph.topology.device(action.core)) == process;
    if (is_here) continue;
    graph.accesses[id] = {};
    action.scalars = {};
    action.loaded_scalars = {};
    action.memories = {};
  }
  return {};
}

}  // namespace tessera::mpi
