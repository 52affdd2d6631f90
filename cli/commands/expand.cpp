// expand: prints a kernel as the interpreter runs it, with pipelines expanded to loops, slots,
// copies and waits.
#include <ostream>
#include <string>

#include "cli/args/source_file.h"
#include "cli/command.h"
#include "core/lang/language.h"

namespace tessera::cli {
namespace {

Expected<std::string> expanded_text(const Arguments& arguments) {
  const Expected<Program> program = launched_program(arguments);
  if (!program) return program.diags();
  if (arguments.has("structured") && arguments.has("per-point"))
    return error("--structured keeps pipelines and --per-point expands them: use one of them");
  if (arguments.has("structured")) return print(*program, {.with_lines = true});
  const Expected<Program> expanded = expand(*program, {.per_point = arguments.has("per-point")});
  if (!expanded) return expanded.diags();
  return print(*expanded, {.with_lines = true});
}

int run(const Arguments& arguments, Console& console) {
  const Expected<std::string> text = expanded_text(arguments);
  if (!text) return fail(console, text.diags());
  if (console.prints_json()) print(console, {{"status", "ok"}, {"text", *text}});
  if (console.prints_text()) console.out << *text;
  return 0;
}

}  // namespace

Command expand_command() {
  return {
      "expand",
      "FILE.tsr|KERNEL",
      "print a kernel with its pipelines as explicit loops, slots, copies and waits",
      "  gmm-run expand gmm --set m=300 --set k=64 --set n=32 --set groups=3\n"
      "  gmm-run expand my_kernel.tsr --set m=300 --structured\n",
      {{"set", "NAME=VALUE", "a parameter of the kernel", true},
       {"kernel", "NAME", "kernel to use, if the file has several"},
       {"calls", "N", "run N launches in order; default 1"},
       {"scratch", "fresh|kept",
        "with --calls: scratch memory is new for each launch, or keeps the data of the previous "
        "launch"},
       {"devices", "N", "how many devices, for extents that name `devices`; default 1"},
       {"cores", "N", "how many cores each device has, for extents that name `cores`; default 1"},
       {"structured", "", "substitute the parameters only, and keep pipelines"},
       {"per-point", "",
        "expand each iteration of a parallel loop separately, with its own slots"}},
      run};
}

}  // namespace tessera::cli
