// Pages of documentation as tests see them: blocks between fences, commands and what is shown under
// them.
#pragma once
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace tessera::test {

using Lines = std::vector<std::string>;

Lines lines_of(const std::string& text);
std::string joined(const Lines& lines);
Lines words_of(const std::string& text);

// A block between fences.
struct Fenced {
  int first = 0;  // the number of its first line
  Lines words;    // of the opening fence: the language, then options
  std::string text;

  bool is_in(std::string_view language) const {
    return !words.empty() && words.front() == language;
  }
};

struct Page {
  std::vector<Fenced> blocks;
  std::string prose;  // what is not between fences
};

Page page_of(const std::string& text);

// Blocks of lines that are indented by four spaces, without them; a blank line inside a block
// stays.
std::vector<Lines> indented_blocks_of(const std::string& page);

// A command of an indented block, `./gmm-run WORD...`, and what the page shows under it.
struct Shown {
  std::string command;
  Lines output;

  Lines words() const;  // what follows ./gmm-run
};

std::vector<Shown> commands_of(const std::string& page);

// Whether `shown` is `output`, where a line "..." stands for any number of lines.
bool shows(const Lines& shown, const Lines& output);

struct Outcome {
  int exit_code;
  std::string output;
};

Outcome outcome_of(const Lines& command);

// Line, kind and text of a message.
using Message = std::tuple<int, std::string, std::string>;

// The messages in `output` that have a place in `file`, notes left out.
std::vector<Message> reported(const std::string& output, const std::string& file);

}  // namespace tessera::test
