// Number of threads of devices that compute on the processor.
#pragma once  // public

namespace tessera {

class Device;  // devices/device.h

// Sets the number of threads of this process, from the next run on. 0, the default, or less: all
// threads of the processor. Thread-safe.
void set_thread_count(int threads);
// Number of threads, at least 1.
int thread_count();
// The first device that computes with these threads. It is always available.
const Device& threading_device();

}  // namespace tessera
