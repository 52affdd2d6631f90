// Where a command writes: a report for people, or one JSON object and nothing else on standard
// output; or, for a caller inside another program, both, apart from each other.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <string_view>

#include "core/report/diag.h"
#include "core/report/finding.h"
#include "text/json.h"

namespace tessera::cli {

// budget: a limit that was set ended the work, interrupted: a signal did; what is told is as far as
// it came.
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
int exit_code(
    Status status);  // 0 fine, 1 a finding or mismatch, 2 bad input or unsupported, else 3
Status status_of(const Diags& diags);  // of the first, which is what stopped the command

class Progress;  // cli/reports/progress.h

struct Console {
  std::ostream& out;
  std::ostream& err;
  bool json = false;
  std::ostream* object = nullptr;  // where the object goes beside the report for people
  Progress* progress = nullptr;    // may be null: no progress line

  bool prints_json() const { return json || object != nullptr; }
  bool prints_text() const { return !json; }
};

Json to_json(const Diag& diag);
Json to_json(const Finding& finding);
Json to_json(const Remark& remark);
// A place's fields: file, line, column, device, agent; null where there is none.
Json place_json(const Loc& loc, int device, std::string_view agent);

// The number of the format that docs/schema/gmm-run.json describes.
inline constexpr std::int64_t output_schema = 2;

// Prints the object where it goes, with the number of its format first.
void print(Console& console, const Json& object);
// Ends a command that has a report: prints it, in JSON or for people, and after it what could not
// be written, which then is the status. Nothing that was computed is lost for a full disk.
int report(Console& console, Status status, const Diags& unwritten,
           const std::function<Json()>& json, const std::function<void()>& text);
// Says why the command cannot do its work, in the way asked for; returns the exit code.
int fail(Console& console, const Diags& diags);
int fail(Console& console, Diag diag);

}  // namespace tessera::cli
