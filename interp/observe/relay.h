// Hands items to a thread of its own in batches, in their order. What the thread throws comes out
// of the next call.
#pragma once
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
  explicit Relay(std::function<void(std::span<const Item>)> take)
      : take_(std::move(take)), filled_(batch), taken_(batch), thread_([this] { work(); }) {}
  ~Relay() { stop(); }
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;

  // The place of the next item, to be filled before the next call.
  Item& next() {
    if (count_ == batch) hand_over();
    return filled_[count_++];
  }
  // Until all items were taken.
  void finish() {
    hand_over();
    stop();
    rethrow();
  }

 private:
  static constexpr std::size_t batch = 2048;

  void rethrow() {
    if (problem_) std::rethrow_exception(std::exchange(problem_, nullptr));
  }

  void hand_over() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return taking_ == 0; });
    rethrow();
    std::swap(filled_, taken_);
    taking_ = std::exchange(count_, 0);
    changed_.notify_all();
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
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return taking_ > 0 || is_over_; });
      if (taking_ == 0) return;
      lock.unlock();
      std::exception_ptr problem;
      try {
        take_({taken_.data(), taking_});
      } catch (...) {
        problem = std::current_exception();
      }
      lock.lock();
      problem_ = problem;
      taking_ = 0;
      changed_.notify_all();
    }
  }

  const std::function<void(std::span<const Item>)> take_;
  std::vector<Item> filled_, taken_;
  std::size_t count_ = 0, taking_ = 0;  // of them
  bool is_over_ = false;
  std::exception_ptr problem_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::thread thread_;
};

}  // namespace tessera
