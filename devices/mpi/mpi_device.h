// Several processes as one device: each holds some of the devices of a run, and MPI moves what they
// send each other.
#pragma once
#include "devices/device.h"

namespace tessera {

const Device& mpi_device();

}  // namespace tessera
