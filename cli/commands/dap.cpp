// dap: debugger for editors; uses the Debug Adapter Protocol on standard input and output.
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/debug/dap_target.h"
#include "cli/debug/debug_target.h"
#include "cli/reports/printable_stream.h"
#include "debugger/dap/debug_adapter.h"

namespace tessera::cli {

Command dap_command();

namespace {

int run(const Arguments& given, Console& console) {
  if (console.json)
    return fail(console, error("--json: dap always writes the JSON of its protocol, with headers"));
  const std::unique_ptr<debugger::ByteSource> bytes = debugger::standard_input_bytes();
  debugger::MessageReader in(*bytes);
  // Bypasses the conversion to printable text: the protocol uses CR LF, and its JSON is not for a
  // terminal.
  console.out.rdbuf(PrintableStream::raw(console.out));
  debugger::DebugAdapter adapter(in, console.out, dap_target(given));
  const Expected<void> served = adapter.serve();
  if (!served) return fail(console, served.diags());
  given.read_all();  // even if no run was launched
  return exit_code(Status::ok);
}

Command resolved(const std::vector<std::string>& args) {
  Command command = dap_command();
  command.options = target_options(args);
  return command;
}

}  // namespace

Command dap_command() {
  return {"dap",
          "[FILE.tsr|KERNEL|COMMAND]",
          "debug from an editor: Debug Adapter Protocol on standard input and output",
          "  gmm-run dap\n"
          "  gmm-run dap my_kernel.tsr --devices 4\n"
          "  gmm-run dap gmm --group-sizes 100,150,50 --k 64 --n 32\n",
          {},
          run,
          nullptr,
          resolved};
}

}  // namespace tessera::cli
