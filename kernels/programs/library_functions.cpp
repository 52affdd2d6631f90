#include "kernels/programs/library_functions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/lang/ast.h"
#include "core/report/try.h"
#include "kernels/programs/kernels.h"

namespace tessera {
namespace {

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// From the name to the parenthesis that closes its parameters.
std::string signature_of(std::string_view line, std::string_view name) {
  line.remove_prefix(std::min(line.find(name), line.size()));
  int open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    open += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
    if (line[i] == ')' && open == 0) return std::string(line.substr(0, i + 1));
  }
  return std::string(line);
}

// The comment that ends in the line before `line`, counted from 0.
std::string comment_above(const std::vector<std::string_view>& lines, std::size_t line) {
  std::size_t begin = line;
  while (begin > 0 && lines[begin - 1].starts_with("// ")) --begin;
  std::string text;
  for (std::size_t i = begin; i < line; ++i) {
    if (!text.empty()) text += ' ';
    text += lines[i].substr(3);
  }
  return text;
}

}  // namespace

Expected<std::vector<LibraryFunction>> library_functions() {
  std::vector<LibraryFunction> result;
  for (const Module* module : TRY(function_library())) {
    std::vector<std::pair<int, std::string_view>> found;  // by the line that it begins in
    for (const auto& [name, node] : module->functions) found.emplace_back(node->loc.line, name);
    std::sort(found.begin(), found.end());
    const std::vector<std::string_view> lines = lines_of(module->source->text);
    std::string_view file = module->source->name;  // "<library>"
    file = file.substr(1, file.size() - 2);
    for (const auto& [line, name] : found) {
      const auto at = static_cast<std::size_t>(line) - 1;
      result.push_back({std::string(name), std::string(file), signature_of(lines[at], name),
                        comment_above(lines, at)});
    }
  }
  return result;
}

}  // namespace tessera
