#include "cli/args/run_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>

#include "cli/args/dump_words.h"
#include "cli/args/limits.h"
#include "cli/args/profile_options.h"
#include "devices/devices.h"
#include "interp/schedule/strategies.h"

namespace tessera::cli {
namespace {

// Adds `replay:FILE` to the forms of a schedule, before the last one.
std::string_view schedule_values() {
  static const std::string values = [] {
    std::vector<std::string> forms = schedule_forms();
    forms.insert(forms.end() - 1, "replay:FILE");
    return fmt::format("{}", fmt::join(forms, "|"));
  }();
  return values;
}

std::vector<RunOption> made_run_options() {
  std::vector<RunOption> all = {
      {{"interpret", "", "short for --device interpreter"}, About::where},
      {{"device", device_values(), "device to run on; default: a GPU if there is one"},
       About::where},
      {{"threads", "N", "how many threads of this machine to use; default all"}, About::threads},
      {{"profile", "v5e|v5p|v6e|h200|...", "machine profile of the simulated devices; default v5e"},
       About::program},
      {{"cores", "N", "how many cores each simulated device has; default 1"}, About::program},
      {{"loop-workers", "N",
        "run the iterations of parallel loops concurrently, on N loop workers per core with their "
        "own scratch"}},
      {{"schedule", schedule_values(), "order in which cores and copies take steps; default eager",
        false, FileUse::reads}},
      {{"dma-order", "unordered|fifo",
        "fifo: copies from one core to one other device complete in the order of their starts"},
       About::program},
      {{"copy-granularity", "whole|partial",
        "whole: a copy reads its source, then writes its destination; partial: it does both in "
        "parts"}},
      {{"slow-device", "D", "device D takes a step only if no other device can"}},
      {{"math", "library|exact", "tile arithmetic: the fast library, or loops in ascending order"},
       About::product},
      {{"no-math", "", "skip tile arithmetic: run only copies, waits, signals and control flow"}},
      {{"no-verify", "", "skip the proof for all schedules"}},
      {{"unchecked", "", "run without checks and observers, only for measurements"}},
      {{"all", "", "show every finding, also consequences of other findings, and every note"},
       About::where},
      {max_steps_option()},
      {max_memory_option(), About::where},
      {{"uninitialised", "use|strict|poison", "use of undefined data that ends the run"},
       About::checks},
      {{"trace", "FILE", "write the run's events as text; - is standard error", false,
        FileUse::writes},
       About::checks},
      {{"check-nodes", "",
        "compare the output of each task-graph node with the interpreter's own run"},
       About::engine},
      {{"timing", "",
        "estimate how long the run takes on the profile's machine, by a model of its events"},
       About::checks},
      {{"cost", "", "break that time down: by source line, by trace region, on the critical path"},
       About::checks},
      {{"timeline", "FILE",
        "draw the run in modelled time: cores, copies, memory, semaphores, findings; a page "
        "for any browser if FILE ends in .html, else a trace for Perfetto",
        false, FileUse::writes},
       About::checks},
      {dump_option(), About::values},
      {{"prints", "N", "show the first N lines of each `print` of the program; default 100"}},
      {{"save-schedule", "FILE", "write the run's schedule, for --schedule replay:FILE", false,
        FileUse::writes}},
  };
  const auto profile = std::find_if(
      all.begin(), all.end(), [](const RunOption& row) { return row.option.name == "profile"; });
  std::vector<RunOption> capacities;
  for (const Option& option : capacity_options()) capacities.push_back({option, About::program});
  all.insert(profile + 1, capacities.begin(), capacities.end());
  return all;
}

}  // namespace

std::string_view device_values() {
  static const std::string values = [] {
    std::vector<std::string_view> names;
    for (const Device* device : devices_as_listed()) names.push_back(device->name());
    return fmt::format("{}", fmt::join(names, "|"));
  }();
  return values;
}

const std::vector<RunOption>& all_run_options() {
  static const std::vector<RunOption> all = made_run_options();
  return all;
}

Options run_options() {
  Options options;
  for (const RunOption& row : all_run_options()) options.push_back(row.option);
  return options;
}

}  // namespace tessera::cli
