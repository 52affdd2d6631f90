// The candidates of a tuning with their times, for reports. A configuration is shown by
// describe(config) and config_json(config).
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <string>

#include "cli/reports/report.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/tuner.h"
#include "text/numbers.h"

namespace tessera::cli {

inline Json config_json(const GroupedMatmulConfig& config) { return Json::parse(to_json(config)); }

// Returns one line per candidate: its configuration, its time or the reason for none, and the time
// that a model expects. The best candidate has a star.
template <typename Config>
std::string candidate_lines(const TuningResult<Config>& tuning) {
  std::size_t width = 28;
  for (const auto& candidate : tuning.candidates)
    width = std::max(width, describe(candidate.config).size() + 2);
  std::string text;
  for (const auto& candidate : tuning.candidates) {
    std::string outcome;
    if (candidate.seconds) {
      outcome = human_seconds(*candidate.seconds) + (&candidate == &tuning.winner() ? "  *" : "");
    } else if (!candidate.skipped.empty()) {
      outcome = "skipped: " + candidate.skipped;
    }
    if (outcome.empty() && !candidate.expected) outcome = "the model covers only the fast kernels";
    if (candidate.expected)
      outcome += fmt::format("{}expected {}", outcome.empty() ? "" : ", ",
                             human_seconds(*candidate.expected));
    text += fmt::format("  {:<{}}{}\n", describe(candidate.config), width, outcome);
  }
  return text;
}

// Returns the line on the best candidate and its time, which it must have.
template <typename Config>
std::string chosen_line(const TuningResult<Config>& tuning) {
  const auto& winner = tuning.winner();
  return line("chosen",
              fmt::format("{}, {}", describe(winner.config), human_seconds(*winner.seconds)));
}

// Returns [{config, seconds, skipped, expected_seconds}]; seconds is null without a time, and the
// last two members are only present if there are any.
template <typename Config>
Json candidates_json(const TuningResult<Config>& tuning) {
  Json list = Json::array();
  for (const auto& candidate : tuning.candidates) {
    Json row = {{"config", config_json(candidate.config)},
                {"seconds", candidate.seconds ? Json(*candidate.seconds) : Json()}};
    if (!candidate.skipped.empty()) row["skipped"] = candidate.skipped;
    if (candidate.expected) row["expected_seconds"] = *candidate.expected;
    list.push_back(row);
  }
  return list;
}

}  // namespace tessera::cli
