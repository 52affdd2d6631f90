// A multiprocessor that runs the kernel templates on the host, one thread of the kernel after the
// other. Copies and matrix instructions happen later than they are issued, at times that a seed
// chooses; a hazard that the barriers do not prevent then gives a wrong result, and what no barrier
// ends is a deadlock with a message.
#pragma once
#include <ucontext.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace tessera::cuda::emulate {

inline constexpr int shared_size = 232448;

// What stands in a TensorMap's 128 bytes.
struct Map {
  char* base;
  int rank, element_bytes;
  std::int64_t extent[3];
  std::int64_t stride[2];  // elements from a row to the next, and from a plane
  int box[3];
};
static_assert(sizeof(Map) <= 128);

struct Problem : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct Barrier {
  int arrivals = 0, pending = 0;
  std::int64_t bytes = 0;
  unsigned phase = 0;  // of the phase that is going on
  bool ready = false;  // it was initialised
};

// A matrix instruction in flight: what one thread of the warpgroup owes its accumulators.
struct PendingProduct {
  std::function<void()> finish;
  int group = 0;
};

struct PendingStore {
  std::function<void()> read;  // takes the bytes out of shared memory and writes them
  bool done = false;
  int group = 0;
};

struct Thread {
  int number = 0;
  ucontext_t context{};
  std::vector<char> stack;
  bool finished = false;
  std::function<bool()> blocked;  // empty: it can run
  std::string where;
  std::deque<PendingProduct> products;
  int product_groups = 0;
  std::deque<std::shared_ptr<PendingStore>> stores;
  int store_groups = 0;
  bool unpublished = false;   // wrote to another block's memory and has not released it
  std::vector<int> unfenced;  // chunks of shared memory written and not yet fenced
};

struct NamedBarrier {
  int arrived = 0;
  std::uint64_t generation = 0;
};

class Block;

// Blocks that run at the same time and reach each other's memory.
struct Cluster {
  std::vector<std::unique_ptr<Block>> blocks;
  int arrived = 0;
  std::uint64_t generation = 0;
  std::map<std::uint32_t*, std::int64_t> taken;  // the last number of a counter
};

class Block {
 public:
  Block(Cluster& cluster, int number, int blocks, int threads, std::uint64_t seed)
      : cluster_(cluster), number_(number), blocks_(blocks), lazy_(seed % 2 != 0), seed_(seed) {
    shared_.assign(shared_size + 1024, static_cast<char>(0xCB));
    unfenced_.assign(shared_size / 16 + 1, -1);
    versions_.assign(shared_size / 1024 + 2, ++changes_);
    for (int i = 0; i < threads; ++i) {
      threads_.push_back(std::make_unique<Thread>());
      threads_.back()->number = i;
    }
  }
  // All blocks of the cluster, to the end.
  static void run(Cluster& cluster, const std::function<void()>& kernel);

  static Block& now() { return *now_; }
  Thread& thread() { return *threads_[static_cast<std::size_t>(current_)]; }
  int number() const { return number_; }
  int blocks() const { return blocks_; }
  int size() const { return static_cast<int>(threads_.size()); }

  // The cluster's block `rank`; it must not have left.
  Block& neighbour(int rank) {
    Block& block = *cluster_.blocks.at(static_cast<std::size_t>(rank));
    if (std::all_of(block.threads_.begin(), block.threads_.end(),
                    [](const auto& t) { return t->finished; }))
      throw Problem("block " + std::to_string(block.number_) + " has left the cluster");
    return block;
  }
  void meet_cluster() {
    int all = 0;
    for (const auto& block : cluster_.blocks) all += block->size();
    if (++cluster_.arrived == all) {
      cluster_.arrived = 0;
      ++cluster_.generation;
      return;
    }
    const std::uint64_t generation = cluster_.generation;
    wait("the cluster's barrier", [this, generation] { return cluster_.generation != generation; });
  }

  char* shared() {
    const auto at = reinterpret_cast<std::uintptr_t>(shared_.data());
    return shared_.data() + (1024 - at % 1024) % 1024;
  }
  char* shared(std::uint32_t address, int bytes) {
    if (address + static_cast<std::uint32_t>(bytes) > shared_size)
      throw Problem("shared memory ends before " + std::to_string(address + bytes));
    return shared() + address;
  }

