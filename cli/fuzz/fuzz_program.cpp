// A failing case as a file: the kernel's own text, so that it can be read and edited.
#include <fmt/format.h>

#include <string>
#include <string_view>

#include "cli/fuzz/fuzz_case.h"
#include "core/lang/language.h"
#include "kernels/launch/operand_type.h"
#include "kernels/programs/kernels.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

// The kernel's own parameters, as the operation gives them to it.
Settings settings_of(const Problem& problem) {
  const bool is_gmm = problem.operation == Operation::gmm;
  const DType operand = common_operand(problem.dtype, problem.rhs_dtype).value_or(problem.dtype);
  const auto existing = static_cast<std::int64_t>(problem.existing);
  const auto text = [](std::int64_t value) { return std::to_string(value); };
  Settings settings = {
      {"T", std::string(name(operand))},
      {"U", std::string(name(problem.out_dtype))},
      {"m", text(problem.m)},
      {"k", text(problem.k)},
      {"n", text(problem.n)},
      {"groups", text(problem.groups())},
      {"local_groups", text(problem.local_groups)},
      {"group_offset", text(problem.group_offset)},
      {"transpose_rhs", problem.transpose_rhs ? "1" : "0"},
      {"existing", text(is_gmm || problem.existing == Existing::accumulate ? existing : 0)},
      {"local_rows", problem.local_rows ? "1" : "0"},
      {"buffers", text(problem.buffers)}};
  if (problem.tiling) {
    settings["tm"] = text(problem.tiling->m);
    settings["tk"] = text(problem.tiling->k);
    settings["tn"] = text(problem.tiling->n);
  }
  if (!is_gmm && problem.local_rows) {
    settings["groups"] = settings["local_groups"];
    settings["group_offset"] = "0";
  }
  return settings;
}

std::vector<std::int64_t> sizes_of(const Problem& problem) {
  if (problem.operation == Operation::gmm || !problem.local_rows) return problem.group_sizes;
  const auto first = problem.group_sizes.begin() + problem.group_offset;
  return {first, first + problem.local_groups};
}

// Where the bracket at `open` is closed.
std::size_t closing(std::string_view text, std::size_t open) {
  int depth = 0;
  for (std::size_t i = open; i < text.size(); ++i) {
    if (text[i] == '(' || text[i] == '[') ++depth;
    if ((text[i] == ')' || text[i] == ']') && --depth == 0) return i;
  }
  return text.size();
}

// The kernel's header with every parameter's value as its default.
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

Expected<std::string> as_program(const FuzzCase& a_case, const Failure& failure) {
  const std::string_view kernel = name(a_case.problem.operation);
  const Expected<const Module*> module = embedded_module(kernel);
  if (!module) return module.diags();
  const KernelInfo* const info = (*module)->find(kernel);
  CHECK(info != nullptr);
  const std::string& text = (*module)->source->text;
  const std::size_t begin = text.find(fmt::format("kernel {}", kernel));
  CHECK(begin != std::string::npos);
  const std::size_t parameters = text.find('(', begin);
  const std::size_t end = closing(text, parameters) + 1;

  std::vector<std::string> words = to_words(a_case);
  words.insert(words.begin(), "gmm-run");
  std::string run =
      fmt::format("run %s --in group_sizes={}", fmt::join(sizes_of(a_case.problem), ","));
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--schedule" || word == "--landing" || word == "--dma-order" || word == "--math" ||
        word == "--fill" || word == "--seed") {
      run += fmt::format(" {} {}", word, words[i + 1]);
    }
  }
  std::string message = failure.message.substr(0, failure.message.find('\n'));
  return fmt::format("// RUN: {}\n// {}\n// {}: {}\n\n{}{}{}", run, shell_line(words), failure.kind,
                     message, text.substr(0, begin), header(*info, settings_of(a_case.problem)),
                     text.substr(end));
}

}  // namespace tessera::cli
