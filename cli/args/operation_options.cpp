#include "cli/args/operation_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli/args/run_options.h"
#include "cli/args/run_request.h"
#include "kernels/launch/operand_type.h"
#include "text/numbers.h"

namespace tessera::cli {

Options operation_options(Options own, bool with_reference) {
  own.push_back({"out", "[NAME=]FILE",
                 with_reference
                     ? "where the result goes, or an operand: lhs=x.npy"
                     : "the result, or an operand: lhs=x.npy; with {d} one for each device, else "
                       "stacked",
                 true, FileUse::writes});
  own.push_back({"check", "full|sample|none", "against the reference; sample above 1e11 flops"});
  own.push_back({"explain", "", "tell where the configuration comes from, and why"});
  for (const Option& option : run_options()) own.push_back(option);
  if (!with_reference) return own;
  const auto device = std::find_if(own.begin(), own.end(),
                                   [](const Option& option) { return option.name == "device"; });
  static const std::string values = std::string(device_values()) + "|reference";
  device->value = values;
  return own;
}

std::vector<std::string_view> stored_types() {
  std::vector<std::string_view> names = operand_type_names();
  names.push_back(name(DType::i32));
  return names;
}

std::string_view operand_types_help() {
  static const std::string text =
      fmt::format("of lhs and rhs: {}; default bf16", fmt::join(operand_type_names(), " "));
  return text;
}

std::optional<DType> dtype_option(const Arguments& arguments, std::string_view option,
                                  std::span<const std::string_view> names, Diags& diags) {
  if (!arguments.has(option)) return std::nullopt;
  return parse_dtype(names[arguments.choice(option, names, diags)]);
}

std::optional<Tiling> tiling_option(const Arguments& arguments, Diags& diags) {
  if (!arguments.has("tiling")) return std::nullopt;
  const auto sides = parse_integers(arguments.text("tiling"));
  if (sides && sides->size() == 3 && *std::min_element(sides->begin(), sides->end()) > 0) {
    return Tiling{(*sides)[0], (*sides)[1], (*sides)[2]};
  }
  diags.push_back(error(fmt::format("--tiling wants three positive sides tm,tk,tn, not '{}'",
                                    arguments.text("tiling"))));
  return std::nullopt;
}

Precision precision_option(const Arguments& arguments, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"default", "high", "highest"};
  return static_cast<Precision>(arguments.choice("precision", words, diags));
}

Fill fill_option(const Arguments& arguments, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"normal", "uniform", "integers"};
  return static_cast<Fill>(arguments.choice("fill", words, diags));
}

}  // namespace tessera::cli
