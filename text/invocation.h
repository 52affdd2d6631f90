// A command line as a value: reports print it to repeat a run, the fuzzer draws and reduces it.
#pragma once
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

struct Invocation {
  // An option with its value (none for a switch), or, without a name, a positional word.
  struct Option {
    std::string name;  // without dashes
    std::optional<std::string> value{};
    bool operator==(const Option&) const = default;
  };

  std::string command;          // first word after the program's name: "verify"
  std::vector<Option> options;  // in command-line order

  bool operator==(const Invocation&) const = default;

  // True if there is an option of that name; empty name: a positional word.
  bool has(std::string_view name) const;
  // Returns the value of the last option of that name; none if there is no such option, or it is a
  // switch.
  std::optional<std::string> value(std::string_view name) const;
  // Returns the invocation without all options of these names; empty name: the positional words.
  Invocation without(std::initializer_list<std::string_view> names) const;
  // Returns the invocation with the option appended, in place of all options of that name. No
  // value: a switch.
  Invocation with(std::string_view name, std::optional<std::string> value = {}) const;
  // Returns the invocation of the command `outer`, with this command as its first positional word
  // and then these options: `verify gmm ...`.
  Invocation under(std::string_view outer) const;

  // Returns the words after the program's name: the command, its options and positional words. A
  // value that begins with "--" is in the word of its option: "--name=--value".
  std::vector<std::string> words() const;
  // Returns "gmm-run" and words() as one line for Bash (shell_line()): "gmm-run gmm --m 8".
  std::string line() const;
};

// Returns the words as one line, quoted such that Bash parses it into the same words.
std::string shell_line(std::span<const std::string> words);

}  // namespace tessera
