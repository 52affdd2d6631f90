// Limits on the work of a command: steps, memory, and interruption by a signal.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "core/report/stop.h"

namespace tessera::cli {

// Return the options --max-steps, for commands that run programs, and --max-memory.
Option max_steps_option();
Option max_memory_option();
// Parses a number of bytes such as "4G". The suffixes K, M, G and T are powers of 1024. None for
// any other text, and for 0.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// Installs handlers for SIGINT and SIGTERM that request a stop of the work. A second signal, at
// least 200 ms after the first, removes temporary files and ends the process immediately.
void catch_signals();
// Returns the stop request that is set by the first of these signals, and never reset.
Stop interruption();

// Memory limit of a command: --max-memory, or 15/16 of the available memory, to leave memory for
// the report. by: origin of the limit.
struct MemoryBudget {
  std::int64_t bytes = 0;
  std::string_view by;
};
// Returns the limit. Adds the errors to `diags`: a malformed --max-memory, with which the default
// is returned; in a build with sanitizers, each --max-memory is one, with ErrorCode::unsupported.
// Does not apply the limit.
MemoryBudget memory_budget(const Arguments& arguments, Diags& diags);

// Returns the reason why a run was cut short, for example "after 1000 steps, 2002 ops: --max-steps
// 1000". Empty if the program ended (RunEnd::program).
std::string end_text(RunEnd end, const RunStats& stats, const Arguments& arguments);

}  // namespace tessera::cli
