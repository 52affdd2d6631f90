#include "cli/args/operation_options.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "cli/args/run_options.h"
#include "cli/args/run_request.h"
#include "core/data/tensor_file.h"
#include "kernels/launch/operand_type.h"

namespace tessera::cli {

Options operation_options(Options own, bool with_reference) {
  own.push_back({"out", "[NAME=]FILE",
                 with_reference ? "write the result to a file, or an operand: lhs=x.npy"
                                : "write the result, or an operand: lhs=x.npy; with {d} one file "
                                  "per device, else stacked",
                 true, FileUse::writes});
  own.push_back({"check", "full|sample|none",
                 "compare with the reference; default full, above 1e11 flops sample"});
  own.push_back({"explain", "", "show the source of the configuration, and the reason"});
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
  static const std::string text = fmt::format("element type of lhs and rhs: {}; default bf16",
                                              fmt::join(operand_type_names(), " "));
  return text;
}

Fill fill_option(const Arguments& arguments, Diags& diags) {
  constexpr std::array<std::string_view, 3> words = {"normal", "uniform", "integers"};
  return static_cast<Fill>(arguments.choice("fill", words, diags));
}

Tensor sizes_tensor(const std::vector<std::int64_t>& sizes) {
  const bool fits =
      std::all_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size <= INT32_MAX; });
  Tensor tensor(fits ? DType::i32 : DType::i64, {static_cast<std::int64_t>(sizes.size())});
  for (std::size_t g = 0; g < sizes.size(); ++g)
    tensor.set(static_cast<std::int64_t>(g), static_cast<double>(sizes[g]));
  return tensor;
}

std::vector<std::int64_t> integers_of(const Tensor& tensor) {
  std::vector<std::int64_t> all;
  for (std::int64_t i = 0; i < tensor.elements(); ++i)
    all.push_back(static_cast<std::int64_t>(tensor.at(i)));
  return all;
}

Expected<Tensor> load_operand(const std::string& file, std::optional<DType> declared,
                              DType fallback, Files* files) {
  Expected<Tensor> tensor = load_tensor(file, declared, files);
  if (tensor || declared) return tensor;
  Expected<Tensor> raw = load_tensor(file, fallback, files);
  return raw ? std::move(raw) : std::move(tensor);
}

}  // namespace tessera::cli
