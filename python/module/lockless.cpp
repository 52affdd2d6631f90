#include "python/module/lockless.h"

#include <nanobind/nanobind.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <optional>
#include <thread>

namespace nb = nanobind;

namespace tessera::python {
namespace {

// Maximum delay before a signal is handled.
constexpr auto between_looks = std::chrono::milliseconds(20);

// A thread that runs tasks in order. Never destroyed: in a forked child its thread does not exist,
// so the destructor would block.
class Worker {
 public:
  Worker() {
    std::thread([this] { serve(); }).detach();
  }

  void begin(std::function<void()> work) {
    const std::lock_guard lock(mutex_);
    work_ = std::move(work);
    is_done_ = false;
    changed_.notify_all();
  }
  // Waits for at most `time`. True if the work is done.
  bool is_done_within(std::chrono::milliseconds time) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, time, [this] { return is_done_; });
  }

 private:
  [[noreturn]] void serve() {
    for (std::unique_lock lock(mutex_);;) {
      changed_.wait(lock, [this] { return work_ != nullptr; });
      const std::function<void()> work = std::exchange(work_, nullptr);
      lock.unlock();
      work();
      lock.lock();
      is_done_ = true;
      changed_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable changed_;
  std::function<void()> work_;
  bool is_done_ = true;
};

// Returns the worker of this process; a forked child creates its own.
Worker& worker() {
  static Worker* all = nullptr;
  static pid_t of = 0;
  if (of != getpid()) {
    all = new Worker;
    of = getpid();
  }
  return *all;
}

bool is_main_thread() {
  const nb::object main = nb::module_::import_("threading").attr("main_thread")();
  return nb::cast<unsigned long>(main.attr("ident")) == PyThread_get_thread_ident();
}

// Runs pending Python signal handlers and stores the first exception that one of them raises.
void hear_signals(std::optional<nb::python_error>& raised) {
  const nb::gil_scoped_acquire lock;
  if (PyErr_CheckSignals() == 0) return;
  nb::python_error error;
  if (!raised) raised.emplace(std::move(error));
}

}  // namespace

void without_lock(const std::function<void(Stop)>& work) {
  std::atomic<bool> stop = false;
  std::exception_ptr failed;
  const auto guarded = [&] {
    try {
      work(&stop);
    } catch (...) {
      failed = std::current_exception();
    }
  };
  std::optional<nb::python_error> raised;
  if (!is_main_thread()) {
    const nb::gil_scoped_release unlocked;
    guarded();
  } else {
    Worker& other = worker();
    const nb::gil_scoped_release unlocked;
    other.begin(guarded);
    while (!other.is_done_within(between_looks)) {
      hear_signals(raised);
      stop = raised.has_value();
    }
  }
  if (raised) throw std::move(*raised);
  if (failed) std::rethrow_exception(failed);
}

}  // namespace tessera::python
