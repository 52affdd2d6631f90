#include "cli/args/strict_values.h"

#include <fmt/format.h>

#include "devices/devices.h"

namespace tessera::cli {

Option strict_values_option() {
  return {"strict-values", "",
          "report unused values as findings, not notes: never_read, dead_store"};
}

// Loop workers have memories of their own.
bool follows_values(const RunRequest& request) {
  return request.is_simulated() && request.options.checks.enabled &&
         request.options.machine.loop_workers == 0;
}

Expected<bool> strict_values(const Arguments& arguments, const RunRequest& request) {
  if (!arguments.has("strict-values")) return false;
  if (follows_values(request)) return true;
  if (!request.is_simulated())
    return error(fmt::format("--strict-values is for the {}, and this runs on {}",
                             simulated_device().name(), request.device_name()));
  return error(fmt::format("--strict-values: {} disables the tracking of used values",
                           request.options.checks.enabled ? "--loop-workers" : "--unchecked"));
}

}  // namespace tessera::cli
