#include "cli/operations/operation_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/reports/report.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// The wall time, with a rate if all values were computed.
std::string time_text(const OperationCall& call, const DeviceReport& report) {
  std::string text = human_seconds(report.wall_seconds);
  const bool computed = report.findings.empty() && call.request.options.math != Math::none;
  if (computed && call.flops > 0 && report.wall_seconds > 0)
    text += fmt::format(", {:.3g} GFLOP/s",
                        static_cast<double>(call.flops) / report.wall_seconds * 1e-9);
  return text;
}

// Steps for a call without a chain of configuration sources: the configuration is given on the
// command line, or follows from the profile and the kernel.
std::vector<std::pair<std::string_view, std::string_view>> config_steps(const OperationCall& call) {
  if (call.has_given_config) return {{"override", "hit"}};
  return {{"override", "none given"}, {"heuristics", "hit"}};
}

std::string config_lines(const OperationCall& call, const OperationRun& run) {
  std::string text, tuning;
  for (const auto& [source, outcome] : config_steps(call))
    text += line(text.empty() ? "asked" : "", fmt::format("{}: {}", source, outcome));
  for (const auto& [name, value] : run.tuning)
    tuning += fmt::format("{}{}={}", tuning.empty() ? "" : " ", name, value);
  return text + line("config", run.tuning.empty() ? "none: the kernel has no tuning parameters"
                                                  : fmt::format("{}, from {}", tuning,
                                                                config_steps(call).back().first));
}

Json config_json(const OperationCall& call, const OperationRun& run) {
  Json object = {{"source", config_steps(call).back().first},
                 {"config", Json::object()},
                 {"steps", Json::array()}};
  for (const auto& [name, value] : run.tuning) {
    const std::optional<std::int64_t> number = parse_integer(value);
    object["config"][name] = number ? Json(*number) : Json(value);
  }
  for (const auto& [source, outcome] : config_steps(call))
    object["steps"].push_back({{"source", source}, {"outcome", outcome}});
  return object;
}

std::vector<std::string> notes_of(const OperationCall& call, const OperationRun& run) {
  std::vector<std::string> notes = call.notes;
  notes.insert(notes.end(), run.notes.begin(), run.notes.end());
  return notes;
}

void add_verdict(Json& object, const std::optional<Verdict>& verdict) {
  object["max_abs_error"] = verdict ? Json(verdict->max_abs_error) : Json();
  object["max_error_over_bound"] = verdict ? Json(verdict->max_error_over_bound) : Json();
  object["checked_rows"] = verdict ? verdict->checked_rows : 0;
  object["overflowed_elements"] = verdict ? verdict->overflowed_elements : 0;
}

std::string index_text(const std::vector<std::int64_t>& index) {
  return fmt::format("out[{}]", fmt::join(index, ", "));
}

}  // namespace

Finding mismatch_of(const Verdict& verdict, const OperationRun& run) {
  Finding finding{.kind = FindingKind::mismatch,
                  .message = verdict.message,
                  .at = {.loc = run.result_place, .device = verdict.device}};
  if (verdict.device >= 0) finding.devices = {verdict.device};
  if (!verdict.on_device.empty())
    finding.notes.push_back({.message = fmt::format("that is {} of device {}",
                                                    index_text(verdict.on_device), verdict.device),
                             .device = verdict.device});
  return finding;
}

std::string report_lines(const Arguments& arguments, const OperationCall& call,
                         const OperationOutcome& outcome, bool explains) {
  const RunRequest& request = call.request;
  const OperationRun& run = outcome.run;
  const bool ran = request.device != nullptr;
  std::string text = call.config_lines.value_or(explains ? config_lines(call, run) : "");
  text += line("kernel", ran && !call.kernel_note.empty()
                             ? fmt::format("{}, {}", run.kernel, call.kernel_note)
                             : run.kernel);
  for (const auto& [label, words] : call.lines) text += line(label, words);
  text += run_lines(arguments, request, run.report);
  if (ran) text += line("time", time_text(call, run.report));
  for (const std::string& note : notes_of(call, run)) text += line("note", note);
  if (outcome.mismatch) {
    text += render(*outcome.mismatch);
    if (run.report.simulated)
      text += fmt::format("replay: {}\n", replay_line(request, *run.report.simulated));
  } else if (outcome.verdict) {
    text += line("ok", outcome.verdict->message);
  } else if (outcome.status == Status::ok) {
    text += line("ok", "not checked");
  }
  return text + finding_lines(arguments, request, run.report);
}

Json report_json(const Arguments& arguments, const OperationCall& call,
                 const OperationOutcome& outcome, bool explains) {
  const OperationRun& run = outcome.run;
  Json object = {{"status", name(outcome.status)},
                 {"device", call.request.device_name()},
                 {"devices", call.request.options.machine.devices},
                 {"kernel", run.kernel}};
  object.update(call.fields);
  object["dtype"] = name(call.dtype);
  object["out_dtype"] = name(call.out_dtype);
  object["tiling"] =
      run.tiling ? Json{{"m", run.tiling->m}, {"k", run.tiling->k}, {"n", run.tiling->n}} : Json();
  object["flops"] = call.flops;
  add_run(object, arguments, call.request, run.report);
  add_verdict(object, outcome.verdict);
  if (outcome.mismatch) {
    object["findings"].push_back(to_json(*outcome.mismatch));
    if (run.report.simulated) add_replay(object, call.request, *run.report.simulated);
  }
  if (call.config) {
    object["config"] = *call.config;
  } else if (explains) {
    object["config"] = config_json(call, run);
  }
  if (const auto notes = notes_of(call, run); !notes.empty()) object["notes"] = notes;
  return object;
}

std::string groups_text(std::vector<std::int64_t> sizes) {
  const auto count = static_cast<std::int64_t>(sizes.size());
  std::string text = counted(count, "group", "groups");
  const std::vector<std::int64_t> given = sizes;
  std::sort(sizes.begin(), sizes.end());
  const auto empty = std::count(sizes.begin(), sizes.end(), 0);
  if (count > 0 && sizes.front() == sizes.back()) {
    text += fmt::format(" of {} rows", sizes.front());
  } else if (count <= 8) {
    text += fmt::format(" of {} rows", fmt::join(given, ", "));
  } else {
    text += fmt::format(" of {} to {} rows, median {}", sizes.front(), sizes.back(),
                        sizes[sizes.size() / 2]);
    if (empty > 0) text += fmt::format(", {} empty", empty);
  }
  return text;
}

std::string shape_text(const Json& shape) {
  std::string text;
  for (const auto& [name, extent] : shape.members())
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, extent.text());
  return text;
}

}  // namespace tessera::cli
