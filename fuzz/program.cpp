// A failing case as a program file: the text of the kernel, to read and edit.
#include <fmt/format.h>

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/lang/language.h"
#include "core/report/check.h"
#include "fuzz/draws.h"
#include "fuzz/fuzz.h"
#include "kernels/launch/operand_type.h"
#include "kernels/programs/kernels.h"
#include "text/numbers.h"

namespace tessera::fuzz {
namespace {

std::optional<std::int64_t> integer(const Invocation& c, std::string_view option) {
  const std::optional<std::string> text = c.value(option);
  return text ? parse_integer(*text) : std::nullopt;
}

Numbers groups_of(const Invocation& c) {
  return parse_integers(c.value("group-sizes").value_or("")).value_or(Numbers{});
}

bool is_local(const Invocation& c) { return c.value("rows") == "local"; }

// Returns the sizes of the groups that are processed.
Numbers window_of(const Invocation& c) {
  const Numbers sizes = groups_of(c);
  const std::int64_t first = integer(c, "group-offset").value_or(0);
  const std::int64_t after = static_cast<std::int64_t>(sizes.size()) - first;
  const auto begin = sizes.begin() + first;
  return {begin, begin + integer(c, "local-groups").value_or(after)};
}

// Returns the parameters that the operation passes to the kernel.
Settings settings_of(const Invocation& c) {
  const bool is_gmm = c.command == "gmm";
  const Numbers sizes = groups_of(c), window = window_of(c);
  const DType dtype = parse_dtype(c.value("dtype").value_or("bf16")).value_or(DType::bf16);
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  const std::string existing = c.value("existing-out").value_or("");
  const std::int64_t rows = sum(is_local(c) ? window : sizes);
  Settings settings = {{"T", std::string(name(common_operand(dtype, dtype).value_or(dtype)))},
                       {"U", c.value("out-dtype").value_or("f32")},
                       {"m", text(integer(c, "m").value_or(rows))},
                       {"k", c.value("k").value_or("0")},
                       {"n", c.value("n").value_or("0")},
                       {"groups", text(static_cast<std::int64_t>(sizes.size()))},
                       {"local_groups", text(static_cast<std::int64_t>(window.size()))},
                       {"group_offset", c.value("group-offset").value_or("0")},
                       {"transpose_rhs", c.has("transpose-rhs") ? "1" : "0"},
                       {"existing", existing == "accumulate"            ? "1"
                                    : existing == "overwrite" && is_gmm ? "2"
                                                                        : "0"},
                       {"local_rows", is_local(c) ? "1" : "0"},
                       {"buffers", c.value("buffers").value_or("2")}};
  const auto tiles = parse_integers(c.value("tiling").value_or(""));
  constexpr std::array<const char*, 3> sides = {"tm", "tk", "tn"};
  for (std::size_t i = 0; tiles && tiles->size() == 3 && i < 3; ++i)
    settings[sides[i]] = text((*tiles)[i]);
  if (!is_gmm && is_local(c)) {
    settings["groups"] = settings["local_groups"];
    settings["group_offset"] = "0";
  }
  return settings;
}

// Returns the position of the bracket that closes the one at `open`.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i;
  }
  return text.size();
}

// Returns the header of the kernel with the values of the parameters as defaults.
std::string header(const KernelInfo& kernel, const Settings& settings) {
  std::string types, problem, tuning;
  for (const ParameterInfo& parameter : kernel.parameters) {
    const auto given = settings.find(parameter.name);
    const std::string value = given == settings.end() ? parameter.default_text : given->second;
    const bool is_type = parameter.kind == ParameterInfo::Kind::dtype;
    std::string& list = is_type                                          ? types
                        : parameter.kind == ParameterInfo::Kind::problem ? problem
                                                                         : tuning;
    list += fmt::format("{}{}{}{}", list.empty() ? "" : ", ", parameter.name,
                        is_type ? ": " : " = ", value);
  }
  return fmt::format("kernel {}{}({}{}{})", kernel.name,
                     types.empty() ? "" : fmt::format("[{}]", types), problem,
                     tuning.empty() ? "" : "; ", tuning);
}

}  // namespace

bool has_program(const Invocation& a_case) {
  return a_case.command == "gmm" || a_case.command == "tgmm";
}

Expected<std::string> as_program(const Invocation& a_case, const Failure& failure) {
  CHECK(has_program(a_case));
  const std::string& kernel = a_case.command;
  const Expected<const Module*> module = embedded_module(kernel);
  if (!module) return module.diags();
  const KernelInfo* const info = (*module)->find(kernel);
  CHECK(info != nullptr);
  const std::string& text = (*module)->source->text;
  const std::size_t begin = text.find(fmt::format("kernel {}", kernel));
  CHECK(begin != std::string::npos);
  const std::size_t end = closing(text, text.find('(', begin)) + 1;

  const bool takes_window = kernel == "tgmm" && is_local(a_case);
  std::string run =
      fmt::format("run %s --in group_sizes={}",
                  fmt::join(takes_window ? window_of(a_case) : groups_of(a_case), ","));
  for (const std::string_view name :
       {"schedule", "copy-granularity", "dma-order", "math", "fill", "seed"})
    if (a_case.has(name)) run += fmt::format(" --{} {}", name, a_case.value(name).value_or(""));
  const std::string message = failure.message.substr(0, failure.message.find('\n'));
  return fmt::format("// RUN: {}\n// {}\n// {}: {}\n\n{}{}{}", run, a_case.line(), failure.kind,
                     message, text.substr(0, begin), header(*info, settings_of(a_case)),
                     text.substr(end));
}

}  // namespace tessera::fuzz
