#include "analysis/task_graph/access_list.h"

#include <algorithm>

namespace tessera::graph {
namespace {

constexpr int rank_at = 32, dropped_at = 40, reads_at = 48, writes_at = 49;

}  // namespace

MemoryAccess AccessList::Iterator::operator*() const {
  const std::int64_t word = *at_;
  MemoryAccess access;
  access.memory = memory(word);
  access.reads = (word >> reads_at & 1) != 0;
  access.writes = (word >> writes_at & 1) != 0;
  access.box.rank = static_cast<std::int8_t>(word >> rank_at & 0xFF);
  access.box.dropped = static_cast<std::uint8_t>(word >> dropped_at & 0xFF);
  std::copy_n(at_ + 1, access.box.rank, access.box.start.begin());
  std::copy_n(at_ + 1 + access.box.rank, access.box.rank, access.box.size.begin());
  return access;
}

void AccessList::push_back(Arena& arena, const MemoryAccess& access) {
  const Box& box = access.box;
  last_ = static_cast<std::uint32_t>(words_.size());
  std::int64_t word = std::int64_t{box.rank} << rank_at | std::int64_t{box.dropped} << dropped_at |
                      std::int64_t{access.reads} << reads_at |
                      std::int64_t{access.writes} << writes_at;
  set_memory(word, access.memory);
  const auto rank = static_cast<std::size_t>(box.rank);
  std::int64_t* const words = words_.extend(arena, 1 + 2 * rank);
  words[0] = word;
  std::copy_n(box.start.begin(), rank, words + 1);
  std::copy_n(box.size.begin(), rank, words + 1 + rank);
  ++size_;
}

AccessList AccessList::of(Arena& arena, std::span<const MemoryAccess> accesses) {
  std::size_t dimensions = 0;
  for (const MemoryAccess& access : accesses)
    dimensions += static_cast<std::size_t>(access.box.rank);
  AccessList result;
  result.reserve(arena, accesses.size(), dimensions);
  for (const MemoryAccess& access : accesses) result.push_back(arena, access);
  return result;
}

AccessList AccessList::copy(Arena& arena) const {
  AccessList result = *this;
  result.words_ = words_.copy(arena);
  return result;
}

void AccessList::set_memory(std::size_t which, MemoryId memory) {
  std::size_t at = 0;
  for (; which > 0; --which) at += length(words_[at]);
  set_memory(words_[at], memory);
}

MemoryAccess AccessList::operator[](std::size_t which) const {
  Iterator at = begin();
  for (; which > 0; --which) ++at;
  return *at;
}

}  // namespace tessera::graph
