#include "analysis/task_graph/arena.h"

#include <algorithm>
#include <new>

#include "core/host/host_memory.h"

namespace tessera::graph {
namespace {

// first_chunk: size of the first chunk. Later chunks are multiples of `page`, the size of large
// pages, which cost less than many small ones.
constexpr std::size_t first_chunk = std::size_t{64} << 10, page = std::size_t{2} << 20;

}  // namespace

void* Arena::take_bytes(std::size_t bytes) {
  bytes = (bytes + alignment - 1) / alignment * alignment;
  if (bytes > left_) add_chunk(bytes);
  left_ -= bytes;
  std::byte* const taken = next_;
  next_ += bytes;
  return taken;
}

void Arena::add_chunk(std::size_t at_least) {
  const bool is_first = chunks_.empty() && at_least <= first_chunk;
  const std::size_t size = is_first ? first_chunk : (at_least + page - 1) / page * page;
  void* const chunk = is_first ? std::malloc(size) : std::aligned_alloc(page, size);
  if (chunk == nullptr) throw std::bad_alloc();
  chunks_.emplace_back(static_cast<std::byte*>(chunk), std::free);
  if (!is_first) prefer_large_pages(chunk, size);
  next_ = static_cast<std::byte*>(chunk);
  left_ = size;
  bytes_ += static_cast<std::int64_t>(size);
}

}  // namespace tessera::graph
