// A command line as a value: a report prints the one that runs it again, a fuzzer draws one and
// makes it small.
#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct Invocation {
  // An option with its value, none for a switch; without a name: a word that belongs to no option.
  struct Option {
    std::string name;  // without its dashes
    std::optional<std::string> value{};
    bool operator==(const Option&) const = default;
  };

  std::string command;
  std::vector<Option> options;  // in their order on the command line

  bool operator==(const Invocation&) const = default;

  bool has(std::string_view name) const;
  // The value of the last one of that name; none where it is not given, or is a switch.
  std::optional<std::string> value(std::string_view name) const;
  // The same without any of these options.
  Invocation without(std::initializer_list<std::string_view> names) const;
  // The same with the option at its end, in the place of those of its name; without a value: a
  // switch.
  Invocation with(std::string_view name, std::optional<std::string> value = {}) const;
  // The command as the first word of another one: `verify gmm ...`.
  Invocation under(std::string_view outer) const;

  // What follows the program's name: the command, its options and words.
  std::vector<std::string> words() const;
  // "gmm-run gmm --m 8": what a shell reads back as these words.
  std::string line() const;
};

// The words as one line that a shell reads back as these words.
std::string shell_line(std::span<const std::string> words);

}  // namespace tessera
