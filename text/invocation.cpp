#include "text/invocation.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/report/printable.h"

namespace tessera {

bool Invocation::has(std::string_view name) const {
  return std::any_of(options.begin(), options.end(),
                     [&](const Option& option) { return option.name == name; });
}

std::optional<std::string> Invocation::value(std::string_view name) const {
  const auto found = std::find_if(options.rbegin(), options.rend(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options.rend() ? std::nullopt : found->value;
}

Invocation Invocation::without(std::initializer_list<std::string_view> names) const {
  Invocation rest{command, {}};
  for (const Option& option : options)
    if (std::find(names.begin(), names.end(), option.name) == names.end())
      rest.options.push_back(option);
  return rest;
}

Invocation Invocation::with(std::string_view name, std::optional<std::string> value) const {
  Invocation more = without({name});
  more.options.push_back({std::string(name), std::move(value)});
  return more;
}

Invocation Invocation::under(std::string_view outer) const {
  Invocation whole{std::string(outer), {{"", command}}};
  whole.options.insert(whole.options.end(), options.begin(), options.end());
  return whole;
}

std::vector<std::string> Invocation::words() const {
  std::vector<std::string> words = {command};
  for (const auto& [name, value] : options) {
    if (name.empty()) {
      words.push_back(value.value_or(""));
    } else if (value && value->starts_with("--")) {
      words.push_back("--" + name + "=" + *value);  // alone it would be an option
    } else {
      words.push_back("--" + name);
      if (value) words.push_back(*value);
    }
  }
  return words;
}

std::string Invocation::line() const {
  std::vector<std::string> all = words();
  all.insert(all.begin(), "gmm-run");
  return shell_line(all);
}

namespace {

// Quotes a word for a shell; control characters are escaped in Bash's $'...' form.
std::string shell_word(const std::string& word) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/@%";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string quoted = "'";
  if (printable_line(word) == word) {
    for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    return quoted + '\'';
  }
  constexpr std::string_view literal = " \t!\"#$%&()*+,-./:;<=>?@[]^_`{|}~";
  for (const char c : word) {
    const bool is_literal = std::isalnum(static_cast<unsigned char>(c)) != 0 ||
                            literal.find(c) != std::string_view::npos;
    quoted +=
        is_literal ? std::string(1, c) : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }
  return '$' + quoted + '\'';
}

}  // namespace

std::string shell_line(std::span<const std::string> words) {
  std::string line;
  for (const std::string& word : words) line += (line.empty() ? "" : " ") + shell_word(word);
  return line;
}

}  // namespace tessera
