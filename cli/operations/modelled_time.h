// Modelled time of a command (analysis/timeline/timing.h), without its values, and the search for a
// faster tile.
#pragma once
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "cli/operations/operation_call.h"
#include "cli/operations/tune_axes.h"
#include "kernels/tuning/tuner.h"

namespace tessera::cli {

// True for options that do not affect the model: options for results, checks and values, and
// --config, which sets the whole configuration.
bool is_idle_in_model(std::string_view option);
// Prepares the command for modelled_seconds(). Fails if the command line cannot be parsed or
// prepared. read: the options that the command reads are also marked as read in these arguments,
// even after a failure to prepare it; may be null.
Expected<Prepared> prepared_for_model(const Command& command, const Invocation& line, Files* files,
                                      const Arguments* read = nullptr);
// Runs the program without values and returns its modelled seconds on the machine of the profile.
// Fails if the run has findings or ends early, or if the time is unknown (why_unknown_time()).
Expected<double> modelled_seconds(const Prepared& call);

using ModelTuning = TuningResult<TuningCandidate>;

// Modelled times for candidates of a command line.
struct ModelTimes {
  const Command& command;           // must outlive this object
  Invocation line;                  // without the values of a candidate
  std::vector<std::string> sides;   // default tile sides
  Files* files;                     // of the command
  const Arguments* read = nullptr;  // as in prepared_for_model()

  // Return the command line with the candidate's values, as by with_candidate(), and the program
  // prepared from it, as by prepared_for_model().
  Invocation line_of(const TuningCandidate& candidate) const;
  Expected<Prepared> prepared(const TuningCandidate& candidate) const;
  // Models the time of each candidate, in order; a candidate that fails has the reason instead.
  // Fails like Tuner::tune().
  Expected<ModelTuning> of(const std::vector<TuningCandidate>& candidates) const;
};

// Returns "a run takes 6.73 us by the model, and 3.37 us with --tiling 256,256,256" if the fastest
// usual tile is more than 1.5 times as fast; otherwise none. None also without a complete time of
// --timing, if the command has no --tiling, if the command line has --tiling or --config, if the
// run has more than certified_events steps, or if no tile can be timed.
std::optional<std::string> faster_tile(const OperationCall& call, const OperationRun& run,
                                       Files* files);

}  // namespace tessera::cli
