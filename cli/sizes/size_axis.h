// Sizes of a command that can be varied: its number of devices, the parameters of its kernel, or
// the extents of its operation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/options.h"

namespace tessera::cli {

struct SizeAxis {
  std::string option;       // without dashes: "devices", "k", "set"
  std::string parameter{};  // for --set: the parameter of the kernel
  std::int64_t value = 1;   // in the command
  bool is_extent = false;   // an extent of operands in hbm; else a count

  // The option without its value: "--devices", "--set rows".
  std::string name() const;
  // The size as words of a command line: "--devices 3", "--set rows=3".
  std::string words(std::int64_t with) const;
};

// Returns the sizes of the command that `verify` with these arguments analyses, in the order of its
// options or parameters. Sizes that are given as tables or files are left out. Fails if the program
// cannot be opened.
Expected<std::vector<SizeAxis>> size_axes(const Arguments& arguments);
// A command line with other sizes, and the words that say which.
struct SizedCommand {
  Invocation invocation;
  std::string words;       // "--devices 3 --m 24"
  bool is_scaled = false;  // other sizes changed in proportion
};
// Returns the command lines with another value of one size, to be tried in this order until one is
// allowed. For a number of devices, the second one also changes the sizes that depend on it:
// extents keep their share of each device, and counts that are equal to the number of devices
// remain equal.
std::vector<SizedCommand> with_size(const Invocation& invocation, const std::vector<SizeAxis>& axes,
                                    std::size_t axis, std::int64_t value);

// Returns the command line with 0 as the last number of the given group sizes, or of the table that
// --in gives as numbers; none if there is no such list.
std::optional<SizedCommand> with_zero(const Invocation& invocation, const std::string& table);

}  // namespace tessera::cli
