#include "kernels/programs/library_functions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "core/lang/ast.h"
#include "core/report/lines.h"
#include "core/report/try.h"
#include "kernels/programs/kernels.h"

namespace tessera {
namespace {

// Returns the text from the name to the parenthesis that closes the parameters.
std::string signature_of(std::string_view line, std::string_view name) {
  line.remove_prefix(std::min(line.find(name), line.size()));
  int open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    open += line[i] == '(' ? 1 : line[i] == ')' ? -1 : 0;
    if (line[i] == ')' && open == 0) return std::string(line.substr(0, i + 1));
  }
  return std::string(line);
}

// Returns the comment that ends in the line before `line`, counted from 1.
std::string comment_above(const Lines& lines, int line) {
  int begin = line;
  while (lines[begin - 1].starts_with("// ")) --begin;
  std::string text;
  for (int i = begin; i < line; ++i) {
    if (!text.empty()) text += ' ';
    text += lines[i].substr(3);
  }
  return text;
}

}  // namespace

Expected<std::vector<LibraryFunction>> library_functions() {
  std::vector<LibraryFunction> result;
  for (const Module* module : TRY(function_library())) {
    std::vector<std::pair<int, std::string_view>> found;  // by first line
    for (const auto& [name, node] : module->functions) found.emplace_back(node->loc.line, name);
    std::sort(found.begin(), found.end());
    const Lines lines(module->source->text);
    std::string_view file = module->source->name;  // "<library>"
    file = file.substr(1, file.size() - 2);
    for (const auto& [line, name] : found)
      result.push_back({std::string(name), std::string(file), signature_of(lines[line], name),
                        comment_above(lines, line)});
  }
  return result;
}

}  // namespace tessera
