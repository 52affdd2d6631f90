#include "cli/args/options.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/program_options.hpp>
#include <cstddef>
#include <utility>

#include "core/report/near.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

namespace po = boost::program_options;

std::vector<std::string_view> names(const Options& options) {
  std::vector<std::string_view> result;
  for (const Option& option : options) result.push_back(option.name);
  return result;
}

po::options_description declared(const Options& options) {
  po::options_description description;
  for (const Option& option : options) {
    const std::string name(option.name);
    if (option.value.empty()) {
      description.add_options()(name.c_str(), "");
    } else if (option.is_value_optional) {
      description.add_options()(name.c_str(),
                                po::value<std::vector<std::string>>()->implicit_value({}, ""), "");
    } else {
      description.add_options()(name.c_str(), po::value<std::vector<std::string>>(), "");
    }
  }
  return description;
}

// The option that a letter behind one dash stands for, as other tools have it; empty: none.
std::string_view name_of_letter(char letter) { return letter == 'x' ? "script" : ""; }

// The words with a value that may be left out behind its option's name, as the parser takes it only
// there, and with names in the place of letters.
std::vector<std::string> joined(const Options& options, std::span<const std::string> words) {
  std::vector<std::string> result;
  bool wants_value = false, is_value = false;
  for (const std::string& word : words) {
    if (wants_value && !word.starts_with("--")) {
      result.back() += '=' + word;
      wants_value = false;
      continue;
    }
    const bool is_letter = !is_value && word.size() == 2 && word[0] == '-' && word[1] != '-';
    const auto meant = std::find_if(options.begin(), options.end(), [&](const Option& option) {
      return is_letter ? option.name == name_of_letter(word[1])
                       : word.starts_with("--") && word.substr(2) == option.name;
    });
    is_value =
        !is_value && meant != options.end() && !meant->value.empty() && !meant->is_value_optional;
    if (is_letter && meant != options.end()) {
      result.push_back(fmt::format("--{}", meant->name));
      continue;
    }
    wants_value = std::any_of(options.begin(), options.end(), [&](const Option& option) {
      return option.is_value_optional && word.starts_with("--") && word.substr(2) == option.name;
    });
    result.push_back(word);
  }
  return result;
}

std::string plain(std::string name) {
  name.erase(0, std::min(name.find_first_not_of('-'), name.size()));
  return name.substr(0, name.find('='));
}

}  // namespace

Expected<Arguments> parse_arguments(const Options& options, const std::vector<std::string>& given) {
  namespace style = po::command_line_style;
  constexpr int long_only = style::allow_long | style::long_allow_adjacent | style::long_allow_next;
  const auto declaration = [&](const std::string& name) {
    return std::find_if(options.begin(), options.end(),
                        [&](const Option& option) { return option.name == name; });
  };
  Arguments result;
  result.given_ = given;
  if (!given.empty()) result.invocation_.command = given.front();
  Diags diags;
  try {
    const po::options_description description = declared(options);
    const std::vector<std::string> rest =
        joined(options, std::span(given).subspan(given.empty() ? 0 : 1));
    const auto parsed = po::command_line_parser(rest)
                            .options(description)
                            .style(long_only)
                            .allow_unregistered()
                            .run();
    for (const po::option& option : parsed.options) {
      if (option.position_key != -1) {
        result.words_.insert(result.words_.end(), option.value.begin(), option.value.end());
        for (const std::string& word : option.value)
          result.invocation_.options.push_back({"", word});
        continue;
      }
      const std::string name = plain(option.string_key);
      const auto known = declaration(name);
      if (known == options.end()) {
        diags.push_back(
            error(fmt::format("unknown option --{}{}", name, did_you_mean(name, names(options)))));
        continue;
      }
      if (result.values_.contains(name) && !known->repeatable) {
        diags.push_back(error(fmt::format("--{} is given twice", name)));
      }
      auto& values = result.values_[name];
      values.insert(values.end(), option.value.begin(), option.value.end());
      result.invocation_.options.push_back({name, std::nullopt});
      if (!option.value.empty()) result.invocation_.options.back().value = option.value.front();
    }
  } catch (const po::error_with_option_name& problem) {
    const std::string name = plain(problem.get_option_name());
    const auto known = declaration(name);
    if (known == options.end()) {
      diags.push_back(error(problem.what()));
    } else if (known->value.empty()) {
      diags.push_back(error(fmt::format("--{} takes no value", name)));
    } else {
      diags.push_back(error(fmt::format("--{} needs a value: {}", name, known->value)));
    }
  } catch (const po::error& problem) {
    diags.push_back(error(problem.what()));
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
      diags.push_back(error(fmt::format("--{} changes nothing in this call", name)));
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
  diags.push_back(error(fmt::format("--{} wants {}, not '{}'", name, wanted, text(name))));
  return std::nullopt;
}

std::size_t Arguments::choice(std::string_view name, std::span<const std::string_view> words,
                              Diags& diags) const {
  if (!has(name)) return 0;
  const auto found = std::find(words.begin(), words.end(), text(name));
  if (found != words.end()) return static_cast<std::size_t>(found - words.begin());
  diags.push_back(error(fmt::format("--{} is one of {}, not '{}'{}", name, fmt::join(words, ", "),
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
