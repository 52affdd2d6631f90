// Conversations with the debug adapter, from the files in tests/dap:
//
//   $ WORD ...                 arguments of gmm-run
//   > COMMAND {ARGUMENTS}      a request; lines that begin with | continue it
//   < {...}                    an answer, without the protocol's sequence numbers and types
//
// BLESS=1 rewrites the answers. Paths are relative to the repository's root.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/source_dir.h"
#include "tests/unit/dap_support.h"

namespace tessera {
namespace {

namespace fs = std::filesystem;

const fs::path folder = fs::path(test::source_dir()) / "tests" / "dap";

struct Script {
  std::vector<std::string> words;
  std::vector<test::Asked> asked;
  std::vector<std::string> head;                // lines before the first request
  std::vector<std::vector<std::string>> lines;  // by request
};

Script read_script(const fs::path& path) {
  Script script;
  std::ifstream in(path);
  for (std::string line; std::getline(in, line);) {
    if (line.starts_with("< ")) continue;
    if (line.starts_with("> ")) {
      const std::size_t end = line.find(' ', 2);
      script.asked.push_back({line.substr(2, end == std::string::npos ? end : end - 2),
                              end == std::string::npos ? "" : line.substr(end + 1)});
      script.lines.push_back({line});
    } else if (line.starts_with("| ")) {
      script.asked.back().arguments += line.substr(1);
      script.lines.back().push_back(line);
    } else if (script.asked.empty()) {
      std::istringstream words(line.starts_with("$ ") ? line.substr(2) : "");
      for (std::string word; words >> word;) script.words.push_back(word);
      script.head.push_back(line);
    } else {
      script.lines.back().push_back(line);
    }
  }
  return script;
}

// Returns the message without sequence numbers. Failed responses are recognised by their error.
std::string shown(const Json& message) {
  Json told;
  if (const Json* event = message.find("event")) told["event"] = *event;
  if (const Json* failed = message.find("success"); failed != nullptr && failed->text() == "false")
    told["error"] = *message.find("message");
  else if (const Json* body = message.find("body"))
    told.update(*body);
  if (told.find("exceptionBreakpointFilters") != nullptr)
    told["exceptionBreakpointFilters"] = "the kinds of findings";
  std::string text = told.find("event") == nullptr && told.text() == "null" ? "{}" : told.text();
  const std::string root = test::source_dir() + "/";
  for (std::size_t at; (at = text.find(root)) != std::string::npos;) text.erase(at, root.size());
  return text;
}

void check(const fs::path& path) {
  SCOPED_TRACE(path.string());
  const Script script = read_script(path);
  const auto answers = test::Conversation::hold(script.words, script.asked);
  std::string text;
  for (const std::string& line : script.head) text += line + "\n";
  for (std::size_t i = 0; i < script.asked.size(); ++i) {
    const std::vector<std::string>& lines = script.lines[i];
    std::size_t next = 0;
    while (next < lines.size() && (lines[next][0] == '>' || lines[next][0] == '|'))
      text += lines[next++] + "\n";
    if (i < answers.size())
      for (const Json& message : answers[i]) text += "< " + shown(message) + "\n";
    for (; next < lines.size(); ++next) text += lines[next] + "\n";
  }
  if (std::getenv("BLESS") != nullptr) {
    std::ofstream(path) << text;
    return;
  }
  std::ifstream in(path);
  std::stringstream wanted;
  wanted << in.rdbuf();
  EXPECT_EQ(text, wanted.str());
}

TEST(DapConversation, what_comes_is_what_the_files_show) {
  const fs::path before = fs::current_path();
  fs::current_path(test::source_dir());
  int files = 0;
  for (const auto& entry : fs::directory_iterator(folder)) {
    check(entry.path());
    ++files;
  }
  fs::current_path(before);
  EXPECT_GE(files, 3);
}

}  // namespace
}  // namespace tessera