  // One of a counter's numbers. Clusters run one after the other here: each leaves some numbers to
  // those after it, as if these had been at work, and the last one takes all. As on the hardware, a
  // cluster's numbers ascend.
  std::uint32_t take(std::uint32_t* counter) {
    const bool is_last = number_ + static_cast<int>(cluster_.blocks.size()) >= blocks_;
    std::deque<std::uint32_t>& left = left_[counter];
    std::int64_t& last = cluster_.taken.try_emplace(counter, -1).first->second;
    for (auto it = left.begin(); it != left.end(); ++it) {
      if (*it <= last || (!is_last && random() % 2 == 0)) continue;
      last = *it;
      left.erase(it);
      return static_cast<std::uint32_t>(last);
    }
    while (!is_last && random() % 2 == 0) left.push_back((*counter)++);
    last = *counter;
    return (*counter)++;
  }
  // Before a kernel's first block.
  static void leave_nothing() { left_.clear(); }

  // Gives the processor away until `ready` holds.
  void wait(const char* where, std::function<bool()> ready) {
    Thread& t = thread();
    t.where = where;
    t.blocked = std::move(ready);
    yield();
  }
  void yield();
  std::uint64_t random() {
    seed_ += 0x9E3779B97F4A7C15ull;
    std::uint64_t z = seed_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
    return z ^ (z >> 31);
  }

  // A copy that happens as soon as it is issued.
  bool is_prompt() { return !lazy_ && random() % 4 == 0; }
  // What the copy engine will do some time.
  void later(std::function<void()> copy) { copies_.push_back(std::move(copy)); }
  Barrier& barrier(std::uint32_t address) { return barriers_[address]; }
  NamedBarrier& named(int id) { return named_[id]; }
  void meet(int id, int count) {
    NamedBarrier& b = named(id);
    if (++b.arrived == count) {
      b.arrived = 0;
      ++b.generation;
      return;
    }
    const std::uint64_t generation = b.generation;
    wait(("named barrier " + std::to_string(id)).c_str(),
         [&b, generation] { return b.generation != generation; });
  }
  // Completes the barrier's phase when nothing is missing.
  void settle(Barrier& b) {
    if (b.pending < 0) throw Problem("a transaction barrier has more arrivals than it was given");
    if (b.pending == 0 && b.bytes < 0) throw Problem("more bytes landed than a barrier expected");
    if (b.pending == 0 && b.bytes == 0) {
      b.pending = b.arrivals;
      ++b.phase;
    }
  }

  // Ordinary writes that copies and matrix instructions may not see yet.
  void wrote(std::uint32_t address, int bytes) {
    for (std::uint32_t c = address / 16;
         c <= (address + static_cast<std::uint32_t>(bytes) - 1) / 16; ++c) {
      unfenced_[c] = current_;
      thread().unfenced.push_back(static_cast<int>(c));
    }
    landed(address, static_cast<std::uint32_t>(bytes));
  }
  void fence() {
    for (const int c : thread().unfenced) {
      if (unfenced_[static_cast<std::size_t>(c)] == current_)
        unfenced_[static_cast<std::size_t>(c)] = -1;
    }
    thread().unfenced.clear();
  }
  void async_read(std::uint32_t address, int bytes, const char* what) {
    for (std::uint32_t c = address / 16;
         c <= (address + static_cast<std::uint32_t>(bytes) - 1) / 16; ++c) {
      if (unfenced_[c] >= 0)
        throw Problem(std::string(what) + " reads what thread " + std::to_string(unfenced_[c]) +
                      " wrote without fence.proxy.async");
    }
  }
  // Shared memory has changed there; `version` is another number after that.
  void landed(std::uint32_t address, std::uint32_t bytes) {
    for (std::uint32_t page = address / 1024; page <= (address + bytes - 1) / 1024; ++page)
      versions_[page] = ++changes_;
  }
  std::uint64_t version(std::uint32_t first, std::uint32_t last) const {
    std::uint64_t newest = 0;
    for (std::uint32_t page = first / 1024; page <= last / 1024; ++page)
      newest = std::max(newest, versions_[page]);
    return newest;
  }

  // By copies into this block, and what the L2 cache was asked for: a copy to two blocks counts
  // once.
  std::uint64_t loaded_bytes = 0, fetched_bytes = 0;
  std::uint64_t stored_elements = 0;

