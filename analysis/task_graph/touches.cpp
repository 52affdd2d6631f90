#include "analysis/task_graph/touches.h"

#include <algorithm>

namespace tessera::graph {
namespace {

constexpr int rank_at = 32, dropped_at = 40, reads_at = 48, writes_at = 49;

}  // namespace

Touch Touches::Iterator::operator*() const {
  const std::int64_t word = *at_;
  Touch touch;
  touch.memory = memory(word);
  touch.reads = (word >> reads_at & 1) != 0;
  touch.writes = (word >> writes_at & 1) != 0;
  touch.box.rank = static_cast<std::int8_t>(word >> rank_at & 0xFF);
  touch.box.dropped = static_cast<std::uint8_t>(word >> dropped_at & 0xFF);
  std::copy_n(at_ + 1, touch.box.rank, touch.box.start.begin());
  std::copy_n(at_ + 1 + touch.box.rank, touch.box.rank, touch.box.size.begin());
  return touch;
}

void Touches::push_back(Arena& arena, const Touch& touch) {
  const Box& box = touch.box;
  last_ = static_cast<std::uint32_t>(words_.size());
  std::int64_t word = std::int64_t{box.rank} << rank_at | std::int64_t{box.dropped} << dropped_at |
                      std::int64_t{touch.reads} << reads_at |
                      std::int64_t{touch.writes} << writes_at;
  set_memory(word, touch.memory);
  const auto rank = static_cast<std::size_t>(box.rank);
  std::int64_t* const words = words_.extend(arena, 1 + 2 * rank);
  words[0] = word;
  std::copy_n(box.start.begin(), rank, words + 1);
  std::copy_n(box.size.begin(), rank, words + 1 + rank);
  ++size_;
}

Touches Touches::of(Arena& arena, std::span<const Touch> touches) {
  std::size_t dimensions = 0;
  for (const Touch& touch : touches) dimensions += static_cast<std::size_t>(touch.box.rank);
  Touches result;
  result.reserve(arena, touches.size(), dimensions);
  for (const Touch& touch : touches) result.push_back(arena, touch);
  return result;
}

Touches Touches::copy(Arena& arena) const {
  Touches result = *this;
  result.words_ = words_.copy(arena);
  return result;
}

void Touches::set_memory(std::size_t which, MemoryId memory) {
  std::size_t at = 0;
  for (; which > 0; --which) at += length(words_[at]);
  set_memory(words_[at], memory);
}

Touch Touches::operator[](std::size_t which) const {
  Iterator at = begin();
  for (; which > 0; --which) ++at;
  return *at;
}

}  // namespace tessera::graph
