#include "core/lang/parameter_errors.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/report/near.h"

namespace tessera {

std::string unknown_parameter(std::string_view kernel, std::string_view name,
                              std::span<const std::string_view> known) {
  std::string instead = did_you_mean(name, known);
  if (instead.empty())
    instead = fmt::format("; it has {}",
                          known.empty() ? "none" : fmt::format("{}", fmt::join(known, ", ")));
  return fmt::format("kernel `{}` has no parameter `{}`{}", kernel, name, instead);
}

std::string values_needed(std::string_view kernel, std::span<const std::string> parameters) {
  return fmt::format("kernel `{}` needs {} for `{}`", kernel,
                     parameters.size() == 1 ? "a value" : "values", fmt::join(parameters, "`, `"));
}

}  // namespace tessera
