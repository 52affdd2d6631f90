// No two types of the program have one name. Linkers merge what has one name without a word: the
// destructor of one type then runs for the other.
#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <regex>
#include <string>
#include <vector>

#include "tests/source_dir.h"
#include "tests/source_files.h"

namespace {

struct Place {
  std::string path;
  int line;
};
using Definitions = std::map<std::string, std::vector<Place>>;  // by qualified name

// Comments and literals may hold braces.
std::string bare(const std::string& line) {
  static const std::regex hidden(R"re("(\\.|[^"\\])*"|'(\\.|[^'\\])*'|//.*)re");
  return std::regex_replace(line, hidden, "");
}

// The types that stand right inside namespaces with names.
void read_definitions(const std::string& path, std::istream& text, Definitions& definitions) {
  static const std::regex space(R"(^\s*(?:inline )?namespace\s*([\w:]*)\s*\{)"),
      type(R"(^(?:struct|class|union|enum class|enum) (\w+)(?: final)?(?: :.*)? ?\{)");
  std::vector<std::string> spaces;
  int depth = 0, line_number = 0;
  std::string line;
  std::smatch match;
  while (std::getline(text, line)) {
    ++line_number;
    line = bare(line);
    if (std::regex_search(line, match, space)) {
      spaces.push_back(match[1]);
      ++depth;
      continue;
    }
    if (depth == static_cast<int>(spaces.size()) && std::regex_search(line, match, type)) {
      std::string name;
      bool is_local = false;
      for (const std::string& one : spaces) {
        is_local = is_local || one.empty();
        name += one + "::";
      }
      if (!is_local) definitions[name + match[1].str()].push_back({path, line_number});
    }
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    while (depth < static_cast<int>(spaces.size())) spaces.pop_back();
  }
}

TEST(OneDefinition, no_two_types_have_one_name) {
  Definitions definitions;
  for (const std::string& path : tessera::test::source_files()) {
    if (path.starts_with("tests/") || path.starts_with("examples/") || path.ends_with(".cuh"))
      continue;
    std::ifstream text(tessera::test::source_dir() + ("/" + path));
    read_definitions(path, text, definitions);
  }
  EXPECT_GT(definitions.size(), 100U);
  for (const auto& [name, places] : definitions)
    for (std::size_t i = 1; i < places.size(); ++i)
      ADD_FAILURE_AT(places[i].path.c_str(), places[i].line)
          << name << " is also defined in " << places[0].path << ", line " << places[0].line;
}

TEST(OneDefinition, sees_types_of_named_namespaces_only) {
  Definitions definitions;
  std::istringstream text(
      "namespace a {\nnamespace {\nstruct Hidden {\n};\n}  // namespace\n"
      "struct Seen { int x = '{'; };  // {\nclass Later;\nenum class Kind : int { one };\n"
      "namespace b {\nclass Seen final : Base {\n  struct Inner {\n  };\n};\n}\n}\n");
  read_definitions("f", text, definitions);
  std::vector<std::string> names;
  for (const auto& [name, places] : definitions) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"a::Kind", "a::Seen", "a::b::Seen"}));
}

}  // namespace
