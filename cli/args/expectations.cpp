#include "cli/args/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/args/bindings.h"
#include "cli/args/bound_tensor.h"
#include "cli/args/in_out_options.h"
#include "core/data/dtype_info.h"
#include "core/program/unknown_values.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

constexpr std::array<std::string_view, 1> reference_programs = {"xla-cpu"};

// Parses a tolerance, relative or absolute: a finite number of at least 0.
std::optional<double> tolerance_of(const Arguments& arguments, std::string_view option,
                                   Diags& diags) {
  if (!arguments.has(option)) return std::nullopt;
  const std::string_view text = arguments.text(option);
  const auto numbers = parse_reals(text);
  if (numbers && numbers->size() == 1 && numbers->front() >= 0 && std::isfinite(numbers->front()))
    return numbers->front();
  diags.push_back(
      error(fmt::format("--{}: expected a number of at least 0, found '{}'", option, text)));
  return std::nullopt;
}

Expectation expectation(const Buffer& buffer, int device, const Assignment& source,
                        OperandFiles& files, Diags& diags) {
  const DType type = is_float(buffer.dtype) ? DType::f32 : buffer.dtype;
  std::optional<Tensor> words = given_in_words(buffer, type, source.value, "expect", diags);
  Tensor tensor = words ? *std::move(words) : files.expected(buffer, source, device, diags);
  return {&buffer, device, source.value, std::move(tensor)};
}

// Reason why a run computes no error bounds; empty if it does.
std::string why_unbounded(const RunRequest& request) {
  if (!request.is_simulated())
    return fmt::format("the {} device computes no error bound", request.device_name());
  if (!request.options.checks.enabled) return "--unchecked disables the error bound";
  if (request.options.machine.loop_workers > 0) return "--loop-workers disables the error bound";
  if (request.options.copies.granularity != CopyGranularity::whole)
    return "--copy-granularity partial disables the error bound";
  return {};
}

// Floats are compared by the user's tolerance if one is given, else by the error bound of the run.
void set_rule(const Arguments& arguments, const RunRequest& request,
              std::vector<Expectation>& expectations, Diags& diags) {
  const auto of_floats =
      std::find_if(expectations.begin(), expectations.end(),
                   [](const Expectation& e) { return is_float(e.buffer->dtype); });
  if (of_floats == expectations.end()) {
    for (const std::string_view option : {"rtol", "atol", "expected-in", "expected-by"})
      if (arguments.was_given(option))
        diags.push_back(error(fmt::format(
            "--{} is for floats, and the results that --expect names are integers", option)));
    return;
  }
  const auto relative = tolerance_of(arguments, "rtol", diags);
  const auto absolute = tolerance_of(arguments, "atol", diags);
  const bool has_tolerance = relative || absolute;
  const std::string unbounded = why_unbounded(request);
  if (has_tolerance && arguments.was_given("expected-in"))
    diags.push_back(error(fmt::format(
        "--expected-in adjusts the error bound, which --{} replaces: use only one of them",
        relative ? "rtol" : "atol")));
  if (!diags.empty()) return;
  if (!has_tolerance && !unbounded.empty()) {
    diags.push_back(error(fmt::format(
        "--expect {0}={1}: {0} is {2}, so its roundings can differ, and {3}: add --rtol SHARE or "
        "--atol DIFFERENCE; 0 requires equal elements",
        of_floats->buffer->name, of_floats->source, name(of_floats->buffer->dtype), unbounded)));
    return;
  }
  std::optional<DType> computed_in;
  if (!has_tolerance && arguments.has("expected-in")) {
    const std::vector<std::string_view> types = dtype_names(DTypeKind::real);
    computed_in = parse_dtype(types[arguments.choice("expected-in", types, diags)]);
  }
  const bool by_xla_cpu = arguments.has("expected-by");
  if (by_xla_cpu) arguments.choice("expected-by", reference_programs, diags);
  if (by_xla_cpu && !computed_in) {
    diags.push_back(error("--expected-by requires --expected-in TYPE, without --rtol and --atol"));
    return;
  }
  for (Expectation& each : expectations) {
    if (!is_float(each.buffer->dtype)) continue;
    each.rule = has_tolerance ? Rule::tolerance : Rule::running_bound;
    each.tolerance = {relative.value_or(0), absolute.value_or(0)};
    each.computed_in = computed_in;
    each.by_xla_cpu = by_xla_cpu;
  }
}

}  // namespace

std::string_view name(Rule rule) {
  constexpr std::array<std::string_view, 3> names = {"equality", "tolerance", "running_bound"};
  return names[static_cast<std::size_t>(rule)];
}

Options expectation_options() {
  return {
      {"expect", "NAME=FILE",
       "expected values of a result, given as for --in: integers must be equal, floats within the "
       "error bound that the run computes",
       true, FileUse::reads},
      {"rtol", "SHARE",
       "with --expect, instead of the error bound: max difference of floats, relative to the "
       "expected value"},
      {"atol", "DIFFERENCE",
       "likewise: max absolute difference of floats, added to the difference that --rtol allows"},
      {"expected-in", "f32|bf16|f16",
       "with --expect: the expected values were computed in this type, with their own roundings; "
       "default: they are exact except for one final rounding"},
      {"expected-by", "xla-cpu",
       "with --expected-in: the program that computed the expected numbers; XLA on a CPU flushes "
       "denormals to 0 and computes exp2(x) as exp(x * ln 2)"},
  };
}

Expected<std::vector<Expectation>> read_expectations(const Program& program,
                                                     const Arguments& arguments,
                                                     const RunRequest& request) {
  Diags diags;
  const int devices = request.options.machine.devices;
  const InOutOptions given(arguments, "expect", program, devices, diags);
  if (!given.empty() && arguments.was_given("no-math"))
    diags.push_back(error("--expect is about values, and --no-math computes none"));
  std::vector<Expectation> expectations;
  const UnknownValues values = unknown_values(program);
  OperandFiles files(devices, arguments.files());
  for (int device = 0; device < devices && diags.empty(); ++device) {
    for (const Buffer& buffer : program.buffers) {
      const Assignment* const source =
          buffer.role == Role::out ? given.find(buffer, device) : nullptr;
      const StmtId from =
          source == nullptr ? StmtId() : values.buffers[program.buffers.id_of(buffer)];
      const std::string unknown = why_unknown(program, from);
      if (!unknown.empty()) diags.push_back(unknown_result(buffer, "--expect", unknown));
      if (!diags.empty()) return diags;
      if (source != nullptr)
        expectations.push_back(expectation(buffer, device, *source, files, diags));
      if (!diags.empty()) return diags;
    }
  }
  if (diags.empty() && !given.empty()) set_rule(arguments, request, expectations, diags);
  if (!diags.empty()) return diags;
  return expectations;
}

}  // namespace tessera::cli
