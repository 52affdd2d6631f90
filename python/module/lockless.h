// Execution of C++ work without the interpreter lock.
#pragma once
#include <functional>

#include "core/report/stop.h"

namespace tessera::python {

// Runs the work with the interpreter lock released. Call with the lock held. Python handles signals
// only in its main thread, so a call from the main thread runs the work on another thread and
// checks for signals meanwhile. If a signal handler raises, for example for Ctrl-C, the stop flag
// is set, and the exception is thrown after the work has ended. Exceptions of the work are
// rethrown.
void without_lock(const std::function<void(Stop)>& work);

}  // namespace tessera::python
