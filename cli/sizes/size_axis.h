// Sizes of a command that can be varied: its number of devices, the parameters of its kernel, or
// the extents of its operation.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "cli/args/options.h"

namespace tessera::cli {

struct SizeAxis {
  std::string option;       // without dashes: "devices", "k", "set"
  std::string parameter{};  // for --set: the parameter of the kernel
  std::int64_t value = 1;   // in the command
  bool is_extent = false;   // an extent of operands in hbm; else a count
  bool is_tuning = false;   // a tuning parameter of the kernel

  // The option without its value: "--devices", "--set rows".
  std::string name() const;
  // The size as words of a command line: "--devices 3", "--set rows=3".
  std::string words(std::int64_t with) const;
};

// Returns the sizes of the command that `verify` with these arguments analyses, in the order of its
// options or parameters. Sizes that are given as tables or files are left out. devices: of the run,
// which may be a default. Fails if the program cannot be opened.
Expected<std::vector<SizeAxis>> size_axes(const Arguments& arguments, int devices);
// A command line with other sizes, and these sizes as words.
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

// Returns the command lines with other numbers in the given group sizes, or in the table that --in
// gives as numbers: 0 at the end; all equal to the largest; one less at the beginning; and this one
// more for the second number. Empty if there is no such list.
std::vector<SizedCommand> with_other_tables(const Invocation& invocation, const std::string& table);

}  // namespace tessera::cli
