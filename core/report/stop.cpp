#include "core/report/stop.h"

#include <utility>

namespace tessera {
namespace {

thread_local Stop of_this_thread = nullptr;

}  // namespace

StopScope::StopScope(Stop stop)
    : before_(std::exchange(of_this_thread, stop != nullptr ? stop : of_this_thread)) {}

StopScope::~StopScope() { of_this_thread = before_; }

Stop current_stop() { return of_this_thread; }

}  // namespace tessera
