// Emulates the execution of a CUDA graph plan without a GPU. Kernels run on the emulated
// multiprocessor, in random orders that the graph allows. Other steps may run between the read and
// the write of a copy.
#pragma once
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/data/splitmix.h"
#include "devices/cuda/graph/graph_plan.h"
#include "interp/binding.h"
#include "tests/unit/cuda_emulator.h"

namespace tessera::cuda {

class EmulatedGraph {
 public:
  // kernel: compiled from the plan's source; null: compiled by the constructor. The plan must
  // outlive this object.
  explicit EmulatedGraph(const GraphPlan& plan, std::shared_ptr<EmulatedKernel> kernel = nullptr)
      : plan_(plan),
        kernel_(kernel != nullptr ? std::move(kernel)
                                  : std::make_shared<EmulatedKernel>(plan.kernel)) {
    for (const ListedProduct& product : plan.products)
      fast_.try_emplace(product.kernel.source, product.kernel);
  }

  // Returns the compiler's errors, or empty.
  std::string problem() const {
    std::string all = kernel_->problem();
    for (const auto& [source, kernel] : fast_) all += kernel.problem();
    return all;
  }

  // Runs the steps in a random order. Returns the error of the emulated multiprocessor, or empty.
  std::string run(const std::vector<Binding>& bindings, std::uint64_t seed) {
    place(bindings);
    SplitMix random(seed);
    std::vector<std::size_t> missing;
    std::vector<std::vector<std::size_t>> after(plan_.steps.size());
    std::vector<std::size_t> ready;
    for (std::size_t s = 0; s < plan_.steps.size(); ++s) {
      missing.push_back(plan_.steps[s].before.size());
      for (const std::size_t b : plan_.steps[s].before) after[b].push_back(s);
      if (missing[s] == 0) ready.push_back(s);
    }
    std::vector<std::pair<std::size_t, std::vector<char>>> under_way;  // copies after their read
    std::size_t done = 0;
    while (!ready.empty() || !under_way.empty()) {
      const std::size_t pick = random.next() % (ready.size() + under_way.size());
      std::size_t step = 0;
      if (pick < ready.size()) {
        std::swap(ready[pick], ready.back());
        step = ready.back();
        ready.pop_back();
        const GraphCopy& copy = plan_.steps[step].copy;
        if (plan_.steps[step].kind == StepKind::copy) {
          const char* const from = base(copy.from) + copy.from_offset;
          under_way.emplace_back(step, std::vector<char>(from, from + copy.bytes));
          continue;
        }
        if (std::string wrong = launch(plan_.steps[step], random.next()); !wrong.empty())
          return wrong;
      } else {
        std::swap(under_way[pick - ready.size()], under_way.back());
        step = under_way.back().first;
        const GraphCopy& copy = plan_.steps[step].copy;
        std::memcpy(base(copy.to) + copy.to_offset, under_way.back().second.data(),
                    under_way.back().second.size());
        under_way.pop_back();
      }
      ++done;
      for (const std::size_t next : after[step])
        if (--missing[next] == 0) ready.push_back(next);
    }
    return done == plan_.steps.size() ? "" : "steps wait for each other";
  }

  // Runs the steps in order_without(). Returns the error, or empty.
  std::string run_without(const std::vector<Binding>& bindings, std::size_t without,
                          std::size_t step) {
    place(bindings);
    for (const std::size_t s : order_without(without, step)) {
      const GraphCopy& copy = plan_.steps[s].copy;
      if (plan_.steps[s].kind == StepKind::copy)
        std::memmove(base(copy.to) + copy.to_offset, base(copy.from) + copy.from_offset,
                     static_cast<std::size_t>(copy.bytes));
      else if (std::string wrong = launch(plan_.steps[s], s); !wrong.empty())
        return wrong;
    }
    return "";
  }
  // Returns an order in which `step` runs as early as possible if its edge from `without` is
  // removed. Empty if other edges imply the removed edge.
  std::vector<std::size_t> order_without(std::size_t without, std::size_t step) const {
    std::vector<bool> needed(plan_.steps.size(), false);
    needed[step] = true;
    for (std::size_t s = step + 1; s-- > 0;)
      if (needed[s])
        for (const std::size_t before : plan_.steps[s].before)
          if (s != step || before != without) needed[before] = true;
    if (needed[without]) return {};
    std::vector<std::size_t> order;
    for (const bool now : {true, false})
      for (std::size_t s = 0; s < needed.size(); ++s)
        if (needed[s] == now) order.push_back(s);
    return order;
  }

 private:
  char* base(graph::MemoryId memory) { return bases_[static_cast<std::size_t>(memory.index)]; }

  void place(const std::vector<Binding>& bindings) {
    const graph::TaskGraph& graph = *plan_.graph;
    scratch_.clear();
    own_.clear();
    for (std::size_t d = 0; d < plan_.words.size(); ++d) {
      // Scratch that was not written is NaN.
      scratch_.emplace_back(static_cast<std::size_t>(plan_.scratch_bytes[d]), char(0xFF));
      own_.emplace_back(static_cast<std::size_t>(plan_.own_bytes * plan_.ctas[d]), char(0xFF));
    }
    bases_.clear();
    for (const graph::MemoryId m : graph.memories.ids()) {
      const graph::Memory& memory = graph.memories[m];
      const auto d = static_cast<std::size_t>(graph.topology.device(memory.owner));
      char* at = nullptr;
      if (plan_.places[m] >= 0)
        at = scratch_[d].data() + plan_.places[m];
      else if (const Buffer& buffer = graph.program.buffers[memory.buffer];
               buffer.role != Role::scratch)
        at = reinterpret_cast<char*>(bindings[d].find(buffer.name)->second->data());
      bases_.push_back(at);
    }
  }

  std::string multiply(const ListedProduct& product, std::uint64_t seed) {
    std::map<BufferId, void*> memory;
    std::vector<std::int32_t> list = product.list;
    for (const BufferId b : product.program.buffers.ids()) {
      const Buffer& buffer = product.program.buffers[b];
      if (buffer.role == Role::scratch) continue;
      memory[b] = buffer.name == "lhs"    ? base(product.left)
                  : buffer.name == "rhs"  ? base(product.right)
                  : buffer.name == "out"  ? base(product.result)
                  : buffer.name == "list" ? static_cast<void*>(list.data())
                                          : base(product.existing);
    }
    return fast_.at(product.kernel.source).run(product.kernel, memory, 2, seed);
  }

  std::string launch(const GraphStep& step, std::uint64_t seed) {
    if (step.kind == StepKind::product) return multiply(plan_.products[step.product], seed);
    const auto d = static_cast<std::size_t>(step.device);
    const auto address = [](const void* at) { return reinterpret_cast<std::uintptr_t>(at); };
    const std::uint64_t fields[] = {address(plan_.words[d].data() + step.words),
                                    address(bases_.data()), address(own_[d].data()),
                                    static_cast<std::uint64_t>(plan_.own_bytes),
                                    static_cast<std::uint64_t>(step.subtasks)};
    std::vector<std::byte> arguments(sizeof fields);
    std::memcpy(arguments.data(), fields, sizeof fields);
    return kernel_->launch(arguments, step.ctas, seed);
  }

  const GraphPlan& plan_;
  const std::shared_ptr<EmulatedKernel> kernel_;
  std::map<std::string, EmulatedKernel> fast_;    // by source
  std::vector<std::vector<char>> scratch_, own_;  // by simulated device
  std::vector<char*> bases_;                      // by memory
};

}  // namespace tessera::cuda
