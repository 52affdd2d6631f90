#include "cli/operations/config_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/reports/candidate_table.h"
#include "cli/reports/report.h"
#include "core/host/file.h"
#include "core/report/try.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/tuning/grouped_choice.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// The configuration of --config; none without it. --tiling and --buffers are then errors.
Expected<std::optional<GroupedMatmulConfig>> config_option(const Arguments& arguments,
                                                           const GroupedTuningProblem& about) {
  using Result = std::optional<GroupedMatmulConfig>;
  if (!arguments.has("config")) return Result();
  for (const std::string_view other : {"tiling", "buffers"}) {
    if (!arguments.has(other)) continue;
    return error(fmt::format("--config already gives the tiling and the stages: omit --{}", other));
  }
  const GroupedMatmulConfig config =
      TRY(read_config(std::string(arguments.text("config")), arguments.files()));
  TRY(check_use(about, config));
  return Result(config);
}

}  // namespace

Expected<GroupedMatmulConfig> read_config(const std::string& file_or_json, ReadFiles* read) {
  if (file_or_json.find_first_of("{[") == 0) return parse_config(file_or_json);
  const Expected<std::string> text = read_whole(file_or_json, file_kinds::configuration, read);
  if (!text) return text.diags();
  Expected<GroupedMatmulConfig> config = parse_config(*text);
  if (config) return config;
  Diags diags = config.diags();
  for (Diag& diag : diags) diag.message = fmt::format("{}: {}", file_or_json, diag.message);
  return diags;
}

GroupedTuningProblem tuning_problem(const Problem& problem, const RunRequest& request) {
  GroupedTuningProblem result;
  // Platforms have the names of devices; the reference is one of them.
  if (const Expected<Platform> platform = parse_platform(request.device_name()))
    result.platform = *platform;
  result.profile = request.profile;
  result.desc = problem.desc;
  result.desc.group_offset = 0;  // skipped groups cost nothing
  return result;
}

Expected<ConfigDecision> settle_config(Problem& problem, const RunRequest& request,
                                       const Arguments& arguments) {
  ConfigQuestion question = question_of(tuning_problem(problem, request));
  // Caches have no entries for the user's own kernels and for the reference.
  question.is_shipped = problem.program == nullptr && request.device != nullptr;
  question.query.kernel = [desc = question.query.desc,
                           own = problem.program](const KernelConfig& config) {
    return kernel_program(desc, config, own.get());
  };
  question.given = TRY(config_option(arguments, question.problem));
  if (problem.tiling) question.parts.tiling = *problem.tiling;
  if (!question.given && arguments.has("buffers")) question.parts.buffers = problem.buffers;
  Expected<ConfigDecision> decision = choose_config(question);
  if (!decision || request.device == nullptr) return decision;
  const KernelConfig& config = decision->config.kernel;
  problem.tiling = config.tiling;
  problem.buffers = config.buffers;
  problem.align = config.align;
  problem.hints = config.hints;
  return decision;
}

bool is_given(const ConfigDecision& decision) {
  return decision.source == ConfigSource::Override || decision.source == ConfigSource::Heuristics;
}

Invocation with_config(const Invocation& invocation, const ConfigDecision& decision) {
  const GroupedMatmulConfig& config = decision.config;
  if (config.kernel.align || !(config.kernel.hints == MachineHints{}))
    return invocation.with("config", to_json(config));
  return invocation.with("tiling", to_string(config.kernel.tiling))
      .with("buffers", std::to_string(config.kernel.buffers));
}

std::string config_lines(const ConfigDecision& decision, bool explains) {
  std::string text;
  if (explains) {
    text += line("key", decision.key.text());
    text += line("", decision.key.call);
    for (const SelectionStep& step : decision.steps) {
      const bool is_first = &step == &decision.steps.front();
      text += line(is_first ? "asked" : "", fmt::format("{}: {}", name(step.source), step.outcome));
    }
    double seconds = 0;
    for (const SelectionStep& step : decision.steps) seconds += step.seconds;
    text += line("", fmt::format("in {}", human_seconds(seconds)));
  }
  if (explains || !is_given(decision)) {
    text += line("config",
                 fmt::format("{}, from {}", describe(decision.config), name(decision.source)));
    if (!decision.reason.empty()) text += line("", decision.reason);
  }
  if (explains && decision.tuning) text += candidate_lines(*decision.tuning);
  for (const Diag& warning : decision.warnings) text += line("warning", warning.message);
  return text;
}

Json to_json(const ConfigDecision& decision) {
  Json object = {{"key",
                  {{"device", decision.key.device},
                   {"operation", decision.key.operation},
                   {"call", decision.key.call},
                   {"id", decision.key.id()}}},
                 {"source", name(decision.source)},
                 {"config", config_json(decision.config)},
                 {"steps", Json::array()}};
  for (const SelectionStep& step : decision.steps)
    object["steps"].push_back(
        {{"source", name(step.source)}, {"outcome", step.outcome}, {"seconds", step.seconds}});
  if (decision.tuning) object["candidates"] = candidates_json(*decision.tuning);
  for (const Diag& warning : decision.warnings) object["warnings"].push_back(warning.message);
  return object;
}

}  // namespace tessera::cli
