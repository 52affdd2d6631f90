// A request from outside to end long work early: by a signal, or from another thread.
#pragma once  // public
#include <atomic>
#include <exception>

namespace tessera {

// A flag that is set from outside when the work shall end; null: the work is not stopped.
using Stop = const std::atomic<bool>*;

// Whether the flag is there and set.
inline bool is_stopped(Stop stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// While it lives, the work of this thread ends when the flag is set. Scopes nest; null changes
// nothing.
class StopScope {
 public:
  // The flag must outlive the scope.
  explicit StopScope(Stop stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Stop before_;
};
// The flag of this thread's innermost scope; null without one.
Stop current_stop();

// Thrown by work that has no partial result. Operations catch it and return ErrorCode::interrupted.
class Interrupted : public std::exception {
 public:
  // "interrupted".
  const char* what() const noexcept override { return "interrupted"; }
};

// Throws Interrupted when current_stop() is set. Work that may take long calls it now and then.
inline void leave_if_stopped() {
  if (is_stopped(current_stop())) throw Interrupted();
}

}  // namespace tessera
