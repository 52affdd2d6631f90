#include "analysis/node_check/reference_run.h"

#include <algorithm>
#include <utility>

#include "analysis/planning/find_untraced_scalars.h"
#include "analysis/shadow/rectangle.h"
#include "core/passes/at_once.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/check_input.h"
#include "interp/cut_off.h"
#include "interp/findings/exit_checks.h"
#include "interp/launch.h"
#include "interp/machine/loop_indices.h"
#include "interp/memory/layout.h"

namespace tessera::graph {
namespace {

bool is_write(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::accumulate || kind == EventKind::update ||
         kind == EventKind::fresh;
}

// Bindings with results of their own, so that the caller's results stay unchanged.
struct OwnResults {
  OwnResults(const Program& program, const std::vector<Binding>& bindings) : all(bindings) {
    for (Binding& binding : all)
      for (const Buffer& buffer : program.buffers) {
        if (buffer.role != Role::out) continue;
        Tensor*& tensor = binding.find(buffer.name)->second;
        tensors.push_back(std::make_unique<Tensor>(tensor->dtype(), tensor->shape()));
        tensor = tensors.back().get();
      }
  }
  std::vector<Binding> all;
  std::vector<std::unique_ptr<Tensor>> tensors;
};

// Clears `defined` if all elements are defined, and `bounds` if all elements are exact.
void leave_out_what_is_plain(Image& image) {
  if (std::find(image.defined.begin(), image.defined.end(), false) == image.defined.end())
    image.defined.clear();
  const auto may_differ = [](float bound) { return bound != 0; };
  if (std::none_of(image.bounds.begin(), image.bounds.end(), may_differ)) image.bounds.clear();
}

// An image without defined elements.
Image undefined_image(const TaskGraph& graph, const Rectangle& at) {
  const DType dtype = graph.program.buffers[graph.memories[at.memory].buffer].dtype;
  const auto count = static_cast<std::size_t>(at.box.elements());
  return {at,
          dtype,
          std::vector<std::byte>(count * static_cast<std::size_t>(size_of(dtype))),
          std::vector<bool>(count),
          {}};
}

}  // namespace

ReferenceRun::ReferenceRun(const TaskGraph& graph, const Table<SideId, bool>& wanted, Take take)
    : graph_(graph),
      private_(private_memories(graph)),
      take_(std::move(take)),
      outputs_(graph.sides.size()),
      left_(graph.sides.size(), 0),
      side_of_(graph.actions.size()),
      match_(graph) {
  for (const SideId side : graph.sides.ids()) {
    if (!wanted[side]) continue;
    outputs_[side] = outputs(graph, private_, side);
    if (outputs_[side].empty()) continue;
    for (const ActionId action : graph.nodes[graph.sides[side].node].actions) {
      side_of_[action] = side;
      for (const MemoryAccess& access : graph.accesses[action])
        if (access.writes && is_seen(access.memory)) ++left_[side];
    }
  }
}

void ReferenceRun::begin(const Program& program, const RunOptions& options) {
  recorder_.begin(program, options);
}

void ReferenceRun::on(const Event& event) {
  recorder_.on(event);
  if (event.object_kind != ObjectKind::buffer || !is_write(event.kind)) return;
  const Log& log = recorder_.log();
  const ActionId own = recorder_.action_of(event);
  const ActionId action = match_.action(log, own);
  if (!action || (!side_of_[action] && !watched_)) return;
  Rectangle at{match_.memory(log.memories[log.accesses[own].back().memory]), *event.box};
  at.box.dropped = 0;
  if (!at.memory) return;  // is_whole() will fail
  if (keeps_writes_ || at.memory == watched_)
    writes_.push_back({action, at, event.agent, loop_indices(recorder_.program(), event)});
  if (side_of_[action] && is_seen(at.memory))
    pending_.push_back({side_of_[action], at, graph_.memories[at.memory].owner});
}

bool ReferenceRun::before_step() {
  settle();
  return false;
}

void ReferenceRun::settle() {
  for (const Pending& write : pending_) {
    put(write);
    if (--left_[write.side] != 0) continue;
    Images images = std::move(open_[write.side]);
    open_.erase(write.side);
    for (Image& image : images) leave_out_what_is_plain(image);
    take_(write.side, std::move(images));
  }
  pending_.clear();
}

void ReferenceRun::put(const Pending& write) {
  Images& images = open_[write.side];
  if (images.empty())
    for (const Rectangle& at : outputs_[write.side]) images.push_back(undefined_image(graph_, at));
  for (Image& image : images)
    if (image.at.memory == write.at.memory && intersects(image.at.box, write.at.box))
      put(image, write);
}

void ReferenceRun::take_results() {
  for (const MemoryId m : graph_.memories.ids()) {
    const Memory& memory = graph_.memories[m];
    if (!memory.buffer || graph_.program.buffers[memory.buffer].role != Role::out) continue;
    const Rectangle all{m, Layout(graph_.program.buffers[memory.buffer]).whole()};
    Image image = undefined_image(graph_, all);
    put(image, {SideId(), all, memory.owner});
    if (std::find(image.defined.begin(), image.defined.end(), true) == image.defined.end())
      continue;
    leave_out_what_is_plain(image);
    results_.push_back(std::move(image));
  }
}

// Copies the current contents of the machine's memory into the image, for the rectangle of a write.
void ReferenceRun::put(Image& image, const Pending& write) {
  const Box part = intersection(image.at.box, write.at.box);
  const BufferId buffer = graph_.memories[write.at.memory].buffer;
  Storage& storage = *machine_->core_state(write.owner).storages[buffer];
  const bool has_bytes = storage.is_live() && !storage.is_idle();
  const TileView from = has_bytes ? storage.read(part) : TileView{};
  const TileView to = part_of(image.bytes.data(), image.dtype, image.at.box, part);
  if (has_bytes) copy_elements(to, from);
  const std::vector<float> bounds =
      errors_ != nullptr ? errors_->bounds(write.owner, buffer, part) : std::vector<float>();
  if (!bounds.empty() && image.bounds.empty()) image.bounds.resize(image.defined.size(), 0);
  const bool is_defined = has_bytes && storage.is_initialised(part);
  Box inside = part;
  std::vector<std::int64_t> shape;
  for (int d = 0; d < part.rank; ++d) {
    inside.start[Box::at(d)] -= image.at.box.start[Box::at(d)];
    shape.push_back(image.at.box.size[Box::at(d)]);
  }
  shadow::for_each_stretch(shape, inside, [&](std::size_t at, std::size_t i, std::size_t length) {
    for (const std::size_t end = i + length; i < end; ++at, ++i) {
      image.defined[at] =
          is_defined || (has_bytes && storage.is_initialised(element(
                                          part, index_in(part, static_cast<std::int64_t>(i)))));
      if (!image.bounds.empty()) image.bounds[at] = bounds.empty() ? 0 : bounds[i];
    }
  });
}

Expected<std::vector<Finding>> ReferenceRun::run(const std::vector<Binding>& bindings,
                                                 RunOptions options,
                                                 running_error::ErrorRun* errors) try {
  const OwnResults own(graph_.program, bindings);
  options.schedule = "eager";
  options.checks.enabled = true;
  // The run must be like the run from which the graph was created: cores take turns in the same
  // way.
  RunHooks hooks;
  std::optional<UntracedScalars> untraced;
  if (is_at_once(graph_.program))
    hooks.untraced = &untraced.emplace(find_untraced_scalars(graph_.program));
  options.observers = {this};
  if (errors != nullptr) options.observers.push_back(errors);
  errors_ = errors;
  TRY(check_input(graph_.program, own.all, options));
  const auto machine = TRY(launched(graph_.program, own.all, options, hooks));
  machine_ = machine.get();
  if (errors != nullptr) errors->attach(*machine);
  machine->begin();
  machine->advance(exit_findings, Turn::unlimited, this);
  settle();
  take_results();
  const RunResult result = TRY(machine->end());
  if (errors != nullptr && errors->refusal()) return Diags{*errors->refusal()};
  if (!result.findings.empty()) return result.findings;
  if (result.end != RunEnd::program) return cut_off(result.end, "the interpreter's run");
  const Log log = TRY(recorder_.take());
  if (!match_.is_whole(log) || !open_.empty())
    return error(ErrorCode::runtime,
                 "the interpreter's run with arithmetic has other actions than the graph");
  return std::vector<Finding>();
} catch (...) {
  return given_up("running the program for the writes of its nodes");
}

}  // namespace tessera::graph
