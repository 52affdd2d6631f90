// A request from outside to end long work early: by a signal, or from another thread.
#pragma once  // public
#include <atomic>
#include <exception>

namespace tessera {

// Set when the work shall end; null where nobody asks.
using Stop = const std::atomic<bool>*;

inline bool is_stopped(Stop stop) {
  return stop != nullptr && stop->load(std::memory_order_relaxed);
}

// Whom the work of this thread listens to, while it lives; scopes nest, and null changes nothing.
class StopScope {
 public:
  explicit StopScope(Stop stop);
  ~StopScope();
  StopScope(const StopScope&) = delete;
  StopScope& operator=(const StopScope&) = delete;

 private:
  Stop before_;
};
Stop current_stop();

// Thrown by work that has nothing to show before its end; a run is stopped without it.
class Interrupted : public std::exception {
 public:
  const char* what() const noexcept override { return "interrupted"; }
};

// To be called now and then by what may take long.
inline void leave_if_stopped() {
  if (is_stopped(current_stop())) throw Interrupted();
}

}  // namespace tessera
