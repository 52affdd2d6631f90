#include "core/lang/upgrade.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lang/language.h"
#include "core/lang/lexer.h"
#include "core/lang/old_words.h"
#include "core/lang/version.h"
#include "core/report/guarded.h"
#include "core/report/lines.h"
#include "core/report/try.h"

namespace tessera {
namespace {

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

// Whether what stands there could not be taken for a part of the argument: in `f(x, y)` or `[x]`.
bool stands_alone(std::string_view form, std::size_t begin, std::size_t end) {
  const std::string_view before = form.substr(0, begin), after = form.substr(end);
  return (before.ends_with('(') || before.ends_with('[') || before.ends_with(", ")) &&
         (after.starts_with(')') || after.starts_with(']') || after.starts_with(','));
}

class Upgrade {
 public:
  Upgrade(std::string_view text, std::vector<Token> tokens)
      : text_(text), lines_(text), tokens_(std::move(tokens)) {
    for (std::size_t i = 0; i < tokens_.size(); ++i)
      if (is_definition(i)) own_.insert(tokens_[i].text);
  }

  std::string run() const {
    const std::size_t begin = version_end(), end = tokens_.size() - 1;
    std::string out = in_front();
    if (begin == end) return out += text_.substr(front_end());
    out += text_.substr(front_end(), offset(begin) - front_end());
    out += rewritten(begin, end);
    return out += text_.substr(end_of(end - 1));
  }

 private:
  // The elements of a call's list, each a range of tokens, and the token behind its `)`.
  struct Call {
    std::vector<std::pair<std::size_t, std::size_t>> arguments;
    std::size_t end;
  };

  bool is(std::size_t i, std::string_view text) const {
    return i < tokens_.size() && tokens_[i].kind != TokenKind::text && tokens_[i].text == text;
  }
  std::size_t offset(std::size_t i) const {
    const Token& token = tokens_[i];
    return static_cast<std::size_t>(lines_[token.line].data() - text_.data()) +
           static_cast<std::size_t>(token.column) - 1;
  }
  std::size_t end_of(std::size_t i) const {
    return offset(i) + static_cast<std::size_t>(tokens_[i].width);
  }

  // `function f(...)` or `f(i) = ...`: a name of the text's own.
  bool is_definition(std::size_t i) const {
    if (tokens_[i].kind != TokenKind::name) return false;
    if (i > 0 && is(i - 1, "function")) return true;
    const auto call = call_at(i);
    return call && is(call->end, "=");
  }

  std::optional<Call> call_at(std::size_t i) const {
    if (!is(i + 1, "(") || tokens_[i + 1].space_before) return std::nullopt;
    Call call{{}, i + 2};
    int depth = 0;
    std::size_t begin = i + 2;
    for (std::size_t& at = call.end; at + 1 < tokens_.size(); ++at) {
      const bool closes = is(at, ")") || is(at, "]");
      if (depth == 0 && (closes || is(at, ","))) {
        if (at > begin) call.arguments.emplace_back(begin, at);
        begin = at + 1;
        if (closes) return ++at, call;
      }
      depth += is(at, "(") || is(at, "[") ? 1 : closes ? -1 : 0;
    }
    return std::nullopt;
  }

  // What stands on comments inside a call, each as a line above it; nullopt where no line can
  // stand above.
  std::optional<std::string> comments(std::size_t first, const Call& call) const {
    const std::size_t margin = static_cast<std::size_t>(tokens_[first].column) - 1;
    std::string out;
    for (std::size_t i = first + 1; i < call.end; ++i) {
      const std::string_view gap = text_.substr(end_of(i - 1), offset(i) - end_of(i - 1));
      for (std::size_t at = gap.find("//"); at != gap.npos; at = gap.find("//", at)) {
        const std::size_t end = std::min(gap.find('\n', at), gap.size());
        out += fmt::format("{}\n{}", gap.substr(at, end - at), std::string(margin, ' '));
        at = end;
      }
    }
    if (!out.empty() && !tokens_[first].line_before) return std::nullopt;
    return out;
  }

