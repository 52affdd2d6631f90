#include "cli/args/inferred_settings.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/device_parts.h"
#include "core/data/tensor_file.h"
#include "core/report/near.h"
#include "core/report/try.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

Expected<TensorHeader> header_of(const std::string& value, Files* files) {
  if (const auto numbers = parse_reals(value))
    return TensorHeader{std::nullopt, {static_cast<std::int64_t>(numbers->size())}};
  return read_tensor_header(value, files);
}

bool is_parameter(const KernelInfo& kernel, const std::string& name, bool of_types) {
  return std::any_of(
      kernel.parameters.begin(), kernel.parameters.end(), [&](const ParameterInfo& parameter) {
        return parameter.name == name && (parameter.kind == ParameterInfo::Kind::dtype) == of_types;
      });
}

// Disagreements are reported when the operand is read. A file for all devices may have a leading
// axis of devices.
void infer_from(const KernelInfo& kernel, const OperandInfo& operand, TensorHeader header,
                bool is_for_all, Settings& settings) {
  if (header.dtype && is_parameter(kernel, operand.dtype, true))
    settings.try_emplace(operand.dtype, name(*header.dtype));
  const std::size_t rank = operand.extents.size();
  if (is_for_all && header.shape.size() == rank + 1) header.shape.erase(header.shape.begin());
  if (header.shape.size() != rank || (!operand.order.empty() && operand.order.size() != rank))
    return;
  for (std::size_t i = 0; i < rank; ++i) {
    // -1, an unknown dimension, converts to a number above the rank.
    const std::size_t dim = operand.order.empty() ? i : static_cast<std::size_t>(operand.order[i]);
    if (dim < rank && is_parameter(kernel, operand.extents[dim], false))
      settings.try_emplace(operand.extents[dim], std::to_string(header.shape[i]));
  }
}

// Returns a list of the operands, "; it has x, w", or the one most similar to `name`.
std::string operands_text(const KernelInfo& kernel, std::string_view name) {
  std::vector<std::string_view> names;
  for (const OperandInfo& operand : kernel.operands)
    if (!operand.is_result) names.push_back(operand.name);
  if (names.empty()) return "; it has none";
  if (std::string near = did_you_mean(name, names); !near.empty()) return near;
  return fmt::format("; it has {}", fmt::join(names, ", "));
}

}  // namespace

Expected<void> infer_settings(const KernelInfo& kernel, const Arguments& arguments,
                              Settings& settings) {
  for (const std::string& text : arguments.glance("in")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      return error(
          fmt::format("--in: expected NAME=FILE, found '{}'{}", text, operands_text(kernel, "")));
    const std::size_t at = text.find('@');
    const bool is_for_all = at > equals;
    const std::string name = text.substr(0, std::min(equals, at));
    const auto operand =
        std::find_if(kernel.operands.begin(), kernel.operands.end(),
                     [&](const OperandInfo& o) { return o.name == name && !o.is_result; });
    if (operand == kernel.operands.end())
      return error(
          fmt::format("{} has no operand {}{}", kernel.name, name, operands_text(kernel, name)));
    const std::string file = with_number(text.substr(equals + 1), device_hole, 0);
    infer_from(kernel, *operand, TRY(header_of(file, arguments.files())), is_for_all, settings);
  }
  return {};
}

}  // namespace tessera::cli
