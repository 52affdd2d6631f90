#include "analysis/task_graph/segments.h"

#include <algorithm>
#include <span>
#include <utility>

#include "analysis/task_graph/atomicity.h"
#include "core/report/check.h"

namespace tessera::graph {
namespace {

using Items = std::span<const Item>;

class Cutter {
 public:
  explicit Cutter(Log& log) : log_(log), of_patterns_(log.instances.patterns.size()) {}

  void cut(CoreIndex core, Items items) {
    core_ = core;
    for (std::size_t i = 0; i < items.size(); ++i) {
      if (items[i].kind == ItemKind::enter) {
        i = take_whole(items, i);
        continue;
      }
      const std::size_t end = items[i].kind == ItemKind::open ? end_of_pipeline(items, i) : i;
      if (end > i && take_pipeline(items.subspan(i, end - i)))
        i = end - 1;
      else
        take(items[i]);
    }
    leave();
  }

  // In commit order; by core if several nodes commit in one step.
  Nodes nodes() {
    struct Place {
      std::int64_t commit = 0;
      std::uint32_t node = 0;
      auto operator<=>(const Place&) const = default;
    };
    std::vector<Place> places;
    places.reserve(nodes_.size());
    for (const Node& node : nodes_)
      places.push_back({node.commit, static_cast<std::uint32_t>(places.size())});
    std::sort(places.begin(), places.end());
    Nodes sorted;
    sorted.reserve(nodes_.size());
    for (const Place& place : places) sorted.add(nodes_[place.node]);
    return sorted;
  }

 private:
  const Action& action(const Item& item) const { return log_.actions[item.action]; }

  static bool is_same_object(const Item& a, const Item& b) {
    return a.object_kind == b.object_kind && a.object.index == b.object.index;
  }

  // Index of the item that ends the lifetime of an item; items.size() if there is none.
  static std::size_t end_of_lifetime(Items items, std::size_t begin) {
    for (std::size_t i = begin + 1; i < items.size(); ++i)
      if (items[i].kind == ItemKind::close && is_same_object(items[i], items[begin])) return i;
    return items.size();
  }

  // `expand` creates nested lifetimes for a pipeline: its slots and the semaphores of their copies.
  // Returns the index after the last item of the pipeline that begins at `begin`, or `begin` if no
  // pipeline begins there.
  std::size_t end_of_pipeline(Items items, std::size_t begin) const {
    const std::size_t end = end_of_lifetime(items, begin);
    std::vector<SemaphoreId> semaphores;
    std::size_t close = end;
    for (std::size_t i = begin; i < close && close < items.size(); ++i, --close) {
      if (items[i].kind != ItemKind::open || items[close].kind != ItemKind::close ||
          !is_same_object(items[i], items[close]))
        break;
      if (items[i].object_kind == ObjectKind::semaphore)
        semaphores.push_back(items[i].object.semaphore());
    }
    if (semaphores.empty()) return begin;
    for (std::size_t i = begin; i < end; ++i)
      if (items[i].kind == ItemKind::start &&
          std::find(semaphores.begin(), semaphores.end(), log_.cells[items[i].cell].semaphore) !=
              semaphores.end())
        return end + 1;
    return begin;
  }

  // Adds a pipeline that moves its blocks synchronously, and so has no synchronisation. Returns the
  // index of its last item.
  std::size_t take_whole(Items items, std::size_t begin) {
    const Entry& entry = log_.entries[items[begin].entry];
    Node node{.kind = NodeKind::pipeline, .core = core_, .pipeline = entry.pipeline};
    node.pattern = entry.pattern;
    leave();
    if (entry.instance) return take_instance(node, entry.instance, items[begin].step), begin;
    std::size_t end = begin + 1;
    std::size_t count = 0;
    for (; end < items.size() && items[end].kind != ItemKind::leave; ++end)
      count += items[end].kind == ItemKind::action ? 1 : 0;
    node.actions.reserve(*log_.arena, count);
    for (const Item& item : items.subspan(begin, end - begin)) {
      if (item.kind != ItemKind::action) continue;
      if (node.actions.empty()) node.commit = item.step;
      add(node, item);
    }
    if (!node.actions.empty()) nodes_.push_back(node);
    return end;
  }

  // Adds a pipeline that was reported and not run.
  void take_instance(Node node, InstanceId instance, std::int64_t begin) {
    const PatternId id = log_.instances.all[instance].pattern;
    const Pattern& pattern = log_.instances.patterns[id];
    if (pattern.first == pattern.last) return;
    Node& first = of_patterns_[id];
    if (first.actions.empty()) {
      first.actions.reserve(*log_.arena, static_cast<std::size_t>(pattern.last - pattern.first));
      for (ActionId a = pattern.first; a < pattern.last; ++a) add(first, a);
    }
    node.statement = first.statement;
    node.actions = first.actions;
    node.bytes = first.bytes;
    node.flops = first.flops;
    node.instance = instance;
    node.commit = begin + pattern.commit;
    nodes_.push_back(node);
  }

