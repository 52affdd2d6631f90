// Parser for documentation pages: fenced blocks, and commands with the output that the page shows.
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

// A fenced block.
struct Fenced {
  int first = 0;  // number of the first line
  Lines words;    // words of the opening fence: the language, then options
  std::string text;

  bool is_in(std::string_view language) const {
    return !words.empty() && words.front() == language;
  }
};

struct Page {
  std::vector<Fenced> blocks;
  std::string prose;  // text outside fenced blocks
};

Page page_of(const std::string& text);

// Returns the blocks that are indented by four spaces, without this indentation. Blank lines inside
// a block are kept.
std::vector<Lines> indented_blocks_of(const std::string& page);

// A command `./gmm-run WORD...` of an indented block, and the output shown below it.
struct Shown {
  std::string command;
  Lines output;

  Lines words() const;  // arguments of ./gmm-run
};

std::vector<Shown> commands_of(const std::string& page);

// True if `shown` is equal to `output`; a line "..." in `shown` matches any number of lines.
bool shows(const Lines& shown, const Lines& output);

struct Outcome {
  int exit_code;
  std::string output;
};

Outcome outcome_of(const Lines& command);

// Line, kind and text.
using Message = std::tuple<int, std::string, std::string>;

// Returns the messages in `output` that have a place in `file`, without notes.
std::vector<Message> reported(const std::string& output, const std::string& file);

}  // namespace tessera::test
