#include "cli/args/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <utility>

#include "core/report/near.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::vector<std::string_view> names(const Options& options) {
  std::vector<std::string_view> result;
  for (const Option& option : options) result.push_back(option.name);
  return result;
}

// Returns the option that a single-dash letter abbreviates, as in other tools; empty: none.
std::string_view name_of_letter(std::string_view word) { return word == "-x" ? "script" : ""; }

// An option and its value, or a word that belongs to no option.
struct GivenWord {
  const Option* option = nullptr;
  std::optional<std::string> value;
};

// Splits a command line. A value follows `=` or is the next word.
class Splitter {
 public:
  Splitter(const Options& options, std::span<const std::string> words, Diags& diags)
      : options_(options), words_(words), diags_(diags) {}

  std::vector<GivenWord> split() {
    bool has_options = true;  // until the word --
    while (next_ < words_.size()) {
      const std::string& word = words_[next_++];
      const std::string_view letter = name_of_letter(word);
      if (has_options && word == "--")
        has_options = false;
      else if (has_options && word.starts_with("--"))
        add_option(std::string_view(word).substr(2));
      else if (has_options && find(letter) != nullptr)
        add_option(letter);
      else
        given_.push_back({nullptr, word});
    }
    return std::move(given_);
  }

 private:
  const Option* find(std::string_view name) const {
    const auto option = std::find_if(options_.begin(), options_.end(),
                                     [&](const Option& o) { return o.name == name; });
    return option == options_.end() ? nullptr : &*option;
  }

  void add_option(std::string_view word) {
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const Option* const option = find(name);
    if (option == nullptr)
      return fail(fmt::format("unknown option --{}{}", name, did_you_mean(name, names(options_))));
    const bool is_joined = equals != std::string_view::npos, is_switch = option->value.empty();
    std::optional<std::string> value;
    if (is_joined && equals + 1 < word.size()) value = word.substr(equals + 1);
    if (is_switch && is_joined) return fail(fmt::format("--{} takes no value", name));
    const bool is_next = next_ < words_.size() && !is_option(words_[next_]);
    if (!is_switch && !is_joined && is_next) value = words_[next_++];
    const bool needs_value = is_joined || !(is_switch || option->is_value_optional);
    if (needs_value && !value)
      return fail(fmt::format("--{} needs a value: {}", name, option->value));
    given_.push_back({option, std::move(value)});
  }

  static bool is_option(std::string_view word) { return word.starts_with("--"); }
  void fail(std::string message) { diags_.push_back(error(std::move(message))); }

  const Options& options_;
  const std::span<const std::string> words_;
  Diags& diags_;
  std::size_t next_ = 0;
  std::vector<GivenWord> given_;
};

}  // namespace

const Option* find_option(const Options& options, std::string_view name) {
  const auto found = std::find_if(options.begin(), options.end(),
                                  [&](const Option& option) { return option.name == name; });
  return found == options.end() ? nullptr : &*found;
}

Expected<Arguments> parse_arguments(const Options& options, const std::vector<std::string>& given,
                                    Files* files) {
  Arguments result;
  result.files_ = files;
  result.given_ = given;
  if (!given.empty()) result.invocation_.command = given.front();
  Diags diags;
  const auto rest = std::span(given).subspan(given.empty() ? 0 : 1);
  for (GivenWord& word : Splitter(options, rest, diags).split()) {
    const std::string name(word.option == nullptr ? "" : word.option->name);
    if (word.option == nullptr) {
      result.words_.push_back(*word.value);
    } else {
      if (result.values_.contains(name) && !word.option->repeatable)
        diags.push_back(error(fmt::format("--{} is given twice", name)));
      std::vector<std::string>& values = result.values_[name];
      if (word.value) values.push_back(*word.value);
    }
    result.invocation_.options.push_back({name, std::move(word.value)});
  }
  if (!diags.empty()) return diags;
  return result;
}

bool Arguments::has(std::string_view name) const {
  read_->emplace(name);
  return values_.contains(name);
}

Diags Arguments::unread() const {
  Diags diags;
  for (const auto& [name, values] : values_) {
    if (!read_->contains(name))
      diags.push_back(
          error(ErrorCode::unused_option, fmt::format("--{} changes nothing in this call", name)));
  }
  return diags;
}

std::string_view Arguments::text(std::string_view name, std::string_view fallback) const {
  read_->emplace(name);
  const auto found = values_.find(name);
  return found == values_.end() || found->second.empty() ? fallback : found->second.back();
}

const std::vector<std::string>& Arguments::all(std::string_view name) const {
  read_->emplace(name);
  return glance(name);
}

const std::vector<std::string>& Arguments::glance(std::string_view name) const {
  static const std::vector<std::string> none;
  const auto found = values_.find(name);
  return found == values_.end() ? none : found->second;
}

std::optional<std::int64_t> Arguments::integer(std::string_view name, Diags& diags,
                                               std::int64_t lowest, std::int64_t highest) const {
  if (!has(name)) return std::nullopt;
  const std::optional<std::int64_t> value = parse_integer(text(name));
  if (value && *value >= lowest && *value <= highest) return value;
  std::string wanted = "an integer";
  if (highest != INT64_MAX) {
    wanted = fmt::format("an integer from {} to {}", lowest, highest);
  } else if (lowest > INT64_MIN) {
    wanted = fmt::format("an integer of at least {}", lowest);
  }
  diags.push_back(error(fmt::format("--{}: expected {}, found '{}'", name, wanted, text(name))));
  return std::nullopt;
}

std::size_t Arguments::choice(std::string_view name, std::span<const std::string_view> words,
                              Diags& diags) const {
  if (!has(name)) return 0;
  const auto found = std::find(words.begin(), words.end(), text(name));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  diags.push_back(
      error(fmt::format("--{}: expected one of {}, found '{}'{}", name, fmt::join(words, ", "),
                        text(name), did_you_mean(text(name), words))));
  return 0;
}

std::string describe(const Options& options) {
  const auto left = [](const Option& option) {
    return option.value.empty() ? fmt::format("  --{}", option.name)
                                : fmt::format("  --{} {}", option.name, option.value);
  };
  constexpr std::size_t widest = 34;
  std::size_t width = 0;
  for (const Option& option : options) {
    if (left(option).size() <= widest) width = std::max(width, left(option).size());
  }
  std::string result;
  for (const Option& option : options) {
    const std::string head = left(option);
    result += head;
    if (head.size() > width)
      result += "\n" + std::string(width, ' ');
    else
      result += std::string(width - head.size(), ' ');
    result += fmt::format("  {}\n", option.meaning);
  }
  return result;
}

}  // namespace tessera::cli