  // Cells on which a segment waits only for its own copies.
  std::vector<GraphCellId> own_cells(Items items) const {
    std::vector<std::pair<GraphCellId, std::int64_t>> counts;
    for (const Item& item : items) {
      if (item.kind == ItemKind::start) counts.emplace_back(item.cell, item.amount);
      if (item.kind == ItemKind::wait) counts.emplace_back(item.cell, -item.amount);
    }
    std::sort(counts.begin(), counts.end());
    std::vector<GraphCellId> own;
    for (std::size_t i = 0; i < counts.size();) {
      const GraphCellId cell = counts[i].first;
      std::int64_t count = 0;
      for (; i < counts.size() && counts[i].first == cell; ++i) count += counts[i].second;
      if (count == 0 && log_.cells[cell].is_own) own.push_back(cell);
    }
    return own;
  }

  // True if the segment has no wait for others after an effect that others can see. own:
  // own_cells().
  static bool is_atomic(Items items, const std::vector<GraphCellId>& own) {
    Atomicity atomicity;
    for (const Item& item : items) {
      if (acquires(item, own) && !atomicity.may_acquire()) return false;
      if (releases(item, own)) atomicity.release();
    }
    return true;
  }
  static bool is_of(const std::vector<GraphCellId>& own, const Item& item) {
    return std::binary_search(own.begin(), own.end(), item.cell);
  }
  static bool acquires(const Item& item, const std::vector<GraphCellId>& own) {
    return item.kind == ItemKind::wait && !is_of(own, item);
  }
  static bool releases(const Item& item, const std::vector<GraphCellId>& own) {
    return item.kind == ItemKind::signal || (item.kind == ItemKind::start && !is_of(own, item));
  }

  // Adds the pipeline as one node if it is atomic; else returns false.
  bool take_pipeline(Items items) {
    const std::vector<GraphCellId> own = own_cells(items);
    if (!is_atomic(items, own)) return false;
    Node node{.kind = NodeKind::pipeline, .core = core_};
    node.commit = items.front().step;
    Atomicity atomicity;
    std::vector<Item> copies;  // others may wait for them
    for (const Item& item : items) {
      if (acquires(item, own)) {
        atomicity.acquire();
        node.commit = item.step;
      }
      if (releases(item, own)) atomicity.release();
      if (item.kind == ItemKind::start && !is_of(own, item)) {
        copies.push_back(item);
      } else if (item.kind == ItemKind::start || item.kind == ItemKind::action) {
        add(node, item);
      }
    }
    leave();
    for (const Item& copy : copies) take_copy(copy);
    leave();
    if (!node.actions.empty()) nodes_.push_back(node);
    return true;
  }

  void take(const Item& item) {
    switch (item.kind) {
      case ItemKind::action:
        gather_ = no_node;
        begin(stretch_);
        if (stretch_ == no_node) {
          stretch_ = nodes_.size();
          nodes_.push_back({.kind = NodeKind::segment, .core = core_, .commit = item.step});
        }
        return add(nodes_[stretch_], item);
      case ItemKind::start:
        stretch_ = no_node;
        return take_copy(item);
      case ItemKind::wait:
      case ItemKind::signal:
        ++synchronisations_;
        return leave();
      case ItemKind::open:
      case ItemKind::close:
      case ItemKind::enter:
      case ItemKind::leave:
        return;
    }
  }

  // Copies that one statement starts in a row to one memory begin together with the first one: the
  // core waits for nothing in between. Copies that add are excluded, because their order matters.
  void take_copy(const Item& item) {
    begin(gather_);
    const Action& copy = action(item);
    if (gather_ != no_node && nodes_[gather_].statement == copy.statement && !copy.adds &&
        log_.actions[nodes_[gather_].actions.front()].to().memory == copy.to().memory) {
      nodes_[gather_].kind = NodeKind::gather;
      return add(nodes_[gather_], item);
    }
    gather_ = nodes_.size();
    nodes_.push_back({.kind = NodeKind::copy, .core = core_, .commit = item.step, .side_count = 2});
    add(nodes_[gather_], item);
  }

  void add(Node& node, const Item& item) const { add(node, item.action); }
  void add(Node& node, ActionId id) const {
    const Action& action = log_.actions[id];
    if (node.actions.empty()) node.statement = action.statement;
    node.actions.push_back(*log_.arena, id);
    node.bytes += action.bytes;
    node.flops += action.flops;
  }

  // An open node contains no synchronisation, so it is atomic.
  void begin(std::size_t open) {
    CHECK(open == no_node || began_ == synchronisations_);
    began_ = synchronisations_;
  }
  void leave() { stretch_ = gather_ = no_node; }

  static constexpr std::size_t no_node = static_cast<std::size_t>(-1);
  Log& log_;
  Table<PatternId, Node> of_patterns_;  // the common part of all nodes of a pattern
  CoreIndex core_{};
  GrownArray<Node> nodes_;
  // Synchronisations of this core so far, and up to the begin of the open node.
  std::int64_t synchronisations_ = 0, began_ = 0;
  std::size_t stretch_ = no_node, gather_ = no_node;  // open nodes, to which actions may be added
};

}  // namespace

Nodes segments(Log& log) {
  Cutter cutter(log);
  for (const CoreIndex core : log.items.ids())
    cutter.cut(core, {log.items[core].begin(), log.items[core].end()});
  return cutter.nodes();
}

}  // namespace tessera::graph
