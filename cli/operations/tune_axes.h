// What is tried of a command's configuration: the values of its parts, and the command lines that
// have them.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/kernel/tiling.h"

namespace tessera::cli {

// A part of a configuration and the values that it is to take: a side of the tile (tm, tk, tn), an
// option of the command (buffers), or a parameter of a program.
struct TuningAxis {
  std::string name;
  std::vector<std::string> values;
};

// One value for each part; without parts: the command as it is.
struct TuningCandidate {
  std::vector<std::pair<std::string, std::string>> values;
  bool operator==(const TuningCandidate&) const = default;
};
std::string describe(const TuningCandidate& candidate);  // "tm=64 tk=128", "the default"
Json config_json(const TuningCandidate& candidate);      // {"tm": 64, "tk": 128}

inline constexpr std::size_t max_tuning_candidates = 1000;

// What --tune NAME=V1,V2 says, in the order given; none: it is not there. A text of another form, a
// name given twice and a value given twice are errors, as are more than `max_tuning_candidates`.
Expected<std::vector<TuningAxis>> tuning_axes(const Arguments& arguments);
// All combinations, the last part changing first.
std::vector<TuningCandidate> combinations(const std::vector<TuningAxis>& axes);
// The tiles that the interpreter offers for a product, clamped to the m, k and n that the command
// line says; as values of the sides of the command's tile.
std::vector<TuningCandidate> usual_candidates(const Command& command, const Invocation& line,
                                              const Profile& profile);

// What can be tuned of an operation by its options; none: nothing.
std::vector<std::string_view> tunable_parts(const Command& command);
// Whether the parts are some of the operation's, and nothing else on the command line gives them.
Expected<void> check_parts(const Command& command, const Invocation& line,
                           const std::vector<TuningAxis>& axes);
// The same of a program's parameters.
Expected<void> check_parameters(const KernelInfo& kernel, const Invocation& line,
                                const std::vector<TuningAxis>& axes);

// The option of an operation that gives its tile, and the sides that it has; none: no sides.
struct TileOption {
  std::string_view name;
  std::vector<std::string_view> sides;
};
TileOption tile_option(const Command& command);

// The sides of the tile that an operation has without its option: those that it says itself, else
// the profile's. As long as TileOption::sides.
std::vector<std::string> standard_sides(const Command& command, const Prepared* standard,
                                        const Tiling& of_profile);
// The command line with the candidate's values. Sides of the tile that it does not name are those
// of the operation's option, else `standard`.
Invocation with_candidate(const Command& command, const Invocation& line,
                          const std::vector<std::string>& standard,
                          const TuningCandidate& candidate);

}  // namespace tessera::cli
