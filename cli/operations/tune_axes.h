// Candidates of `tune`: values for the parts of a configuration, and the command lines with these
// values.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "core/kernel/tiling.h"

namespace tessera::cli {

// A part of a configuration and its values to try: a side of the tile (tm, tk, tn), an option of
// the command (buffers), or a parameter of a program.
struct TuningAxis {
  std::string name;
  std::vector<std::string> values;
};

// One value per part; without parts: the unchanged command.
struct TuningCandidate {
  std::vector<std::pair<std::string, std::string>> values;
  bool operator==(const TuningCandidate&) const = default;
};
std::string describe(const TuningCandidate& candidate);  // "tm=64 tk=128", "the default"
Json config_json(const TuningCandidate& candidate);      // {"tm": 64, "tk": 128}

inline constexpr std::size_t max_tuning_candidates = 1000;

// The values of --tune NAME=V1,V2, in the order given; empty without --tune. Fails on a text of
// another form, a repeated name or value, and more than `max_tuning_candidates` combinations.
Expected<std::vector<TuningAxis>> tuning_axes(const Arguments& arguments);
// All combinations; the value of the last axis changes fastest.
std::vector<TuningCandidate> combinations(const std::vector<TuningAxis>& axes);
// The tiles that the interpreter proposes for a product, as sides of the command's tile. They are
// clamped to --m, --k and --n, if given.
std::vector<TuningCandidate> usual_candidates(const Command& command, const Invocation& line,
                                              const Profile& profile);

// Parts of an operation that can be tuned by its options; may be empty.
std::vector<std::string_view> tunable_parts(const Command& command);
// Checks that the operation has these parts, and that no option of the command line sets them.
Expected<void> check_parts(const Command& command, const Invocation& line,
                           const std::vector<TuningAxis>& axes);
// The same check for the parameters of a program.
Expected<void> check_parameters(const KernelInfo& kernel, const Invocation& line,
                                const std::vector<TuningAxis>& axes);

// The option for the tile of an operation, and the sides in its value; no sides: no such option.
struct TileOption {
  std::string_view name;
  std::vector<std::string_view> sides;
};
TileOption tile_option(const Command& command);

// Default sides of the tile of an operation, one for each of TileOption::sides: from `standard`,
// the prepared command without --tune, otherwise from the profile. standard: may be null.
std::vector<std::string> standard_sides(const Command& command, const Prepared* standard,
                                        const Tiling& of_profile);
// The command line with the candidate's values. Other sides of the tile are taken from the tile
// option of `line`, otherwise from `standard`.
Invocation with_candidate(const Command& command, const Invocation& line,
                          const std::vector<std::string>& standard,
                          const TuningCandidate& candidate);

}  // namespace tessera::cli
