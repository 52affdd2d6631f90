// Options shared by all commands that run a program: device, machine, schedule, checks and reports.
#pragma once
#include <cstdint>
#include <string_view>
#include <vector>

#include "cli/args/options.h"

namespace tessera::cli {

// Category of a run option: the devices that honour it, in addition to the simulated device.
enum class About : std::uint8_t {
  where,    // device selection, and options that every device honours
  engine,   // devices that run the program's task graph
  threads,  // devices that run a program on host threads
  program,  // target machine of the program: also devices that run its task graph
  machine,  // execution on a simulated device
  checks,   // checks and reports: not with --unchecked
  values,   // computed values: not with --no-math
  product,  // multiplication: also devices that run the task graph, but not with --no-math
};

struct RunOption {
  Option option;
  About about = About::machine;
};

// Return all run options, in the order of --help: with their categories, and without them.
const std::vector<RunOption>& all_run_options();
Options run_options();
// Returns the values of --device as in --help, "interpreter|...", in the order of
// devices_as_listed().
std::string_view device_values();

}  // namespace tessera::cli
