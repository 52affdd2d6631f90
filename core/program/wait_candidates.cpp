#include "core/program/wait_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/lang/walk.h"
#include "core/report/lines.h"

namespace tessera {
namespace {

// Statements about copies and waits in the text.
struct Words : ast::Visitor {
  explicit Words(const Loc& start) : start(start) {}

  using Visitor::meet;
  void enter(const ast::Block& block) override { around.push_back(&block); }
  void leave(const ast::Block&) override { around.pop_back(); }
  void meet(const ast::Expression& expression) override {
    if (expression.as<ast::Index>()) indices.push_back(&expression);
  }
  void meet(const ast::Parameter& parameter) override { lines.push_back(parameter.loc.line); }
  void meet(const ast::Declaration& declaration) override {
    lines.push_back(declaration.loc().line);
  }
  void meet(const ast::Statement& statement) override {
    lines.push_back(statement.loc().line);
    if (const auto* wait = statement.as<ast::WaitFor>()) waits.push_back(wait);
    const bool is_start = statement.as<ast::Start>() || statement.as<ast::StartRemote>();
    if (!is_start || statement.loc().line != start.line || statement.loc().column != start.column)
      return;
    copy = &statement;
    blocks = around;
  }

  const Loc& start;
  const ast::Statement* copy = nullptr;   // starts at `start`
  std::vector<const ast::Block*> blocks;  // around the copy, outermost first
  std::vector<const ast::Block*> around;  // around the current node
  std::vector<int> lines;                 // first lines of statements and declarations
  std::vector<const ast::WaitFor*> waits;
  std::vector<const ast::Expression*> indices;
};

class Candidates {
 public:
  Candidates(const Module& module, const Loc& start) : lines_(module.source->text), words_(start) {
    for (const auto& definition : module.root->definitions)
      std::visit([&](const auto& node) { walk(node, words_); }, definition);
  }

  std::vector<WaitCandidate> write(bool of_source, std::vector<int> lines) {
    if (words_.copy == nullptr) return {};
    const auto [semaphore, memory] = counted(of_source);
    const std::vector<int> last = ends();
    lines.insert(lines.end(), last.begin(), last.end());
    for (const int line : lines) {
      const int before = statement_line(line);
      for (const std::string& wait : waits(*semaphore, *memory, line))
        if (std::none_of(found_.begin(), found_.end(), [&](const WaitCandidate& c) {
              return c.before_line == before && c.text == wait;
            }))
          found_.push_back({before, wait});
    }
    return std::move(found_);
  }

 private:
  // Returns the semaphore that counts the bytes, and the memory that contains them.
  std::pair<const ast::Expression*, const ast::Expression*> counted(bool of_source) const {
    if (const auto* copy = words_.copy->as<ast::Start>())
      return {&copy->semaphore, of_source ? &copy->source : &copy->destination};
    const auto& remote = std::get<ast::StartRemote>(words_.copy->form);
    if (of_source) return {&remote.sent, &remote.source};
    return {&remote.arrived, &remote.destination};
  }

  std::string text(const Loc& loc) const {
    const std::string_view line = lines_[loc.line];
    const auto column = static_cast<std::size_t>(loc.column - 1);
    if (column >= line.size()) return {};
    return std::string(line.substr(column, static_cast<std::size_t>(loc.width)));
  }
  std::string text(const ast::Expression& expression) const { return text(expression.loc()); }
  static const ast::Expression& base(const ast::Expression& expression) {
    if (const auto* index = expression.as<ast::Index>()) return base(*index->base);
    if (const auto* member = expression.as<ast::Member>()) return base(*member->base);
    return expression;
  }
  std::string base_text(const ast::Expression& expression) const { return text(base(expression)); }

  // Returns the waits in the order in which they should be tried.
  std::vector<std::string> waits(const ast::Expression& semaphore, const ast::Expression& memory,
                                 int line) const {
    std::vector<std::string> result;
    const auto add = [&](const std::string& sem, const std::string& slice) {
      if (sem.empty() || slice.empty()) return;
      std::string wait = fmt::format("wait {} for {}", sem, slice);
      if (std::find(result.begin(), result.end(), wait) == result.end())
        result.push_back(std::move(wait));
    };
    // Use the semaphore index of the access that comes too early.
    for (const ast::Expression* access : words_.indices) {
      if (access->loc().line != line || base_text(*access) != base_text(memory)) continue;
      if (semaphore.as<ast::Index>()) {
        const std::string which = text(access->as<ast::Index>()->items[0].loc());
        add(fmt::format("{}[{}]", base_text(semaphore), which), text(*access));
        add(fmt::format("{}[{}]", base_text(semaphore), which), with_first(memory, which));
      }
      add(text(semaphore), text(*access));
    }
    add(text(semaphore), text(memory));
    for (const ast::WaitFor* wait : words_.waits)
      if (base_text(wait->semaphore) == base_text(semaphore))
        add(text(wait->semaphore), text(wait->slice));
    return result;
  }
  // Returns the slice with another first index.
  std::string with_first(const ast::Expression& slice, const std::string& which) const {
    const auto* index = slice.as<ast::Index>();
    if (index == nullptr) return {};
    std::string result = fmt::format("{}[{}", base_text(slice), which);
    for (std::size_t i = 1; i < index->items.size(); ++i)
      result += ", " + text(index->items[i].loc());
    return result + "]";
  }

  // Returns the first line of the statement that contains this line.
  int statement_line(int line) const {
    int first = 0;
    for (const int begin : words_.lines)
      if (begin <= line) first = std::max(first, begin);
    return is_end(line) || first == 0 ? line : first;
  }
  bool is_end(int line) const {
    const std::string_view text = lines_[line];
    const std::size_t first = text.find_first_not_of(" \t");
    return first != std::string_view::npos && text[first] == '}';
  }

  // Returns the lines of the braces that close the blocks around the start, innermost first.
  std::vector<int> ends() const {
    std::vector<int> lines;
    for (auto block = words_.blocks.rbegin(); block != words_.blocks.rend(); ++block)
      if (const int line = end_of(**block); line > 0) lines.push_back(line);
    return lines;
  }
  int end_of(const ast::Block& block) const {
    int depth = 0;
    for (int number = block.loc.line; lines_.has(number); ++number) {
      const std::string_view line = lines_[number];
      std::size_t at =
          number == block.loc.line ? static_cast<std::size_t>(block.loc.column - 1) : 0;
      bool is_quoted = false;
      for (; at < line.size(); ++at) {
        if (line[at] == '"') is_quoted = !is_quoted;
        if (is_quoted) continue;
        if (line.substr(at).starts_with("//")) break;
        if (line[at] == '{') ++depth;
        if (line[at] == '}' && --depth == 0) return number;
      }
    }
    return 0;
  }

  const Lines lines_;
  Words words_;
  std::vector<WaitCandidate> found_;
};

}  // namespace

std::vector<WaitCandidate> wait_candidates(const Module& module, const Loc& start, bool of_source,
                                           const std::vector<int>& lines) {
  if (!start || start.source->name != module.source->name) return {};
  return Candidates(module, start).write(of_source, lines);
}

std::string with_wait(const Module& module, const WaitCandidate& wait) {
  const std::string& text = module.source->text;
  std::size_t at = 0;
  for (int line = 1; line < wait.before_line && at != std::string::npos; ++line) {
    at = text.find('\n', at);
    if (at != std::string::npos) ++at;
  }
  if (at == std::string::npos) at = text.size();
  return text.substr(0, at) + wait.text + "\n" + text.substr(at);
}

}  // namespace tessera
