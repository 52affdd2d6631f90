#include "cli/reports/textmate.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/data/dtype.h"
#include "core/lang/keywords.h"
#include "core/lang/words.h"

namespace tessera::cli {
namespace {

Json pattern(std::string_view name, const std::string& match) {
  return {{"name", fmt::format("{}.tessera", name)}, {"match", match}};
}

std::string one_of(const std::vector<std::string_view>& words, std::string_view behind = "") {
  return fmt::format("\\b(?:{})\\b{}", fmt::join(words, "|"), behind);
}

std::vector<std::string_view> keywords_of(KeywordKind kind) {
  std::vector<std::string_view> found;
  for (const Keyword& keyword : keywords())
    if (keyword.kind == kind) found.push_back(keyword.text);
  return found;
}

}  // namespace

Json textmate_grammar() {
  std::vector<std::string_view> types;
  for (int i = 0; i < dtype_count; ++i) types.push_back(name(static_cast<DType>(i)));
  Json patterns = Json::array();
  patterns.push_back(pattern("comment.line.double-slash", "//.*$"));
  patterns.push_back(pattern("string.quoted.double", "\"(?:\\\\.|[^\"\\\\])*\""));
  patterns.push_back(
      pattern("constant.numeric",
              "\\b(?:[0-9]+\\.[0-9]+(?:[eE][+-]?[0-9]+)?|[0-9]+(?:[eE][+-]?[0-9]+)?|inf)\\b"));
  patterns.push_back(pattern("storage.type", one_of(types)));
  patterns.push_back(pattern("variable.language", "\\b(?:device|devices|core|cores)\\b"));
  patterns.push_back(pattern("support.function", one_of(words(), "(?=\\()")));
  patterns.push_back(pattern("storage.modifier", one_of(keywords_of(KeywordKind::declaration))));
  patterns.push_back(pattern("keyword.control", one_of(keywords_of(KeywordKind::statement))));
  patterns.push_back(pattern("keyword.other", one_of(keywords_of(KeywordKind::attribute))));
  patterns.push_back(pattern("keyword.operator.word", one_of(keywords_of(KeywordKind::operation))));
  patterns.push_back(pattern("keyword.operator", "->|\\+:|\\.\\.|[-+*/]=|[=!<>]=|[-+*/<>=?:]"));
  Json grammar = {
      {"name", "Tessera"}, {"scopeName", "source.tessera"}, {"fileTypes", Json::array()}};
  grammar["fileTypes"].push_back("tsr");
  grammar["patterns"] = std::move(patterns);
  return grammar;
}

}  // namespace tessera::cli