 private:
  static void start();
  bool step_copies(bool must);

  static inline Block* now_ = nullptr;
  static inline ucontext_t scheduler_{};
  static inline const std::function<void()>* kernel_ = nullptr;
  Cluster& cluster_;
  int number_, blocks_;
  bool lazy_;
  std::uint64_t seed_;
  std::vector<char> shared_;
  std::vector<int> unfenced_;
  std::vector<std::unique_ptr<Thread>> threads_;
  int current_ = 0;
  std::string thrown_;
  std::vector<std::function<void()>> copies_;
  std::map<std::uint32_t, Barrier> barriers_;
  std::map<int, NamedBarrier> named_;
  std::vector<std::uint64_t> versions_;
  static inline std::map<std::uint32_t*, std::deque<std::uint32_t>> left_;
  static inline std::uint64_t changes_ = 0;  // of all blocks: a number is never used twice
};

inline void Block::start() {
  Block& block = now();
  try {
    (*kernel_)();
  } catch (const std::exception& problem) {
    block.thrown_ = "block " + std::to_string(block.number_) + " thread " +
                    std::to_string(block.current_) + ": " + problem.what();
  }
  block.thread().finished = true;
  swapcontext(&block.thread().context, &scheduler_);
}

inline void Block::yield() { swapcontext(&thread().context, &scheduler_); }

inline bool Block::step_copies(bool must) {
  if (copies_.empty() || (!must && (lazy_ || random() % 8 != 0))) return false;
  const std::size_t which = random() % copies_.size();
  const std::function<void()> copy = std::move(copies_[which]);
  copies_.erase(copies_.begin() + static_cast<std::ptrdiff_t>(which));
  copy();
  return true;
}

inline void Block::run(Cluster& cluster, const std::function<void()>& kernel) {
  kernel_ = &kernel;
  std::vector<std::pair<Block*, int>> threads;
  for (const auto& block : cluster.blocks) {
    for (auto& t : block->threads_) {
      threads.emplace_back(block.get(), t->number);
      t->stack.resize(256 * 1024);
      getcontext(&t->context);
      t->context.uc_stack.ss_sp = t->stack.data();
      t->context.uc_stack.ss_size = t->stack.size();
      t->context.uc_link = nullptr;
      makecontext(&t->context, &Block::start, 0);
    }
  }
  Block& first_block = *cluster.blocks.front();
  for (;;) {
    bool moved = false, all = true;
    const std::size_t first = first_block.random() % threads.size();
    for (std::size_t i = 0; i < threads.size(); ++i) {
      const auto [block, number] = threads[(first + i) % threads.size()];
      Thread& t = *block->threads_[static_cast<std::size_t>(number)];
      if (t.finished) continue;
      all = false;
      if (t.blocked && !t.blocked()) continue;
      t.blocked = nullptr;
      now_ = block;
      block->current_ = number;
      moved = true;
      swapcontext(&scheduler_, &t.context);
      if (!block->thrown_.empty()) throw Problem(block->thrown_);
    }
    if (all) break;
    // An odd seed: only when nobody else can move.
    const bool must = !moved;
    for (const auto& block : cluster.blocks) {
      now_ = block.get();
      try {
        if (!(must && moved) && block->step_copies(must)) moved = true;
      } catch (const std::exception& problem) {
        throw Problem(std::string("block ") + std::to_string(block->number_) + ": " +
                      problem.what());
      }
    }
    if (!moved) {
      std::map<std::string, int> waiting;
      for (const auto& [block, number] : threads) {
        const Thread& t = *block->threads_[static_cast<std::size_t>(number)];
        if (!t.finished) ++waiting[t.where];
      }
      std::string text = "block " + std::to_string(first_block.number_) + " is deadlocked:";
      for (const auto& [where, count] : waiting)
        text += " " + std::to_string(count) + " threads at " + where + ";";
      throw Problem(text);
    }
  }
  for (const auto& block : cluster.blocks) {
    now_ = block.get();
    while (block->step_copies(true)) {
    }
    for (const auto& [address, b] : block->barriers_) {
      if (b.bytes != 0) throw Problem("a transaction barrier is left with bytes expected");
    }
  }
}

}  // namespace tessera::cuda::emulate
