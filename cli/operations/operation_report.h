// What the command of an operation tells, for people and as JSON.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "cli/operations/operation_call.h"
#include "cli/reports/console.h"
#include "core/report/finding.h"
#include "kernels/oracle/verdict.h"

namespace tessera::cli {

// What a call came to.
struct OperationOutcome {
  Status status = Status::ok;
  OperationRun run;
  std::optional<Verdict> verdict;   // none when the run was not checked
  std::optional<Finding> mismatch;  // what the verdict says when it is not ok
};

// The verdict as a finding, with the device and the element that it is about.
Finding mismatch_of(const Verdict& verdict, const OperationRun& run);

// `explains`: with all of where the configuration comes from.
std::string report_lines(const Arguments& arguments, const OperationCall& call,
                         const OperationOutcome& outcome, bool explains);
Json report_json(const Arguments& arguments, const OperationCall& call,
                 const OperationOutcome& outcome, bool explains);

// "3 groups of 100, 150, 50 rows"
std::string groups_text(std::vector<std::int64_t> sizes);
// "m 16, k 32": the members of a shape.
std::string shape_text(const Json& shape);

}  // namespace tessera::cli
