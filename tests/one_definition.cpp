// Checks that no two types of the program have the same name. Linkers merge such definitions
// silently, and the destructor of one type then runs for the other. Also checks that types in
// unnamed namespaces do not have the name of a type in a header that is precompiled for their
// library: with precompiled headers, such a name is ambiguous.
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <sstream>
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

// Returns the line without comments and literals, which may contain braces.
std::string bare(const std::string& line) {
  static const std::regex hidden(R"re(R"\(.*?\)"|"(\\.|[^"\\])*"|'(\\.|[^'\\])*'|//.*)re");
  return std::regex_replace(line, hidden, "");
}

// Types at namespace scope. The names of local types, which are in unnamed namespaces, omit the
// unnamed namespace.
struct Types {
  Definitions named, aliases, local;  // aliases: only in named namespaces
};

void read_types(const std::string& path, std::istream& text, Types& types) {
  static const std::regex space(R"(^\s*(?:inline )?namespace\s*([\w:]*)\s*\{)"),
      type(R"(^(?:struct|class|union|enum class|enum) (\w+)(?: final)?(?: :.*)? ?\{)"),
      alias(R"(^using (\w+) =)");
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
    const bool is_type = std::regex_search(line, match, type);
    if (depth == static_cast<int>(spaces.size()) &&
        (is_type || std::regex_search(line, match, alias))) {
      std::string name;
      bool is_local = false;
      for (const std::string& one : spaces) {
        is_local = is_local || one.empty();
        if (!one.empty()) name += one + "::";
      }
      (is_local  ? types.local
       : is_type ? types.named
                 : types.aliases)[name + match[1].str()]
          .push_back({path, line_number});
    }
    for (const char c : line) depth += c == '{' ? 1 : c == '}' ? -1 : 0;
    while (depth < static_cast<int>(spaces.size())) spaces.pop_back();
  }
}

Types types_of(const std::string& path) {
  Types types;
  std::ifstream text(tessera::test::source_dir() + ("/" + path));
  read_types(path, text, types);
  return types;
}

// Adds the header and the headers of the project that it includes, recursively.
void add_with_includes(const std::string& path, std::set<std::string>& headers) {
  static const std::regex include(R"re(^#include "([^"]+)")re");
  std::ifstream text(tessera::test::source_dir() + ("/" + path));
  if (!text || !headers.insert(path).second) return;
  std::smatch match;
  for (std::string line; std::getline(text, line);)
    if (std::regex_search(line, match, include)) add_with_includes(match[1], headers);
}

// Returns the headers that are precompiled for the library of a folder, with their includes.
std::set<std::string> precompiled_headers(const std::string& folder) {
  std::ifstream file(tessera::test::source_dir() + ("/" + folder) + "/CMakeLists.txt");
  const std::string text(std::istreambuf_iterator<char>(file), {});
  static const std::regex list(R"(\sPRECOMPILE((?:\s+[\w/]+\.h)+))");
  std::set<std::string> headers;
  std::smatch match;
  if (!std::regex_search(text, match, list)) return headers;
  std::istringstream words(match[1].str());
  for (std::string word; words >> word;) add_with_includes(word, headers);
  return headers;
}

TEST(OneDefinition, what_a_file_has_for_itself_has_no_name_of_precompiled_headers) {
  std::map<std::string, Definitions> ahead;  // by folder
  for (const std::string& path : tessera::test::source_files()) {
    if (!path.ends_with(".cpp")) continue;
    const std::string folder = path.substr(0, path.find('/'));
    const auto [at, is_new] = ahead.try_emplace(folder);
    if (is_new)
      for (const std::string& header : precompiled_headers(folder)) {
        Types types = types_of(header);
        at->second.merge(types.named);
        at->second.merge(types.aliases);
      }
    for (const auto& [name, places] : types_of(path).local)
      if (const auto other = at->second.find(name); other != at->second.end())
        ADD_FAILURE_AT(path.c_str(), places.front().line)
            << name << " is also defined in " << other->second.front().path
            << ", which is compiled ahead for " << folder;
  }
  for (const char* folder : {"cli", "core", "devices", "interp", "kernels"})
    EXPECT_GT(ahead[folder].size(), 10U) << folder;
}

TEST(OneDefinition, no_two_types_have_one_name) {
  Types types;
  for (const std::string& path : tessera::test::source_files()) {
    if (path.starts_with("tests/") || path.starts_with("examples/") || path.ends_with(".cuh"))
      continue;
    std::ifstream text(tessera::test::source_dir() + ("/" + path));
    read_types(path, text, types);
  }
  EXPECT_GT(types.named.size(), 100U);
  for (const auto& [name, places] : types.named)
    for (std::size_t i = 1; i < places.size(); ++i)
      ADD_FAILURE_AT(places[i].path.c_str(), places[i].line)
          << name << " is also defined in " << places[0].path << ", line " << places[0].line;
}

TEST(OneDefinition, tells_types_of_named_namespaces_from_those_of_a_file) {
  Types types;
  std::istringstream text(
      "namespace a {\nnamespace {\nstruct Hidden {\n};\n}  // namespace\n"
      "struct Seen { int x = '{'; };  // {\nclass Later;\nenum class Kind : int { one };\n"
      "namespace b {\nclass Seen final : Base {\n  struct Inner {\n  };\n};\n}\n}\n");
  read_types("f", text, types);
  std::vector<std::string> names;
  for (const auto& [name, places] : types.named) names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"a::Kind", "a::Seen", "a::b::Seen"}));
  EXPECT_TRUE(types.local.size() == 1 && types.local.contains("a::Hidden"));
}

}  // namespace
