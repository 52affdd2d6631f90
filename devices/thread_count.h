// How many threads devices use that compute on the processor, and which device that is.
#pragma once  // public

namespace tessera {

class Device;  // devices/device.h

// Of this process, from the next run on; 0: all that the processor has, which is the default.
void set_thread_count(int threads);
// At least 1.
int thread_count();
// The first that computes with them; it is always available.
const Device& threading_device();

}  // namespace tessera
