#include "cli/args/run_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "cli/args/limits.h"
#include "cli/args/output_option.h"
#include "cli/args/profile_options.h"
#include "cli/args/run_options.h"
#include "cli/reports/prints.h"
#include "core/host/file.h"
#include "devices/devices.h"
#include "devices/thread_count.h"

namespace tessera::cli {
namespace {

// Options of operations that concern values.
constexpr std::array<std::string_view, 3> of_values = {"out", "precision", "outliers"};
// Options of operations that configure or select a kernel; the reference has none.
constexpr std::array<std::string_view, 7> of_kernels = {
    "tiling", "buffers", "config", "explain", "program", "path", "async-sizes"};

void choose_device(const Arguments& arguments, bool with_reference, RunRequest& request,
                   Diags& diags) {
  const std::string_view named = arguments.text("device");
  if (arguments.has("interpret") && !named.empty() && named != simulated_device().name()) {
    diags.push_back(error(fmt::format("--interpret means --device {}, and --device is {}",
                                      simulated_device().name(), named)));
    return;
  }
  if (named == "reference") {
    if (!with_reference) {
      diags.push_back(
          error("--device reference is for the operations: a program has no reference"));
    }
    return;
  }
  if (named.empty() && !arguments.has("interpret")) {
    request.device = &default_device();
    for (const Device* device : devices()) {
      if (device == request.device) break;
      request.why +=
          fmt::format("{}no {} device here", request.why.empty() ? "" : ", ", device->name());
    }
    if (!request.why.empty()) request.why += ", `gmm-run list` shows why";
    return;
  }
  const Expected<const Device*> device = find_device(
      named.empty() ? simulated_device().name() : named, with_reference ? "reference" : "");
  if (!device) {
    diags.insert(diags.end(), device.diags().begin(), device.diags().end());
    return;
  }
  const Support support = (*device)->available();
  if (!support.ok) {
    diags.push_back(error(ErrorCode::environment,
                          fmt::format("device {}: {}", (*device)->name(), support.reason)));
    return;
  }
  request.device = *device;
}

void choose_schedule(const Arguments& arguments, RunRequest& request, Diags& diags) {
  if (!arguments.has("schedule")) return;
  request.schedule = arguments.text("schedule");
  request.options.schedule = request.schedule;
  constexpr std::string_view replay = "replay:";
  if (!request.schedule.starts_with(replay)) return;
  Expected<std::string> file =
      read_whole(request.schedule.substr(replay.size()), file_kinds::schedule, arguments.files());
  if (!file) {
    diags.insert(diags.end(), file.diags().begin(), file.diags().end());
    return;
  }
  std::string text = *std::move(file);
  while (!text.empty() && (text.back() == '\n' || text.back() == '\r' || text.back() == ' ')) {
    text.pop_back();
  }
  request.options.schedule = std::move(text);
}

void choose_interpretation(const Arguments& arguments, RunRequest& request, Diags& diags) {
  RunOptions& options = request.options;
  constexpr std::array<std::string_view, 2> orders = {"unordered", "fifo"};
  constexpr std::array<std::string_view, 2> maths = {"library", "exact"};
  constexpr std::array<std::string_view, 3> policies = {"use", "strict", "poison"};
  options.copies.order = static_cast<DmaOrder>(arguments.choice("dma-order", orders, diags));
  options.copies.granularity =
      static_cast<CopyGranularity>(arguments.choice("copy-granularity", copy_granularities, diags));
  options.math = static_cast<Math>(arguments.choice("math", maths, diags));
  options.checks.uninitialised =
      static_cast<Uninitialised>(arguments.choice("uninitialised", policies, diags));
  options.machine.devices = static_cast<int>(
      arguments.integer("devices", diags, 1, 1024).value_or(options.machine.devices));
  options.machine.cores =
      static_cast<int>(arguments.integer("cores", diags, 1, 64).value_or(options.machine.cores));
  options.machine.loop_workers =
      static_cast<int>(arguments.integer("loop-workers", diags, 1, 64).value_or(0));
  if (arguments.has("no-math")) options.math = Math::none;
  options.machine.slow_device = static_cast<int>(
      arguments.integer("slow-device", diags, 0, options.machine.devices - 1).value_or(-1));
  options.max_steps = arguments.integer("max-steps", diags, 1).value_or(options.max_steps);
  options.checks.enabled = !arguments.has("unchecked");
  // One run with concurrent iterations proves nothing about other schedules.
  request.certifies =
      options.checks.enabled && !arguments.has("no-verify") && options.machine.loop_workers == 0;
  // Whole copies are a guarantee of the machine, so they are assumed only if the user gives the
  // option.
  if (arguments.has("copy-granularity")) request.certified_granularity = options.copies.granularity;
  request.prints =
      std::make_shared<Prints>(arguments.integer("prints", diags, 0).value_or(Prints::most));
  request.save_schedule = arguments.text("save-schedule");
  options.record.schedule = !request.save_schedule.empty();
  request.trace = arguments.text("trace");
  for (const std::string_view timed : {"timing", "timeline", "cost"}) {
    if (!arguments.has(timed)) continue;
    if (options.machine.loop_workers > 0)
      diags.push_back(
          error(fmt::format("--{} models cores that run iterations in order, and --loop-workers "
                            "runs them concurrently",
                            timed)));
    else
      request.timing = std::make_shared<TimingObserver>(request.profile.rates);
  }
  if (arguments.has("check-nodes")) request.node_check = std::make_shared<graph::NodeCheckReport>();
  if (request.timing) request.compile_notes = std::make_shared<CompileNotes>();
  if (!arguments.has("cost") || !request.timing) return;
  request.cost = std::make_shared<CostListener>();
  request.timing->tell(*request.cost);
  request.deeper = std::make_shared<DeeperWindowsObserver>(request.profile.rates);
}

std::shared_ptr<OutputFile> opened(std::string_view option, const Arguments& arguments,
                                   Diags& diags) {
  Expected<std::shared_ptr<OutputFile>> file = opened_output(arguments, option);
  if (file) return *std::move(file);
  diags.insert(diags.end(), file.diags().begin(), file.diags().end());
  return nullptr;
}

void choose_profile(const Arguments& arguments, RunRequest& request, Diags& diags) {
  Expected<Profile> profile = chosen_profile(arguments, arguments.text("profile", default_profile));
  if (profile) {
    request.profile = *std::move(profile);
    request.options.machine.profile = request.profile.machine;
  } else {
    diags.insert(diags.end(), profile.diags().begin(), profile.diags().end());
  }
}

// Rejects the options that the run cannot honour, with the reason: on its device, with --unchecked,
// or with --no-math. This is the only place that decides it.
void refuse_idle(const Arguments& arguments, const RunRequest& request, Diags& diags) {
  const auto refuse = [&](std::string_view name, std::string_view why) {
    if (arguments.was_given(name)) diags.push_back(error(fmt::format("--{} {}", name, why)));
  };
  const std::string elsewhere = fmt::format("is for the {}, and this runs on {}",
                                            simulated_device().name(), request.device_name());
  const bool is_checked = !arguments.was_given("unchecked"),
             has_math = !arguments.was_given("no-math");
  // The device runs the task graph of the program.
  const bool is_planned = request.device != nullptr && !request.is_simulated() &&
                          request.device->supports_multiple_devices();
  const auto is_honoured = [&](About about) {
    if (about == About::where) return true;
    if (about == About::engine) return is_planned;
    if (about == About::threads) return request.device == &threading_device();
    return request.is_simulated() ||
           (is_planned && (about == About::program || about == About::product));
  };
  for (const auto& [option, about] : all_run_options()) {
    if (about == About::threads && !is_honoured(about)) {
      refuse(option.name, fmt::format("is for devices that use threads of this machine, and this "
                                      "runs on {}",
                                      request.device_name()));
    } else if (about == About::engine && !is_planned) {
      refuse(option.name, fmt::format("compares a device that runs the program's task graph with "
                                      "the interpreter, and this runs on {}",
                                      request.device_name()));
    } else if (!is_honoured(about)) {
      refuse(option.name, elsewhere);
    } else if (!is_checked && about == About::checks) {
      refuse(option.name, "requires a checked run, and --unchecked disables the checks");
    } else if (!has_math && (about == About::values || about == About::product)) {
      refuse(option.name, "is about values, and --no-math computes none");
    }
  }
  if (request.device == nullptr || !request.device->supports_multiple_devices())
    refuse("devices", elsewhere);
  for (const std::string_view name : of_values)
    if (!has_math) refuse(name, "is about values, and --no-math computes none");
  for (const std::string_view name : of_kernels)
    if (request.device == nullptr) refuse(name, "is for a kernel, and the reference has none");
}

}  // namespace

std::string_view RunRequest::device_name() const {
  return device == nullptr ? "reference" : device->name();
}

bool RunRequest::is_simulated() const { return device != nullptr && device->is_simulated(); }

Expected<RunRequest> run_request(const Arguments& arguments, bool with_reference) {
  RunRequest request{.invocation = arguments.invocation()};
  Diags diags;
  arguments.has("all");  // marks --all as read; reports ignore it if they are short
  choose_device(arguments, with_reference, request, diags);
  if (diags.empty()) refuse_idle(arguments, request, diags);
  set_thread_count(static_cast<int>(arguments.integer("threads", diags, 1, 1024).value_or(0)));
  choose_profile(arguments, request, diags);
  choose_schedule(arguments, request, diags);
  choose_interpretation(arguments, request, diags);
  if (!diags.empty()) return diags;
  if (request.trace != "-") request.trace_file = opened("trace", arguments, diags);
  request.schedule_file = opened("save-schedule", arguments, diags);
  request.timeline_file = opened("timeline", arguments, diags);
  if (!diags.empty()) return diags;
  return request;
}

}  // namespace tessera::cli
