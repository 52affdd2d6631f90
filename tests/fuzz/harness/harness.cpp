#include "tests/fuzz/harness/harness.h"

#include <condition_variable>
#include <mutex>
#include <thread>

#include "tests/fuzz/harness/memory_budget.h"

namespace tessera::fuzz {
namespace {

using Clock = std::chrono::steady_clock;

// One thread for all deadlines of the process.
class Watchdog {
 public:
  Watchdog() {
    std::thread([this] { watch(); }).detach();
  }

  void begin(Clock::time_point end, std::atomic<bool>* flag) {
    const std::lock_guard lock(mutex_);
    end_ = end;
    flag_ = flag;
    changed_.notify_one();
  }
  void end() {
    const std::lock_guard lock(mutex_);
    flag_ = nullptr;
  }

 private:
  [[noreturn]] void watch() {
    std::unique_lock lock(mutex_);
    for (;;) {
      if (flag_ == nullptr) {
        changed_.wait(lock);
      } else if (Clock::now() >= end_) {
        *flag_ = true;
        flag_ = nullptr;
      } else {
        changed_.wait_until(lock, end_);
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  Clock::time_point end_{};
  std::atomic<bool>* flag_ = nullptr;
};

Watchdog& watchdog() {
  static Watchdog* const one = new Watchdog();  // it outlives the end of the process's statics
  return *one;
}

}  // namespace

Deadline::Deadline(std::chrono::milliseconds time) : scope_(&is_over_) {
  const Unbounded unbounded;
  watchdog().begin(Clock::now() + time, &is_over_);
}

Deadline::~Deadline() { watchdog().end(); }

void require_said(const Diags& diags) {
  REQUIRE(!diags.empty(), "an error without a diagnostic");
  for (const Diag& diag : diags) REQUIRE(!diag.message.empty(), "a diagnostic without a message");
  REQUIRE(!render(diags).empty(), "nothing is shown");
}

}  // namespace tessera::fuzz
