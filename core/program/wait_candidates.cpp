#include "core/program/wait_candidates.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "core/lang/ast.h"

namespace tessera {
namespace {

std::string_view line_of(std::string_view text, int number) {
  for (int line = 1; line < number; ++line) {
    const std::size_t end = text.find('\n');
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + 1);
  }
  return text.substr(0, text.find('\n'));
}

class Candidates {
 public:
  Candidates(const Module& module, const Loc& start) : text_(module.source->text), start_(start) {
    walk(*module.root, {});
  }

  std::vector<WaitCandidate> write(bool of_source, std::vector<int> lines) {
    if (copy_ == nullptr) return {};
    const bool is_remote = copy_->kids.size() > 3;
    const Node& memory = copy_->kids[of_source ? 0 : is_remote ? 2 : 1];
    const Node& semaphore = copy_->kids[is_remote ? (of_source ? 3 : 4) : 2];
    const std::vector<int> last = ends();
    lines.insert(lines.end(), last.begin(), last.end());
    for (const int line : lines) {
      const int before = statement_line(line);
      for (const std::string& wait : words(semaphore, memory, line))
        if (std::none_of(found_.begin(), found_.end(), [&](const WaitCandidate& c) {
              return c.before_line == before && c.text == wait;
            }))
          found_.push_back({before, wait});
    }
    return std::move(found_);
  }

 private:
  void walk(const Node& node, std::vector<const Node*> blocks) {
    if (node.kind == NodeKind::block) {
      blocks.push_back(&node);
      for (const Node& kid : node.kids) statements_.push_back(&kid);
    }
    if (node.kind == NodeKind::wait_for) waits_.push_back(&node);
    if (node.kind == NodeKind::index) indices_.push_back(&node);
    if (node.kind == NodeKind::start && node.loc.line == start_.line &&
        node.loc.column == start_.column) {
      copy_ = &node;
      blocks_ = blocks;
    }
    for (const Node& kid : node.kids) walk(kid, blocks);
  }

  std::string text(const Node& node) const {
    const std::string_view line = line_of(text_, node.loc.line);
    const auto column = static_cast<std::size_t>(node.loc.column - 1);
    if (column >= line.size()) return {};
    return std::string(line.substr(column, static_cast<std::size_t>(node.loc.width)));
  }
  static const Node& base(const Node& node) {
    return node.kind == NodeKind::index || node.kind == NodeKind::member ? base(node.kids.front())
                                                                         : node;
  }
  std::string base_text(const Node& node) const { return text(base(node)); }

  // In the order in which they are tried.
  std::vector<std::string> words(const Node& semaphore, const Node& memory, int line) const {
    std::vector<std::string> result;
    const auto add = [&](const std::string& sem, const std::string& slice) {
      if (sem.empty() || slice.empty()) return;
      std::string wait = fmt::format("wait {} for {}", sem, slice);
      if (std::find(result.begin(), result.end(), wait) == result.end())
        result.push_back(std::move(wait));
    };
    // Which one of an array: as the access that comes too early says it.
    for (const Node* access : indices_) {
      if (access->loc.line != line || base_text(*access) != base_text(memory)) continue;
      if (semaphore.kind == NodeKind::index) {
        const std::string which = text(access->kids[1]);
        add(fmt::format("{}[{}]", base_text(semaphore), which), text(*access));
        add(fmt::format("{}[{}]", base_text(semaphore), which), with_first(memory, which));
      }
      add(text(semaphore), text(*access));
    }
    add(text(semaphore), text(memory));
    for (const Node* wait : waits_)
      if (base_text(wait->kids[0]) == base_text(semaphore))
        add(text(wait->kids[0]), text(wait->kids[1]));
    return result;
  }
  // The slice with another first index.
  std::string with_first(const Node& slice, const std::string& which) const {
    if (slice.kind != NodeKind::index) return {};
    std::string result = fmt::format("{}[{}", base_text(slice), which);
    for (std::size_t i = 2; i < slice.kids.size(); ++i) result += ", " + text(slice.kids[i]);
    return result + "]";
  }

  // The line on which the statement begins that this one is part of.
  int statement_line(int line) const {
    int first = 0;
    for (const Node* statement : statements_)
      if (statement->loc.line <= line) first = std::max(first, statement->loc.line);
    return is_end(line) || first == 0 ? line : first;
  }
  bool is_end(int line) const {
    const std::string_view text = line_of(text_, line);
    const std::size_t first = text.find_first_not_of(" \t");
    return first != std::string_view::npos && text[first] == '}';
  }

  // The lines of the braces that close the blocks around the start, innermost first.
  std::vector<int> ends() const {
    std::vector<int> lines;
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block)
      if (const int line = end_of(**block); line > 0) lines.push_back(line);
    return lines;
  }
  int end_of(const Node& block) const {
    int depth = 0;
    const int last = static_cast<int>(std::count(text_.begin(), text_.end(), '\n')) + 1;
    for (int number = block.loc.line; number <= last; ++number) {
      const std::string_view line = line_of(text_, number);
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

  const std::string& text_;
  const Loc& start_;
  const Node* copy_ = nullptr;
  std::vector<const Node*> blocks_, statements_, waits_, indices_;
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
