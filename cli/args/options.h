// A command's options: declared once, then parsed and shown by --help.
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

// What a command does with the file that an option's value names.
enum class FileUse : std::uint8_t { none, reads, writes };

struct Option {
  std::string_view name;     // without its dashes
  std::string_view value;    // what the value looks like; empty: a switch
  std::string_view meaning;  // one line
  bool repeatable = false;
  FileUse file = FileUse::none;
  bool is_value_optional = false;  // a switch without its value; commands with words have none such
};

using Options = std::vector<Option>;

// What was given: options by name, and the words that belong to no option. They note who was asked
// for: a command asks for an option where it honours it, so what nobody asked for changes nothing.
class Arguments {
 public:
  bool has(std::string_view name) const;
  // The same of one that is to be refused, or judged: that is no honouring.
  bool was_given(std::string_view name) const { return values_.contains(name); }
  const std::vector<std::string>& glance(std::string_view name) const;
  // The value given, or `fallback`; a view into these arguments.
  std::string_view text(std::string_view name, std::string_view fallback = {}) const;
  const std::vector<std::string>& all(std::string_view name) const;
  // The integer given, or nothing; one that is malformed or outside [lowest, highest] is an error.
  std::optional<std::int64_t> integer(std::string_view name, Diags& diags, std::int64_t lowest = 0,
                                      std::int64_t highest = INT64_MAX) const;
  // The position of the word given among `words`, 0 when it was not given; an error for another.
  std::size_t choice(std::string_view name, std::span<const std::string_view> words,
                     Diags& diags) const;
  const std::vector<std::string>& words() const { return words_; }
  // All that followed the program's name, as a value and word by word.
  const Invocation& invocation() const { return invocation_; }
  const std::vector<std::string>& given() const { return given_; }
  // The files of the command, for all that opens files by its words; may be null.
  Files* files() const { return files_; }
  // An error for each option that was given and that nobody has asked for, of these arguments or of
  // a copy of them.
  Diags unread() const;
  // Each option counts as asked for: others, made of the same words, are.
  void read_all() const {
    for (const auto& [name, values] : values_) read_->insert(name);
  }
  // What these were asked for counts for the others as well, from now on or so far.
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

// `given` begins with the command's name. Unknown options get a near match; an option without its
// value, and one given twice that is not repeatable, are errors. files: must outlive the arguments.
Expected<Arguments> parse_arguments(const Options& options, const std::vector<std::string>& given,
                                    Files* files = nullptr);

// Two columns, options left and their meanings right.
std::string describe(const Options& options);

}  // namespace tessera::cli
