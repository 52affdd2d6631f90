// The options that every run of a program takes: where it runs, in which machine and schedule, what
// is checked and told.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/args/options.h"

namespace tessera::cli {

// What an option of a run is about, beside the simulated device that honours it.
enum class About : std::uint8_t {
  where,    // which device: every device honours it
  engine,   // of devices that run a program's task graph
  threads,  // of devices that run a program on threads of this machine
  program,  // of the machine that the program is for: also devices that run its task graph
  machine,  // how a simulated device runs
  checks,   // what it checks and tells: nothing without checks
  values,   // what it computes: nothing without arithmetic
  product,  // how it multiplies: both
};

struct RunOption {
  Option option;
  About about = About::machine;
};

// All of them, in the order of --help.
const std::vector<RunOption>& all_run_options();
// The rows of --help.
Options run_options();
// The devices of --device, "interpreter|...", as devices_as_listed() gives them.
std::string_view device_values();

}  // namespace tessera::cli
