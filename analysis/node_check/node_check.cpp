#include "analysis/node_check/node_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "analysis/node_check/difference.h"
#include "analysis/node_check/reference_run.h"
#include "analysis/running_error/error_run.h"
#include "core/report/guarded.h"
#include "core/report/try.h"
#include "interp/findings/describe.h"
#include "interp/memory/layout.h"

namespace tessera::graph {
namespace {

std::mutex fault_mutex;
std::function<void(const TaskGraph&, SideId, GraphMemory&)> fault;

// Adds the remedy to errors about rounding that has no bound.
Diags with_advice(Diags why) {
  for (Diag& diag : why)
    if (diag.code == ErrorCode::unsupported)
      diag.message = fmt::format(
          "--check-nodes: nothing bounds the rounding of this run: {}; with --math exact bits are "
          "compared",
          diag.message);
  return why;
}

}  // namespace

void plant_fault(std::function<void(const TaskGraph&, SideId, GraphMemory&)> planted) {
  const std::lock_guard lock(fault_mutex);
  fault = std::move(planted);
}

NodeCheck::NodeCheck(const TaskGraph& graph, const std::vector<Binding>& bindings,
                     const RunOptions& options, double sum_error)
    : graph_(graph),
      bindings_(bindings),
      options_(options),
      sum_error_(sum_error),
      expected_(graph.sides.size()) {
  tally_.nodes = static_cast<std::int64_t>(graph.nodes.size());
}

NodeCheck::~NodeCheck() = default;

Expected<std::unique_ptr<NodeCheck>> NodeCheck::make(const TaskGraph& graph,
                                                     const std::vector<Binding>& bindings,
                                                     const RunOptions& options,
                                                     double sum_error) try {
  std::unique_ptr<NodeCheck> made(new NodeCheck(graph, bindings, options, sum_error));
  TRY(made->prepare());
  return made;
} catch (...) {
  return given_up("computing checksums of the writes of task graph nodes");
}

std::unique_ptr<running_error::ErrorRun> NodeCheck::error_run() const {
  if (options_.math == Math::exact) return nullptr;
  return std::make_unique<running_error::ErrorRun>(DType::f32, sum_error_);
}

Expected<void> NodeCheck::prepare() {
  const auto add = [](std::vector<Expectation>& all, Images images) {
    for (Image& image : images) {
      const std::uint64_t sum = checksum(image.bytes, image.dtype, image.defined);
      if (image.bounds.empty()) image.bytes = {};
      all.push_back({std::move(image), sum});
    }
  };
  const auto keep = [&](SideId side, Images images) { add(expected_[side], std::move(images)); };
  ReferenceRun reference(graph_, Table<SideId, bool>(graph_.sides.size(), true), keep);
  auto errors = error_run();
  Expected<std::vector<Finding>> found = reference.run(bindings_, options_, errors.get());
  if (!found) return with_advice(found.diags());
  findings_ = *std::move(found);
  errors_ = std::move(errors);
  add(results_, reference.results());
  if (graph_.nodes.empty() && !results_.empty())
    return error(ErrorCode::runtime,
                 fmt::format("internal error: the task graph has no node, and the interpreter "
                             "writes {} (please report the program)",
                             counted(static_cast<std::int64_t>(results_.size()), "result")));
  return {};
}

std::vector<Rectangle> NodeCheck::rectangles(SideId side) const {
  std::vector<Rectangle> all;
  for (const Expectation& expected : expected_[side]) all.push_back(expected.image.at);
  return all;
}

void NodeCheck::on_complete(SideId side, GraphMemory& memories) {
  {
    const std::lock_guard lock(fault_mutex);
    if (fault) fault(graph_, side, memories);
  }
  if (expected_[side].empty()) return;
  std::vector<std::vector<std::byte>> got;
  for (const Expectation& expected : expected_[side])
    got.push_back(bytes_at(memories, expected.image.at));
  compare(side, std::move(got));
}

Likeness NodeCheck::likeness_of(const Expectation& expected,
                                const std::vector<std::byte>& got) const {
  const Image& image = expected.image;
  if (checksum(got, image.dtype, image.defined) == expected.checksum) return Likeness::same;
  return image.bounds.empty() ? Likeness::other : likeness(image, got);
}

void NodeCheck::compare(SideId side, std::vector<std::vector<std::byte>> got) {
  if (expected_[side].empty()) return;
  Likeness worst = Likeness::same;
  for (std::size_t i = 0; i < got.size(); ++i)
    worst = std::max(worst, likeness_of(expected_[side][i], got[i]));
  const std::lock_guard lock(mutex_);
  ++tally_.compared;
  switch (worst) {
    case Likeness::same:
      ++tally_.same;
      break;
    case Likeness::within:
      ++tally_.within;
      break;
    case Likeness::unbounded:
      ++tally_.unbounded;
      tell_unbounded(side, got);
      break;
    case Likeness::other:
      ++tally_.differ;
      if (!different_ || side < different_->side) different_ = {side, std::move(got)};
      break;
  }
}

// Reads a rectangle from the caller's tensor, row-major.
std::vector<std::byte> NodeCheck::result_bytes(const Rectangle& at) const {
  const Memory& memory = graph_.memories[at.memory];
  const Buffer& buffer = graph_.program.buffers[memory.buffer];
  const auto device = static_cast<std::size_t>(graph_.topology.device(memory.owner));
  TileView view = Layout(buffer).view(at.box, buffer.dtype);
  view.data = bindings_[device].find(buffer.name)->second->data();
  std::vector<std::byte> bytes(static_cast<std::size_t>(at.box.elements() * size_of(buffer.dtype)));
  copy_elements(compact(bytes.data(), view), view);
  return bytes;
}

void NodeCheck::compare_results(const std::vector<bool>& local_devices) {
  for (const Expectation& expected : results_) {
    const Rectangle& at = expected.image.at;
    const int device = graph_.topology.device(graph_.memories[at.memory].owner);
    if (!local_devices.empty() && !local_devices[static_cast<std::size_t>(device)]) continue;
    if (likeness_of(expected, result_bytes(at)) != Likeness::other) continue;
    different_result_ = at.memory;
    return;
  }
}

// Records the first unbounded side in graph order, so the report does not depend on thread timing.
void NodeCheck::tell_unbounded(SideId side, const std::vector<std::vector<std::byte>>& got) {
  if (unbounded_ && unbounded_ < side) return;
  unbounded_ = side;
  for (std::size_t r = 0; r < got.size(); ++r) {
    const Image& image = expected_[side][r].image;
    for (std::size_t i = 0; i < image.bounds.size(); ++i) {
      const bool is_defined = image.defined.empty() || image.defined[i];
      if (!is_defined || likeness(image, got[r], i) != Likeness::unbounded) continue;
      const Diag why = errors_->why(image.bounds[i]);
      tally_.why =
          why.loc.line > 0 ? fmt::format("line {}: {}", why.loc.line, why.message) : why.message;
      return;
    }
  }
}

Tally NodeCheck::tally() const {
  const std::lock_guard lock(mutex_);
  Tally all = tally_;
  if (different_) all.first = different_->side.index;
  return all;
}

Expected<Finding> NodeCheck::first_difference(const Tally& all) const try {
  if (all.first < 0) return first_different_result(all);
  CHECK(different_);
  const SideId side = different_->side;
  Table<SideId, bool> wanted(graph_.sides.size(), false);
  wanted[side] = true;
  Images images;
  ReferenceRun reference(graph_, wanted, [&](SideId, Images taken) { images = std::move(taken); });
  reference.keep_writes();
  const auto errors = error_run();
  TRY(reference.run(bindings_, options_, errors.get()));
  return difference(graph_, side, images, different_->got, reference.writes(), all);
} catch (...) {
  return given_up("comparing the writes of a node");
}

Expected<Finding> NodeCheck::first_different_result(const Tally& all) const {
  const MemoryId memory = different_result_;
  CHECK(memory);
  ReferenceRun reference(graph_, Table<SideId, bool>(graph_.sides.size(), false),
                         [](SideId, const Images&) {});
  reference.keep_writes_to(memory);
  const auto errors = error_run();
  TRY(reference.run(bindings_, options_, errors.get()));
  const Images& results = reference.results();
  const auto image = std::find_if(results.begin(), results.end(),
                                  [&](const Image& i) { return i.at.memory == memory; });
  CHECK(image != results.end());
  return result_difference(graph_, *image, result_bytes(image->at), reference.writes(), all);
}

}  // namespace tessera::graph
