#include "cli/args/expectations.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "cli/args/bound_tensor.h"
#include "cli/args/in_out_options.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// A share or a difference: a number from 0 on.
std::optional<double> tolerance_of(const Arguments& arguments, std::string_view option,
                                   Diags& diags) {
  if (!arguments.has(option)) return std::nullopt;
  const std::string_view text = arguments.text(option);
  const auto numbers = parse_reals(text);
  if (numbers && numbers->size() == 1 && numbers->front() >= 0 && std::isfinite(numbers->front()))
    return numbers->front();
  diags.push_back(error(fmt::format("--{} wants a number from 0 on, not '{}'", option, text)));
  return std::nullopt;
}

Expectation expectation(const Buffer& buffer, int device, const std::string& source, Diags& diags) {
  std::optional<Tensor> words = given_in_words(buffer, source, "expect", diags);
  Tensor tensor = words ? *std::move(words) : expected_from_file(buffer, source, diags);
  return {&buffer, device, source, std::move(tensor), {}};
}

// Sums that are added in another order differ by roundings: how much is right, the user says.
void set_tolerance(const Arguments& arguments, std::vector<Expectation>& expectations,
                   Diags& diags) {
  const auto of_floats =
      std::find_if(expectations.begin(), expectations.end(),
                   [](const Expectation& e) { return is_float(e.buffer->dtype); });
  if (of_floats == expectations.end()) {
    for (const std::string_view option : {"rtol", "atol"})
      if (arguments.was_given(option))
        diags.push_back(error(fmt::format(
            "--{} is for floats, and the results that --expect names are integers", option)));
    return;
  }
  const auto relative = tolerance_of(arguments, "rtol", diags);
  const auto absolute = tolerance_of(arguments, "atol", diags);
  if (!diags.empty()) return;
  if (!relative && !absolute) {
    diags.push_back(error(fmt::format(
        "--expect {0}={1}: {0} is {2}, and floats differ by roundings; --rtol SHARE or --atol "
        "DIFFERENCE says by how much, 0 that every element must be equal",
        of_floats->buffer->name, of_floats->source, name(of_floats->buffer->dtype))));
    return;
  }
  for (Expectation& each : expectations)
    if (is_float(each.buffer->dtype)) each.tolerance = {relative.value_or(0), absolute.value_or(0)};
}

}  // namespace

Options expectation_options() {
  return {
      {"expect", "NAME=FILE",
       "what a result should be, as --in gives operands: integers must be equal", true,
       FileUse::reads},
      {"rtol", "SHARE", "with --expect: floats may differ by this share of what is expected"},
      {"atol", "DIFFERENCE", "with --expect: floats may differ by this, and by what --rtol allows"},
  };
}

Expected<std::vector<Expectation>> read_expectations(const Program& program,
                                                     const Arguments& arguments, int devices) {
  Diags diags;
  const InOutOptions given(arguments, "expect", program, devices, diags);
  if (!given.empty() && arguments.was_given("no-math"))
    diags.push_back(error("--expect is about values, and --no-math computes none"));
  std::vector<Expectation> expectations;
  for (int device = 0; device < devices && diags.empty(); ++device) {
    for (const Buffer& buffer : program.buffers) {
      const Assignment* const source =
          buffer.role == Role::out ? given.find(buffer, device) : nullptr;
      if (source != nullptr)
        expectations.push_back(expectation(buffer, device, source->value, diags));
      if (!diags.empty()) return diags;
    }
  }
  if (diags.empty() && !given.empty()) set_tolerance(arguments, expectations, diags);
  if (!diags.empty()) return diags;
  return expectations;
}

std::vector<ComparedResult> compare(const std::vector<Expectation>& expectations,
                                    const std::vector<DeviceBinding>& results) {
  std::vector<ComparedResult> compared;
  for (const Expectation& each : expectations) {
    const auto& of_device = results[static_cast<std::size_t>(each.device)];
    const Tensor& got = *of_device.find(each.buffer->name)->second;
    compared.push_back({&each, &got, compare(got, each.tensor, each.tolerance)});
  }
  return compared;
}

}  // namespace tessera::cli
