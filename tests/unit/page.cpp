#include "tests/unit/page.h"

#include <iomanip>
#include <regex>
#include <sstream>

#include "cli/cli.h"

namespace tessera::test {
namespace {

bool shows_from(const Lines& shown, std::size_t i, const Lines& output, std::size_t j) {
  if (i == shown.size()) return j == output.size();
  if (shown[i] == "...") {
    for (std::size_t k = j; k <= output.size(); ++k) {
      if (shows_from(shown, i + 1, output, k)) return true;
    }
    return false;
  }
  return j < output.size() && shown[i] == output[j] && shows_from(shown, i + 1, output, j + 1);
}

}  // namespace

Lines lines_of(const std::string& text) {
  std::istringstream in(text);
  Lines lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string joined(const Lines& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

Lines words_of(const std::string& text) {
  std::istringstream in(text);
  Lines words;
  for (std::string word; in >> std::quoted(word, '\'');) words.push_back(word);
  return words;
}

Page page_of(const std::string& text) {
  Page page;
  int number = 0;
  bool is_open = false;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.starts_with("```")) {
      is_open = !is_open;
      if (is_open) page.blocks.push_back({number + 1, words_of(line.substr(3)), ""});
    } else {
      (is_open ? page.blocks.back().text : page.prose) += line + "\n";
    }
  }
  return page;
}

std::vector<Lines> indented_blocks_of(const std::string& page) {
  std::vector<Lines> blocks;
  bool open = false;
  for (const std::string& line : lines_of(page)) {
    if (line.starts_with("    ")) {
      if (!open) blocks.emplace_back();
      blocks.back().push_back(line.substr(4));
      open = true;
    } else if (line.empty() && open) {
      blocks.back().emplace_back();
    } else {
      open = false;
    }
  }
  for (Lines& block : blocks) {
    while (!block.empty() && block.back().empty()) block.pop_back();
  }
  return blocks;
}

Lines Shown::words() const {
  Lines words;
  for (const std::string& word : words_of(command.substr(command.find(' ')))) {
    if (word == "#") break;
    words.push_back(word);
  }
  return words;
}

std::vector<Shown> commands_of(const std::string& page) {
  std::vector<Shown> commands;
  for (const Lines& block : indented_blocks_of(page)) {
    bool shows_output = false;
    for (const std::string& line : block) {
      const bool prompted = line.starts_with("$ ");
      const std::string command = prompted ? line.substr(2) : line;
      if (command.starts_with("./gmm-run ")) {
        commands.push_back({command.substr(0, command.find(" > ")), {}});
        shows_output = prompted;
      } else if (shows_output && !line.empty()) {
        commands.back().output.push_back(line);
      }
    }
  }
  return commands;
}

bool shows(const Lines& shown, const Lines& output) { return shows_from(shown, 0, output, 0); }

Outcome outcome_of(const Lines& command) {
  std::ostringstream stream;
  const int exit_code = cli::run(command, stream, stream);
  return {exit_code, stream.str()};
}

std::vector<Message> reported(const std::string& output, const std::string& file) {
  static const std::regex message(R"(^:(\d+):\d+: (\w+): (.*)$)");
  std::vector<Message> found;
  std::smatch match;
  for (const std::string& line : lines_of(output)) {
    const std::size_t at = line.find(file);
    if (at == std::string::npos) continue;
    const std::string rest = line.substr(at + file.size());
    if (std::regex_match(rest, match, message) && match[2] != "note")
      found.emplace_back(std::stoi(match[1]), match[2].str(), match[3].str());
  }
  return found;
}

}  // namespace tessera::test
