// Work in C++ while other threads of Python run.
#pragma once
#include <functional>

#include "core/report/stop.h"

namespace tessera::python {

// Does the work with the interpreter lock released. Python hears signals in its main thread alone,
// so that thread waits while another does its work: where a handler raises, as that of Ctrl-C does,
// the stop is set, and once the work has ended the exception goes on. Called with the lock held.
void without_lock(const std::function<void(Stop)>& work);

}  // namespace tessera::python
