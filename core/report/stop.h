// External requests to end long work early: by a signal, or from another thread.
#pragma once  // public
#include <atomic>
#include <exception>

namespace tessera {

// Flag that is set externally to end the work; null: the work cannot be stopped.
using Stop = const std::atomic<bool>*;

// True if the flag exists and is set.
inline bool is_stopped(Stop stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// While it exists, setting the flag ends the work of this thread. Scopes nest; null keeps the
// enclosing scope's flag. Must be destroyed on the same thread, in reverse order.
class StopScope {
 public:
  // `stop` must outlive the scope.
  explicit StopScope(Stop stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Stop before_;
};
// Returns the flag of this thread's innermost scope; null if there is none.
Stop current_stop();

// Thrown by work without a partial result. Operations catch it and return ErrorCode::interrupted.
class Interrupted : public std::exception {
 public:
  // "interrupted".
  const char* what() const noexcept override { return "interrupted"; }
};

// Throws Interrupted if current_stop() is set. Long work must call it regularly.
inline void leave_if_stopped() {
  if (is_stopped(current_stop())) throw Interrupted();
}

}  // namespace tessera
