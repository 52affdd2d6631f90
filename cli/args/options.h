// Options of a command. One declaration serves parsing and --help.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/held_files.h"
#include "core/report/expected.h"
#include "text/invocation.h"

namespace tessera::cli {

// Use of the file named by an option's value.
enum class FileUse : std::uint8_t { none, reads, writes };

struct Option {
  std::string_view name;     // without its dashes
  std::string_view value;    // form of the value; empty: a switch
  std::string_view meaning;  // one line
  bool repeatable = false;
  FileUse file = FileUse::none;
  bool is_value_optional = false;  // value may be omitted; not for commands with words
};

using Options = std::vector<Option>;
// Returns the option with this name; null if there is none. `options` must outlive the result.
const Option* find_option(const Options& options, std::string_view name);

// Parsed command line: options by name, and the words that are not options. It records the options
// that a command has read. A command reads an option only if it honours it, so an option that is
// given but never read has no effect (unread()).
// The functions that return values mark the option as read, except was_given() and glance().
class Arguments {
 public:
  // True if the option is given. Marks it as read.
  bool has(std::string_view name) const;
  // Queries for options that will be rejected or only checked: whether the option is given, and all
  // its values (glance()). They do not mark the option as read.
  bool was_given(std::string_view name) const { return values_.contains(name); }
  const std::vector<std::string>& glance(std::string_view name) const;
  // text(): returns the last value, or `fallback` if there is none. all(): returns all values in
  // order; empty if there are none. The results refer to this object or to `fallback`.
  std::string_view text(std::string_view name, std::string_view fallback = {}) const;
  const std::vector<std::string>& all(std::string_view name) const;
  // Returns the integer; none if the option is not given. A malformed integer, or one outside
  // [lowest, highest], is an error, and none is returned.
  std::optional<std::int64_t> integer(std::string_view name, Diags& diags, std::int64_t lowest = 0,
                                      std::int64_t highest = INT64_MAX) const;
  // Returns the index of the value in `words`; 0 if the option is not given. Any other value is an
  // error, and 0 is returned.
  std::size_t choice(std::string_view name, std::span<const std::string_view> words,
                     Diags& diags) const;
  const std::vector<std::string>& words() const { return words_; }
  // The command line after the program's name, parsed and as words.
  const Invocation& invocation() const { return invocation_; }
  const std::vector<std::string>& given() const { return given_; }
  // Files of the command, for code that opens files named by its words. May be null.
  Files* files() const { return files_; }
  // Returns an ErrorCode::unused_option for each given option that was never read, from this object
  // or from one of its copies: copies share the record of read options.
  Diags unread() const;
  // Marks all options as read, for example if other arguments made from the same words are checked
  // instead.
  void read_all() const {
    for (const auto& [name, values] : values_) read_->insert(name);
  }
  // read_along: shares the record of `others` from now on. read_as: marks the options that `others`
  // has read so far.
  void read_along(const Arguments& others) { read_ = others.read_; }
  void read_as(const Arguments& others) const {
    read_->insert(others.read_->begin(), others.read_->end());
  }

 private:
  friend Expected<Arguments> parse_arguments(const Options& options,
                                             const std::vector<std::string>& given, Files* files);
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
  std::vector<std::string> words_;
  std::vector<std::string> given_;
  Invocation invocation_;
  Files* files_ = nullptr;
  std::shared_ptr<std::set<std::string, std::less<>>> read_ =
      std::make_shared<std::set<std::string, std::less<>>>();
};

// Parses a command line. `given` begins with the command's name. Fails for unknown options (with a
// suggestion), for missing values, for values of switches, and for repeated options that are not
// repeatable. Words after `--` are no options. `files` must outlive the result; may be null.
Expected<Arguments> parse_arguments(const Options& options, const std::vector<std::string>& given,
                                    Files* files = nullptr);

// Formats the options as two columns: option and meaning.
std::string describe(const Options& options);

}  // namespace tessera::cli
