// Several processes as one device. Each process has some of the devices of a run, and MPI carries
// the data between them.
#pragma once
#include "devices/device.h"

namespace tessera {

const Device& mpi_device();

}  // namespace tessera
