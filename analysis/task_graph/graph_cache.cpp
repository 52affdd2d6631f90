#include "analysis/task_graph/graph_cache.h"

#include <algorithm>
#include <cstring>
#include <list>
#include <mutex>
#include <unordered_map>
#include <utility>

#include "core/report/try.h"

namespace tessera::graph {
namespace {

struct CachedGraph {
  GraphKey key;  // the spans refer to `control`
  std::vector<std::vector<std::byte>> control;
  std::shared_ptr<const TaskGraph> graph;
  std::size_t bytes = 0;
};

bool is_same(const GraphKey& a, const GraphKey& b) {
  const auto same_bytes = [](std::span<const std::byte> x, std::span<const std::byte> y) {
    return x.size() == y.size() && (x.empty() || std::memcmp(x.data(), y.data(), x.size()) == 0);
  };
  return a.hash == b.hash && a.program == b.program && a.options == b.options &&
         std::equal(a.control.begin(), a.control.end(), b.control.begin(), b.control.end(),
                    same_bytes);
}

}  // namespace

// Least recently used cache; the most recently used entry is first.
struct GraphCache::Entries {
  using Order = std::list<CachedGraph>;
  explicit Entries(std::size_t most) : max_bytes(most) {}

  Order::iterator find(const GraphKey& key) {
    const auto [begin, end] = by_hash.equal_range(key.hash);
    const auto found = std::find_if(
        begin, end, [&](const auto& known) { return is_same(known.second->key, key); });
    return found == end ? order.end() : found->second;
  }

  void drop_last() {
    const auto last = std::prev(order.end());
    const auto [begin, end] = by_hash.equal_range(last->key.hash);
    by_hash.erase(
        std::find_if(begin, end, [&](const auto& known) { return known.second == last; }));
    bytes -= last->bytes;
    order.erase(last);
  }

  const std::size_t max_bytes;
  std::mutex mutex;
  Order order;
  std::unordered_multimap<std::uint64_t, Order::iterator> by_hash;
  std::size_t bytes = 0;
};

GraphCache::GraphCache(std::size_t max_bytes) : entries_(std::make_unique<Entries>(max_bytes)) {}
GraphCache::~GraphCache() = default;

GraphCache& GraphCache::of_process() {
  constexpr std::size_t max_bytes = std::size_t{1} << 30;
  static GraphCache kept(max_bytes);
  return kept;
}

std::shared_ptr<const TaskGraph> GraphCache::find(const GraphKey& key) {
  const std::lock_guard lock(entries_->mutex);
  const auto found = entries_->find(key);
  if (found == entries_->order.end()) return nullptr;
  entries_->order.splice(entries_->order.begin(), entries_->order, found);
  return found->graph;
}

void GraphCache::keep(const GraphKey& key, std::shared_ptr<const TaskGraph> graph) {
  CachedGraph entry{key, {}, std::move(graph), 0};
  entry.bytes = bytes_of(*entry.graph);
  for (std::span<const std::byte>& bytes : entry.key.control) {
    entry.control.emplace_back(bytes.begin(), bytes.end());
    bytes = entry.control.back();
    entry.bytes += bytes.size();
  }
  Entries& all = *entries_;
  const std::lock_guard lock(all.mutex);
  if (all.find(entry.key) != all.order.end()) return;  // another thread was faster
  all.bytes += entry.bytes;
  all.order.push_front(std::move(entry));
  all.by_hash.emplace(all.order.front().key.hash, all.order.begin());
  while (all.bytes > all.max_bytes && all.order.size() > 1) all.drop_last();
}

std::size_t GraphCache::size() const {
  const std::lock_guard lock(entries_->mutex);
  return entries_->order.size();
}

void GraphCache::clear() {
  const std::lock_guard lock(entries_->mutex);
  entries_->by_hash.clear();
  entries_->order.clear();
  entries_->bytes = 0;
}

std::size_t bytes_of(const TaskGraph& graph) {
  return graph.memories.size() * sizeof(Memory) + graph.nodes.size() * sizeof(Node) +
         graph.sides.size() * sizeof(NodeSide) +
         graph.actions.size() * (sizeof(Action) + sizeof(ActionId)) +
         graph.accesses.size() * sizeof(AccessList) +
         static_cast<std::size_t>(graph.arena->bytes());
}

}  // namespace tessera::graph
