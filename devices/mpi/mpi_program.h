// A program that the processes of a world run together.
#pragma once
#include <memory>

#include "core/program/program.h"
#include "devices/device.h"
#include "devices/mpi/engine.h"

namespace tessera::mpi {

// Returns the executable of a program. structured: the program from which `expanded` was created,
// for its parallel loops. world must outlive the result. All processes must call its run() alike.
std::unique_ptr<Executable> mpi_program(World& world, Program structured, Program expanded,
                                        const Trial& trial = {});

}  // namespace tessera::mpi
