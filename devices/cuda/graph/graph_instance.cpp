#include "devices/cuda/graph/graph_instance.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "core/report/try.h"
#include "devices/cuda/runtime/compiler.h"

namespace tessera::cuda {
namespace {

// Bytes of the kernel parameter (templates/graph.cu.in).
std::vector<std::byte> arguments_of(std::uint64_t words, std::uint64_t memories, std::uint64_t own,
                                    std::int64_t own_bytes, std::int64_t subtasks) {
  const std::uint64_t fields[] = {words, memories, own, static_cast<std::uint64_t>(own_bytes),
                                  static_cast<std::uint64_t>(subtasks)};
  std::vector<std::byte> bytes(sizeof fields);
  std::memcpy(bytes.data(), fields, sizeof fields);
  return bytes;
}

Expected<void> allocate(std::uint64_t& address, std::int64_t bytes) {
  if (bytes == 0) return {};
  return cuda::allocate(address, static_cast<std::size_t>(bytes));
}

}  // namespace

Expected<std::shared_ptr<GraphInstance>> GraphInstance::make(GraphPlan plan,
                                                             std::vector<Context> contexts) {
  std::shared_ptr<GraphInstance> made(new GraphInstance(std::move(plan)));
  TRY(made->load(contexts));
  TRY(made->allocate_all());
  TRY(made->make_products());
  return made;
}

GraphInstance::~GraphInstance() {
  if (!places_.empty()) {
    const ContextScope here(places_.front().context);
    if (last_.handle != nullptr) {
      static_cast<void>(wait_for(last_));  // a running graph needs the memory
      destroy_event(last_);
    }
    graph_.reset();
  }
  for (Product& product : products_) {
    const ContextScope here(places_[product.place].context);
    product.memory.reset();
    if (product.list != 0) release(product.list);
  }
  for (const Own& own : own_) {
    const ContextScope here(places_[own.place].context);
    for (const std::uint64_t address : {own.words, own.scratch, own.of_ctas})
      if (address != 0) release(address);
  }
  for (const Place& place : places_) {
    const ContextScope here(place.context);
    if (place.memories != 0) release(place.memories);
  }
}

Context GraphInstance::context_of(int device) const {
  return places_[own_[static_cast<std::size_t>(device)].place].context;
}

Expected<void> GraphInstance::load(const std::vector<Context>& contexts) {
  const CompiledKernel compiled = TRY(compile_cached(plan_.kernel));
  compiler_notes_ = compiled.notes;
  for (const Context context : contexts) {
    const ContextScope here(context);
    TRY(here.entered());
    Place place{.context = context};
    TRY(load_kernel(place.kernel, compiled.cubin, plan_.kernel.entry, 0));
    places_.push_back(place);
  }
  return {};
}

Expected<void> GraphInstance::allocate_all() {
  const std::size_t devices = plan_.words.size();
  own_.resize(devices);
  for (std::size_t d = 0; d < devices; ++d) {
    Own& own = own_[d];
    own.place = d * places_.size() / devices;
    const ContextScope here(places_[own.place].context);
    TRY(here.entered());
    const auto words = static_cast<std::int64_t>(plan_.words[d].size() * sizeof(std::int64_t));
    TRY(allocate(own.words, words));
    TRY(to_device(own.words, plan_.words[d].data(), static_cast<std::size_t>(words)));
    TRY(allocate(own.scratch, plan_.scratch_bytes[d]));
    TRY(allocate(own.of_ctas, plan_.own_bytes * plan_.ctas[d]));
  }
  const auto table = static_cast<std::int64_t>(plan_.places.size() * sizeof(std::uint64_t));
  for (Place& place : places_) {
    const ContextScope here(place.context);
    TRY(here.entered());
    TRY(allocate(place.memories, table));
  }
  return {};
}

Expected<void> GraphInstance::make_products() {
  products_.resize(plan_.products.size());
  for (const GraphStep& step : plan_.steps) {
    if (step.kind != StepKind::product) continue;
    const ListedProduct& listed = plan_.products[step.product];
    Product& product = products_[step.product];
    product.place = own_[static_cast<std::size_t>(step.device)].place;
    const ContextScope here(places_[product.place].context);
    TRY(here.entered());
    product.kernel = TRY(Kernel::make(listed.program, {.require_fast = true}));
    product.memory = TRY(product.kernel->node_memory());
    const auto bytes = static_cast<std::int64_t>(listed.list.size() * sizeof listed.list[0]);
    TRY(allocate(product.list, bytes));
    TRY(to_device(product.list, listed.list.data(), static_cast<std::size_t>(bytes)));
  }
  return {};
}

Expected<DeviceNode> GraphInstance::product_node(const GraphStep& step) const {
  const ListedProduct& listed = plan_.products[step.product];
  const Product& product = products_[step.product];
  const auto address = [&](graph::MemoryId memory) {
    return addresses_[static_cast<std::size_t>(memory.index)];
  };
  DeviceOperands operands{{"lhs", address(listed.left)},
                          {"rhs", address(listed.right)},
                          {"list", product.list},
                          {"out", address(listed.result)}};
  if (listed.existing) operands["existing_out"] = address(listed.existing);
  return DeviceNode{.what = TRY(product.kernel->node(*product.memory, operands)),
                    .before = step.before};
}

// Computes the address of each memory and copies the table to all contexts.
Expected<void> GraphInstance::put_addresses(const std::vector<DeviceAddresses>& operands) {
  const graph::TaskGraph& graph = *plan_.graph;
  addresses_.clear();
  for (const graph::MemoryId m : graph.memories.ids()) {
    const graph::Memory& memory = graph.memories[m];
    const auto device = static_cast<std::size_t>(graph.topology.device(memory.owner));
    if (plan_.places[m] >= 0) {
      addresses_.push_back(own_[device].scratch + static_cast<std::uint64_t>(plan_.places[m]));
      continue;
    }
    const Buffer& buffer = graph.program.buffers[memory.buffer];
    if (buffer.role == Role::scratch) {  // private to CTAs
      addresses_.push_back(0);
      continue;
    }
    const auto found = operands[device].find(buffer.name);
    if (found == operands[device].end())
      return error(fmt::format("operand `{}` of device {} has no address", buffer.name, device));
    addresses_.push_back(found->second);
  }
  for (const Place& place : places_) {
    const ContextScope here(place.context);
    TRY(here.entered());
    TRY(to_device(place.memories, addresses_.data(), addresses_.size() * sizeof addresses_[0]));
  }
  return {};
}

Expected<std::vector<DeviceNode>> GraphInstance::nodes() const {
  std::vector<DeviceNode> nodes;
  const auto address = [&](graph::MemoryId memory, std::int64_t offset) {
    return addresses_[static_cast<std::size_t>(memory.index)] + static_cast<std::uint64_t>(offset);
  };
  for (const GraphStep& step : plan_.steps) {
    if (step.kind == StepKind::product) {
      nodes.push_back(TRY(product_node(step)));
      continue;
    }
    const Own& own = own_[static_cast<std::size_t>(step.device)];
    const Place& place = places_[own.place];
    DeviceNode node{.what = CopyNode{}, .before = step.before};
    if (step.kind == StepKind::copy) {
      node.what = CopyNode{.context = place.context,
                           .to = address(step.copy.to, step.copy.to_offset),
                           .from = address(step.copy.from, step.copy.from_offset),
                           .bytes = static_cast<std::size_t>(step.copy.bytes)};
    } else {
      const std::uint64_t words =
          own.words + static_cast<std::uint64_t>(step.words) * sizeof(std::int64_t);
      node.what = KernelNode{.kernel = place.kernel,
                             .ctas = step.ctas,
                             .threads = plan_.kernel.threads,
                             .arguments = arguments_of(words, place.memories, own.of_ctas,
                                                       plan_.own_bytes, step.subtasks)};
    }
    nodes.push_back(std::move(node));
  }
  return nodes;
}

Expected<void> GraphInstance::launch(const std::vector<DeviceAddresses>& operands, void* stream) {
  const std::lock_guard lock(mutex_);
  const ContextScope here(places_.front().context);
  TRY(here.entered());
  const bool captures = TRY(is_capturing(stream));
  if (graph_ == nullptr || operands != operands_) {
    if (graph_ != nullptr && (captures || is_captured_))
      return error(ErrorCode::unsupported,
                   "a graph that was captured, or that was launched before a capture, keeps its "
                   "operands; prepare the program again for other operands");
    const RelaxedCapture allowed;
    if (last_.handle == nullptr) TRY(create_event(last_));
    TRY(wait_for(last_));  // a run in progress reads the table
    TRY(put_addresses(operands));
    if (graph_ == nullptr)
      graph_ = TRY(DeviceGraph::make(TRY(nodes())));
    else
      TRY(graph_->update(TRY(nodes())));
    operands_ = operands;
  }
  TRY(graph_->launch(stream));
  is_captured_ |= captures;
  return captures ? Expected<void>() : record(last_, stream);
}

Expected<void> GraphInstance::run_in_turn(
    const std::vector<DeviceAddresses>& operands,
    const std::function<Expected<void>(std::size_t step)>& after) {
  const std::lock_guard lock(mutex_);
  const ContextScope here(places_.front().context);
  TRY(here.entered());
  if (is_captured_)
    return error(ErrorCode::unsupported, "a graph that was captured runs only as a whole");
  TRY(put_addresses(operands));
  operands_ = {};  // graph_ still has the previous addresses
  const std::vector<DeviceNode> all = TRY(nodes());
  for (std::size_t step = 0; step < all.size(); ++step) {
    DeviceNode alone = all[step];
    alone.before.clear();
    const std::unique_ptr<DeviceGraph> graph = TRY(DeviceGraph::make({alone}));
    TRY(graph->launch(nullptr));
    TRY(synchronise(nullptr));
    TRY(after(step));
  }
  return {};
}

Expected<void> GraphInstance::read(graph::MemoryId memory, std::int64_t offset,
                                   std::span<std::byte> to) const {
  const int device = plan_.graph->topology.device(plan_.graph->memories[memory].owner);
  const ContextScope here(context_of(device));
  TRY(here.entered());
  return to_host(
      to.data(),
      addresses_[static_cast<std::size_t>(memory.index)] + static_cast<std::uint64_t>(offset),
      to.size());
}

}  // namespace tessera::cuda
