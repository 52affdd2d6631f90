// Passes items to a separate thread in batches, in order. An exception in that thread is rethrown
// by a later call, and later items are dropped.
#pragma once
#include <array>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <utility>
#include <vector>

namespace tessera {

template <typename Item>
class Relay {
 public:
  // take: called in the other thread with each batch.
  explicit Relay(std::function<void(std::span<const Item>)> take)
      : take_(std::move(take)), thread_([this] { work(); }) {}
  // Waits for the batches that were passed on; drops the items after them and any exception.
  ~Relay() { stop(); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // Vector for the next items. Call added() after adding to it; the reference is then invalid.
  std::vector<Item>& items() { return batches_[filled_ % batches]; }
  // Passes the batch on if it is full. Waits while all batches are in use. Rethrows an exception of
  // `take`.
  void added() {
    if (items().size() >= enough) hand_over();
  }
  // Waits until all items are processed, and ends the thread: no items may be added afterwards.
  void finish() {
    hand_over();
    stop();
    rethrow();
  }

 private:
  // Items per batch and number of batches: both fit in the caches of the two threads.
  static constexpr std::size_t enough = (std::size_t{64} << 10) / sizeof(Item), batches = 8;

  void rethrow() {
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }

  void hand_over() {
    std::unique_lock lock(mutex_);
    ++filled_;
    changed_.notify_all();
    changed_.wait(lock, [&] { return filled_ - taken_ < batches; });
    rethrow();
    items().clear();
  }

  void stop() {
    {
      const std::lock_guard lock(mutex_);
      is_over_ = true;
      changed_.notify_all();
    }
    if (thread_.joinable()) thread_.join();
  }

  void work() {
    bool has_failed = false;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return filled_ > taken_ || is_over_; });
      if (filled_ == taken_) return;
      const std::vector<Item>& batch = batches_[taken_ % batches];
      lock.unlock();
      std::exception_ptr problem;
      try {
        if (!has_failed) take_(batch);
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      if (problem) {
        problem_ = problem;
        has_failed = true;
      }
      ++taken_;
      changed_.notify_all();
    }
  }

  const std::function<void(std::span<const Item>)> take_;
  std::array<std::vector<Item>, batches> batches_;
  std::size_t filled_ = 0, taken_ = 0;  // number of batches
  bool is_over_ = false;
  std::exception_ptr problem_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace tessera
