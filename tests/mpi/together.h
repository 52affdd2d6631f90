// Programs that several processes run together, compared with what the interpreter computes.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "devices/mpi/mpi_program.h"
#include "devices/mpi/world.h"
#include "interp/launch.h"

namespace tessera::test {

struct Launch {
  KeptRun run;         // of the expanded program
  Program structured;  // empty: the expanded program is planned, whose pipelines are not memoised
};

// What a command line runs; none where it is refused.
std::optional<Launch> launch_of(const std::string& words);
// A random program (tests/fuzz/larger) of 2 to 8 devices, and of as many as there are processes at
// least.
std::optional<Launch> random_launch(std::uint64_t seed, int processes);
// A random program of several pipelines (tests/fuzz/engines), with one or two devices more than
// there are processes, or as many; none if the interpreter finds a mistake in it.
std::optional<Launch> pipelines_launch(std::uint64_t seed, int processes);

enum class Outcome : std::uint8_t { right, wrong, refused, too_small };
// All processes call it alike. refused: it has no task graph. too_small: there are more processes
// than devices. Process 0 prints what is wrong.
Outcome run_together(mpi::World& world, const std::string& name, const Launch& launch,
                     const mpi::Trial& trial);
// Compared node by node with the interpreter; then with a fault in some of its nodes, each of which
// is to be found.
Outcome check_together(mpi::World& world, const std::string& name, const Launch& launch,
                       const mpi::Trial& trial);

}  // namespace tessera::test
