#include "cli/operations/collective.h"

#include <fmt/format.h>

#include <array>

#include "cli/args/operation_options.h"
#include "cli/operations/operation_report.h"
#include "kernels/programs/kernels.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

Json parameters_json(const Launch& launch) {
  Json parameters = Json::object();
  for (const auto& [parameter, value] : launch.settings) {
    const std::optional<std::int64_t> number = parse_integer(value);
    parameters[parameter] = number ? Json(*number) : Json(value);
  }
  return parameters;
}

// The kernel's tuning parameters, with their values in this launch.
Words tuning_of(const Launch& launch) {
  Words tuning;
  const Expected<const Module*> module = embedded_module(launch.kernel);
  CHECK(module);
  for (const ParameterInfo& parameter : (*module)->find(launch.kernel)->parameters) {
    if (parameter.kind != ParameterInfo::Kind::tuning) continue;
    const auto given = launch.settings.find(parameter.name);
    tuning.emplace_back(parameter.name,
                        given == launch.settings.end() ? parameter.default_text : given->second);
  }
  return tuning;
}

// The sides of the tile in this launch, with their names in --tune.
Words sides_of(const Settings& settings) {
  constexpr std::array<std::array<const char*, 3>, 3> names = {
      {{"tm", "tm", "acc_rows"}, {"tk", "tk", "bk"}, {"tn", "tn", "bn"}}};
  Words sides;
  for (const auto& [side, parameter, other] : names) {
    auto given = settings.find(parameter);
    if (given == settings.end()) given = settings.find(other);
    if (given != settings.end()) sides.emplace_back(side, given->second);
  }
  return sides;
}

std::optional<Tiling> tiling_of(const Settings& settings) {
  std::array<std::int64_t, 3> sides = {};
  constexpr std::array<const char*, 3> names = {"tm", "tk", "tn"};
  for (std::size_t i = 0; i < names.size(); ++i) {
    const auto given = settings.find(names[i]);
    const auto side = given == settings.end() ? std::nullopt : parse_integer(given->second);
    if (!side) return std::nullopt;
    sides[i] = *side;
  }
  return Tiling{sides[0], sides[1], sides[2]};
}

// The list of sizes; a list of lists for several devices or rings.
Json sizes_json(const Collective::Tensors& group_sizes) {
  std::vector<Json> all;
  for (const Tensor& tensor : group_sizes) all.emplace_back(integers_of(tensor));
  return all.size() == 1 ? all.front() : Json(all);
}

Loc result_place(const Program& program) {
  for (const Buffer& buffer : program.buffers)
    if (buffer.role == Role::out) return program.loc(buffer.place);
  return {};
}

// A called collective and its executable, which `verify` reuses.
struct State {
  Collective collective;
  std::unique_ptr<Executable> executable{};
};

Expected<OperationRun> launch(const std::shared_ptr<State>& state, const RunOptions& run) {
  const Collective& collective = state->collective;
  const Launch& launch = *collective.launch;
  CollectiveOptions options = collective.options;
  options.run = {collective.request.profile.machine, &run};
  const Expected<Program> program = make_program(launch);
  if (!program) return program.diags();
  Expected<DeviceReport> report = tessera::run(launch, options);
  if (!report) return report.diags();
  OperationRun result{.report = *std::move(report),
                      .kernel = launch.kernel,
                      .tiling = tiling_of(launch.settings),
                      .tuning = tuning_of(launch),
                      .notes = launch.notes,
                      .result_place = result_place(*program)};
  const std::vector<std::string>& how = result.report.notes;
  result.notes.insert(result.notes.end(), how.begin(), how.end());
  for (std::size_t d = 0; d < launch.devices.size(); ++d)
    result.results.emplace_back(state, &launch.result(d));
  return result;
}

Expected<RunResult> simulate(State& state, const RunOptions& options) {
  const Collective& collective = state.collective;
  if (state.executable == nullptr) {
    const Expected<Program> program = make_program(*collective.launch);
    if (!program) return program.diags();
    auto executable = collective.request.device->prepare(*program);
    if (!executable) return executable.diags();
    state.executable = *std::move(executable);
  }
  const Expected<DeviceReport> report = state.executable->run_with_all(
      collective.launch->devices, {collective.request.profile.machine, &options});
  if (!report) return report.diags();
  return *report->simulated;
}

}  // namespace

Expected<OperationCall> as_call(Collective made, Expected<Launch> launched,
                                Collective::Judge judge) {
  if (!launched) return launched.diags();
  made.launch = *std::move(launched);
  made.judge = std::move(judge);
  const auto state = std::make_shared<State>(State{std::move(made)});
  const Collective& collective = state->collective;
  OperationCall call{.request = collective.request};
  const std::string shape = shape_text(collective.shape);
  const int calls = collective.launch->calls;
  call.sides = sides_of(collective.launch->settings);
  if (calls > 1) call.kernel_note = fmt::format("{} calls", calls);
  call.title = fmt::format("{}, {}{}", collective.launch->kernel, shape,
                           calls > 1 ? ", " + call.kernel_note : "");
  call.lines = {{"shape", shape}, {"types", collective.types}};
  call.fields = {{"calls", calls},
                 {"shape", collective.shape},
                 {"parameters", parameters_json(*collective.launch)}};
  if (collective.group_sizes != nullptr)
    call.fields["group_sizes"] = sizes_json(*collective.group_sizes);
  call.dtype = collective.dtype;
  call.out_dtype = collective.launch->result(0).dtype();
  call.flops = collective.flops;
  call.values = collective.values;
  call.notes = collective.notes;
  call.has_devices = true;
  call.files_read = collective.files_read;
  for (const Collective::Named& named : collective.named) {
    call.operands.push_back({named.name, named.per});
    NamedTensors& operand = call.operands.back();
    for (const Tensor& tensor : *named.tensors) operand.parts.emplace_back(state, &tensor);
  }
  call.has_given_config = collective.has_given_config;
  call.launch = [state](const RunOptions& options) { return launch(state, options); };
  call.judge = [state](const OperationRun&, const CheckOptions& how) {
    return state->collective.judge(*state->collective.launch, how);
  };
  call.simulate = [state](const RunOptions& options) { return simulate(*state, options); };
  return call;
}

}  // namespace tessera::cli