  // The text of these tokens with today's words.
  std::string rewritten(std::size_t begin, std::size_t end) const {
    std::string out;
    std::size_t from = offset(begin);
    for (std::size_t i = begin; i < end; ++i) {
      const OldWord* old = old_word_at(i);
      const auto call = old != nullptr ? call_at(i) : std::nullopt;
      const auto form = call ? filled(*old, *call) : std::nullopt;
      const auto above = form ? comments(i, *call) : std::nullopt;
      if (!above) continue;
      out += text_.substr(from, offset(i) - from);
      out += *above + *form;
      i = call->end - 1;
      from = end_of(i);
    }
    return out += text_.substr(from, end_of(end - 1) - from);
  }

  const OldWord* old_word_at(std::size_t i) const {
    const Token& token = tokens_[i];
    const bool is_member = i > 0 && is(i - 1, ".") && !token.space_before;
    if (token.kind != TokenKind::name || is_member || own_.contains(token.text)) return nullptr;
    return find_old_word(token.text);
  }

  // nullopt where the call has other arguments than the word had.
  std::optional<std::string> filled(const OldWord& old, const Call& call) const {
    std::vector<std::string_view> names;
    for (std::string_view rest = old.parameters; !rest.empty();) {
      const std::size_t comma = std::min(rest.find(", "), rest.size());
      names.push_back(rest.substr(0, comma));
      rest.remove_prefix(std::min(comma + 2, rest.size()));
    }
    if (names.size() != call.arguments.size()) return std::nullopt;
    for (const auto& [begin, end] : call.arguments)
      if (is(begin + 1, "=")) return std::nullopt;
    std::string out;
    for (std::size_t at = 0; at < old.now.size();) {
      std::size_t end = at;
      while (end < old.now.size() && is_name(old.now[end])) ++end;
      if (end == at) {
        out += old.now[at++];
        continue;
      }
      const auto name = std::find(names.begin(), names.end(), old.now.substr(at, end - at));
      if (name == names.end()) {
        out += old.now.substr(at, end - at);
      } else {
        const auto& [first, last] = call.arguments[static_cast<std::size_t>(name - names.begin())];
        const bool bare = is_postfix(first, last) || stands_alone(old.now, at, end);
        out += fmt::format(fmt::runtime(bare ? "{}" : "({})"), rewritten(first, last));
      }
      at = end;
    }
    return out;
  }

  // x, 2, f(a, b), x[i, :].y: nothing around it can come between its parts.
  bool is_postfix(std::size_t begin, std::size_t end) const {
    int depth = 0;
    for (std::size_t i = begin; i < end; ++i) {
      if (is(i, ")") || is(i, "]")) --depth;
      const bool inside = depth > 0;
      if (is(i, "(") || is(i, "[")) ++depth;
      if (i > begin && !inside && tokens_[i].space_before) return false;
      if (!inside && tokens_[i].kind == TokenKind::symbol &&
          std::string_view("()[].").find(tokens_[i].text) == std::string_view::npos)
        return false;
    }
    return true;
  }

  // The first token behind the line of the version that the text has.
  std::size_t version_end() const { return is(0, "tessera") && tokens_.size() > 2 ? 2 : 0; }

  // Where the line of the version is to be: at the one there is, else above the comment that
  // belongs to the first definition.
  std::size_t front() const {
    if (version_end() > 0) return offset(0);
    int line = tokens_.front().line;
    while (line > 1 && lines_[line - 1].starts_with("//")) --line;
    return static_cast<std::size_t>(lines_[line].data() - text_.data());
  }
  std::size_t front_end() const { return version_end() > 0 ? end_of(1) : front(); }
  std::string in_front() const {
    return fmt::format("{}tessera {}{}", text_.substr(0, front()), current_language_version(),
                       version_end() > 0 ? "" : "\n\n");
  }

  std::string_view text_;
  Lines lines_;
  std::vector<Token> tokens_;
  std::set<std::string, std::less<>> own_;  // names that the text defines
};

}  // namespace

Expected<std::string> upgrade(std::shared_ptr<const Source> source) try {
  Diags diags;
  std::vector<Token> tokens = lex(source, diags);
  if (!diags.empty()) return diags;
  TRY(check_language_version(source, tokens));
  std::string text = Upgrade(source->text, std::move(tokens)).run();
  TRY(parse(std::make_shared<const Source>(Source{source->name, text})));
  return text;
} catch (...) {
  return given_up("upgrading the program");
}

}  // namespace tessera
