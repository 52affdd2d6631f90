// How long a command takes by the model of a run's events (analysis/timeline/timing.h), without its
// values; and whether another tile would be faster.
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

// Options of a run that are about results, checks or values, or give the whole configuration: the
// model has no use for them.
bool is_idle_in_model(std::string_view option);
// The command ready for its time; `read`: these arguments count as asked for what it asks for.
Expected<Prepared> prepared_for_model(const Command& command, const Invocation& line, Files* files,
                                      const Arguments* read = nullptr);
// Seconds on the machine of its profile; a finding is an error, and so is a run that depends on
// counts that it reads.
Expected<double> modelled_seconds(const Prepared& call);

using ModelTuning = TuningResult<TuningCandidate>;

// The times of candidates of a command line.
struct ModelTimes {
  const Command& command;
  Invocation line;                  // without its candidate
  std::vector<std::string> sides;   // of a tile that the candidate and the line do not give
  Files* files;                     // of the command
  const Arguments* read = nullptr;  // as prepared_for_model has it

  Invocation line_of(const TuningCandidate& candidate) const;
  Expected<Prepared> prepared(const TuningCandidate& candidate) const;
  Expected<ModelTuning> of(const std::vector<TuningCandidate>& candidates) const;
};

// "a run takes 6.73 us by the model, and 3.37 us with --tiling 256,256,256", where the command line
// says no tiling, asks for --timing, and the model knows one that is much faster; none too where
// trying would take long.
std::optional<std::string> faster_tile(const OperationCall& call, const OperationRun& run,
                                       Files* files);

}  // namespace tessera::cli
