// Report of an operation command, as text and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/operations/operation_call.h"
#include "cli/reports/console.h"
#include "core/report/finding.h"
#include "kernels/oracle/verdict.h"

namespace tessera::cli {

// Outcome of a call.
struct OperationOutcome {
  Status status = Status::ok;
  OperationRun run;
  std::optional<Verdict> verdict;   // none if the run was not checked
  std::optional<Finding> mismatch;  // present if the verdict is not ok
};

// Converts a verdict that is not ok to a finding at the declaration of the result, with its device
// and element.
Finding mismatch_of(const Verdict& verdict, const OperationRun& run);

// Return the report on a call. explains: with all steps of the choice of the configuration; only
// for calls without config_lines or config, which are reported unchanged.
std::string report_lines(const Arguments& arguments, const OperationCall& call,
                         const OperationOutcome& outcome, bool explains);
Json report_json(const Arguments& arguments, const OperationCall& call,
                 const OperationOutcome& outcome, bool explains);

// Returns "3 groups of 100, 150, 50 rows"; for more than 8 groups of different sizes, their
// minimum, maximum, median and number of empty groups.
std::string groups_text(std::vector<std::int64_t> sizes);
// Returns the members of a shape as text: "m 16, k 32".
std::string shape_text(const Json& shape);

}  // namespace tessera::cli
