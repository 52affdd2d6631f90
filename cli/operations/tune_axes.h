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

// Returns the values of --tune NAME=V1,V2, in the order given; empty without --tune. Fails for text
// of another form, a repeated name or value, and more than `max_tuning_candidates` combinations.
Expected<std::vector<TuningAxis>> tuning_axes(const Arguments& arguments);
// Returns all combinations; the value of the last axis changes fastest. Without axes, the result is
// the unchanged command.
std::vector<TuningCandidate> combinations(const std::vector<TuningAxis>& axes);
// Returns the tiles that the interpreter proposes for a product, as sides of the command's tile,
// each once. They are clamped to --m, --k and --n, if given. Requires a tile option
// (tile_option()); otherwise the only candidate is the unchanged command.
std::vector<TuningCandidate> usual_candidates(const Command& command, const Invocation& line,
                                              const Profile& profile);

// Returns the parts of an operation that can be tuned by its options; may be empty.
std::vector<std::string_view> tunable_parts(const Command& command);
// Fails if the operation does not have these parts, or if an option of the command line sets one.
// The tile option may be given if the axes vary some sides but not all, or only other parts.
Expected<void> check_parts(const Command& command, const Invocation& line,
                           const std::vector<TuningAxis>& axes);
// Fails if the kernel does not have these parameters, or if --set of the command line sets one.
Expected<void> check_parameters(const KernelInfo& kernel, const Invocation& line,
                                const std::vector<TuningAxis>& axes);

// The option for the tile of an operation, and the sides in its value. Empty if there is no such
// option.
struct TileOption {
  std::string_view name;
  std::vector<std::string_view> sides;
};
TileOption tile_option(const Command& command);

// Returns the default sides of the tile of an operation, one for each of TileOption::sides: from
// `standard`, the prepared command without --tune, otherwise from the profile. standard: may be
// null; of_profile: the profile's tiling.
std::vector<std::string> standard_sides(const Command& command, const Prepared* standard,
                                        const Tiling& of_profile);
// Returns the command line with the candidate's values: as --set for `run`, otherwise as options.
// Other sides of the tile are those of the tile option of `line`, otherwise of `standard`, from
// standard_sides(). If this option has another number of sides, returns `line` unchanged.
Invocation with_candidate(const Command& command, const Invocation& line,
                          const std::vector<std::string>& standard,
                          const TuningCandidate& candidate);

}  // namespace tessera::cli
