#include "tests/fuzz/harness/harness.h"

#include <pthread.h>

#include <condition_variable>
#include <ctime>
#include <mutex>
#include <thread>

#include "tests/fuzz/harness/memory_budget.h"

namespace tessera::fuzz {
namespace {

// What a thread has had of the processor: a machine that is busy with others makes no input slow.
std::chrono::nanoseconds time_of(clockid_t clock) {
  timespec now{};
  clock_gettime(clock, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

// One thread for all deadlines of the process, which are those of the thread that makes it.
class Watchdog {
 public:
  Watchdog() {
    REQUIRE(pthread_getcpuclockid(pthread_self(), &clock_) == 0, "no clock of the thread");
    std::thread([this] { watch(); }).detach();
  }

  void begin(std::chrono::milliseconds time, std::atomic<bool>* flag) {
    const std::lock_guard lock(mutex_);
    end_ = time_of(clock_) + time;
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
      } else if (time_of(clock_) >= end_) {
        *flag_ = true;
        flag_ = nullptr;
      } else {
        changed_.wait_for(lock, std::chrono::milliseconds(100));
      }
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  clockid_t clock_{};
  std::chrono::nanoseconds end_{};
  std::atomic<bool>* flag_ = nullptr;
};

Watchdog& watchdog() {
  static Watchdog* const one = new Watchdog();  // it outlives the end of the process's statics
  return *one;
}

}  // namespace

Deadline::Deadline(std::chrono::milliseconds time) : scope_(&is_over_) {
  const Unbounded unbounded;
  watchdog().begin(time, &is_over_);
}

Deadline::~Deadline() { watchdog().end(); }

void require_said(const Diags& diags) {
  REQUIRE(!diags.empty(), "an error without a diagnostic");
  for (const Diag& diag : diags) REQUIRE(!diag.message.empty(), "a diagnostic without a message");
  REQUIRE(!render(diags).empty(), "nothing is shown");
}

}  // namespace tessera::fuzz
