// What `diff` says of two runs: where they part, with the places and the values of both.
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
  Loc loc{};           // of a copy: of its start
  std::string line{};  // "ring.tsr:12"
  LoopIndices loops{};
};

// Of both runs; none: it has no such event.
struct DiffPlaces {
  std::optional<DiffPlace> a{}, b{};
};

// An element, or a rectangle where no one of its elements tells.
struct DiffValue {
  std::string where;             // "dev0 acc[0, 3]"
  std::string value_a, value_b;  // "1.5"; "?" is undefined; empty: of a rectangle
  DiffPlaces places;             // who wrote them
};

struct DiffResult {
  TensorDifference tensor;
  std::string where;  // "dev0 out"
  DiffValue first{};  // of a result that differs
};

struct DiffReport {
  std::string a, b;  // the words of both
  RunDifference difference;
  std::optional<DiffPlaces> order{}, event{};
  std::optional<DiffValue> value{};
  std::vector<DiffResult> results{};
};

// The sessions are of the two runs; they are moved. An error: one does not come to where it was.
Expected<DiffReport> diff_report(std::string a, std::string b, RunDifference difference,
                                 Session& session_a, Session& session_b);
std::string diff_lines(const DiffReport& report);
Json diff_json(const DiffReport& report);

}  // namespace tessera::cli
