// What bounds the work of a command: the steps and the memory that the command line gives it, and a
// signal.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "core/report/stop.h"

namespace tessera::cli {

// --max-steps, of commands that run programs, and --max-memory.
Option max_steps_option();
Option max_memory_option();
// "4G": with one of the suffixes K, M, G and T, powers of 1024; nothing for another text.
std::optional<std::int64_t> parse_bytes(std::string_view text);

// From here on SIGINT and SIGTERM ask the work to end; a second one, not right after the first,
// ends the process at once.
void catch_signals();
// Set by such a signal.
Stop interruption();

// What --max-memory says, or most of what there is: memory for the report is left. `by` says whose
// limit that is.
struct MemoryBudget {
  std::int64_t bytes = 0;
  std::string_view by;
};
MemoryBudget memory_budget(const Arguments& arguments, Diags& diags);

// Why a run ended in the middle: "after 1000 steps, 2002 ops: --max-steps 1000"; empty when it did
// not.
std::string end_text(RunEnd end, const RunStats& stats, const Arguments& arguments);

}  // namespace tessera::cli
