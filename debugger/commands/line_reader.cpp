#include "debugger/commands/line_reader.h"

#include <histedit.h>
#include <unistd.h>

#include <cstdio>
#include <iostream>
#include <string_view>
#include <vector>

#include "debugger/commands/debugger.h"

namespace tessera::debugger {
namespace {

class PlainLines final : public LineReader {
 public:
  std::optional<std::string> next() override {
    std::string line;
    if (!std::getline(std::cin, line)) return {};
    return line;
  }
};

// Returns the longest common prefix of the words.
std::string common_start(const std::vector<std::string>& words) {
  std::string common = words.front();
  for (const std::string& word : words) {
    std::size_t same = 0;
    while (same < common.size() && same < word.size() && common[same] == word[same]) ++same;
    common.resize(same);
  }
  return common;
}

unsigned char complete(EditLine* editor, int) {
  const LineInfo* line = el_line(editor);
  const std::string_view before(line->buffer,
                                static_cast<std::size_t>(line->cursor - line->buffer));
  if (before.find(' ') != std::string_view::npos) return CC_ERROR;
  const std::vector<std::string> words = Debugger::completions(before);
  if (words.empty()) return CC_ERROR;
  std::string rest = common_start(words).substr(before.size());
  if (words.size() == 1) rest += ' ';
  if (rest.empty()) return CC_ERROR;
  return el_insertstr(editor, rest.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
}

char prompt_text[] = "(gmm) ";
char* prompt(EditLine*) { return prompt_text; }

class EditedLines final : public LineReader {
 public:
  EditedLines() : history_(history_init()), editor_(el_init("gmm-run", stdin, stdout, stderr)) {
    HistEvent event;
    constexpr int kept_lines = 500;
    history(history_, &event, H_SETSIZE, kept_lines);
    el_set(editor_, EL_PROMPT, &prompt);
    el_set(editor_, EL_EDITOR, "emacs");
    el_set(editor_, EL_HIST, history, history_);
    el_set(editor_, EL_ADDFN, "complete-word", "completes a command", &complete);
    el_set(editor_, EL_BIND, "^I", "complete-word", nullptr);
  }
  ~EditedLines() override {
    el_end(editor_);
    history_end(history_);
  }

  std::optional<std::string> next() override {
    int length = 0;
    const char* line = el_gets(editor_, &length);
    if (line == nullptr || length <= 0) return {};
    std::string text(line, static_cast<std::size_t>(length));
    while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
    HistEvent event;
    if (!text.empty()) history(history_, &event, H_ENTER, text.c_str());
    return text;
  }
  bool is_terminal() const override { return true; }

 private:
  History* history_;
  EditLine* editor_;
};

}  // namespace

std::unique_ptr<LineReader> standard_input() {
  if (isatty(STDIN_FILENO) == 1 && isatty(STDOUT_FILENO) == 1)
    return std::make_unique<EditedLines>();
  return std::make_unique<PlainLines>();
}

}  // namespace tessera::debugger
