// Report of `diff`: the first differences of two runs, with places and values in both.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/reports/console.h"
#include "core/program/loop_index.h"
#include "debugger/session/run_difference.h"
#include "debugger/session/session.h"

namespace tessera::cli {

// An event of one of the runs.
struct DiffPlace {
  std::int64_t event = 0;
  AgentId agent{};
  Loc loc{};           // for a copy: of its start
  std::string line{};  // "ring.tsr:12"
  LoopIndices loops{};
};

// Events of both runs; none if a run has no such event.
struct DiffPlaces {
  std::optional<DiffPlace> a{}, b{};
};

// A different element, or a rectangle if no single element is found.
struct DiffValue {
  std::string where;             // "dev0 acc[0, 3]"
  std::string value_a, value_b;  // "1.5"; "?" if undefined; empty for a rectangle
  DiffPlaces places;             // events that wrote the values
};

struct DiffResult {
  TensorDifference tensor;
  std::string where;  // "dev0 out"
  DiffValue first{};  // if the result differs
};

struct DiffReport {
  std::string a, b;  // names of the runs, from their words
  RunDifference difference;
  std::optional<DiffPlaces> order{}, event{};
  std::optional<DiffValue> value{};
  std::vector<DiffResult> results{};
};

// Creates the report from sessions of the two runs; changes the positions of the sessions. Fails if
// a session does not reach a place of its run again.
Expected<DiffReport> diff_report(std::string a, std::string b, RunDifference difference,
                                 Session& session_a, Session& session_b);
// Return the report as lines of text and as JSON, with the verdict whether the runs are the same.
std::string diff_lines(const DiffReport& report);
Json diff_json(const DiffReport& report);

}  // namespace tessera::cli
