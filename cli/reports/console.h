// Output of a command: a text report, or only one JSON object on standard output. A caller inside
// another program gets both, in separate streams.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string_view>

#include "core/report/diag.h"
#include "core/report/finding.h"
#include "text/json.h"

namespace tessera::cli {

// budget: a limit ended the work. interrupted: a signal ended it. The report then covers the work
// up to this point.
enum class Status {
  ok,
  mismatch,
  finding,
  bad_input,
  unsupported,
  environment,
  budget,
  interrupted
};

std::string_view name(Status status);  // "bad_input"
// Returns 0 for ok, 1 for a finding or mismatch, 2 for bad input or unsupported, otherwise 3.
int exit_code(Status status);
// Returns the status for the first diagnostic, which ended the command; ok if there are none. After
// ErrorCode::interrupted: interrupted if a stop of this thread is requested, otherwise budget.
Status status_of(const Diags& diags);

class Progress;  // cli/reports/progress.h

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  std::ostream* object = nullptr;  // for the JSON object, in addition to the text; may be null
  Progress* progress = nullptr;    // may be null: no progress line

  bool prints_json() const { return json || object != nullptr; }
  bool prints_text() const { return !json; }
};

Json to_json(const Diag& diag);
Json to_json(const Finding& finding);
Json to_json(const Remark& remark);
// Returns the members file, line, column, device and agent of a place; null if unknown. device: -1
// if unknown; agent: empty if unknown.
Json place_json(const Loc& loc, int device, std::string_view agent);

// Version of the format in docs/schema/gmm-run.json.
inline constexpr std::int64_t output_schema = 2;

// Prints the object to its stream, with the version of the format as first member.
void print(Console& console, const Json& object);
// Prints the report of a command, as JSON or text or both, and returns the exit code. json, text:
// called only for this form; text() prints to the console. unwritten: errors of output files; they
// are reported too and replace `status`, so a full disk does not lose a report.
int report(Console& console, Status status, const Diags& unwritten,
           const std::function<Json()>& json, const std::function<void()>& text);
// Print the errors that ended a command, as JSON or text or both, and return the exit code. At
// least one error is required.
int fail(Console& console, const Diags& diags);
int fail(Console& console, Diag diag);

}  // namespace tessera::cli
