// emit: prints the CUDA source of a kernel, or compiles it.
#include <fmt/format.h>

#include <memory>
#include <ostream>
#include <utility>

#include "cli/args/source_file.h"
#include "cli/command.h"
#include "devices/devices.h"
#include "devices/emitted_kernel.h"

namespace tessera::cli {
namespace {

using Emitted = Expected<std::unique_ptr<EmittedKernel>>;

Emitted emitted(const Arguments& arguments) {
  const Expected<Program> program = launched_program(arguments);
  if (!program) return program.diags();
  return emitting_device().emit(*program,
                                arguments.has("general") ? KernelForm::general : KernelForm::fast);
}

Json includes_json(const EmittedKernel& kernel) {
  Json list = Json::array();
  for (const IncludedText& include : kernel.includes)
    list.push_back({{"name", include.name}, {"text", include.text}});
  return list;
}

// Compiles the kernel and prints the compiler's report instead of the source.
int compile(const EmittedKernel& kernel, Json object, Console& console) {
  const Expected<CompilerReport> compiled = kernel.compile();
  if (!compiled) return fail(console, compiled.diags());
  object["compile_seconds"] = compiled->seconds;
  object["cubin_bytes"] = compiled->machine_code_bytes;
  object["registers"] = compiled->registers;
  object["spill_bytes"] = compiled->spill_bytes;
  object["log"] = compiled->log;
  if (console.prints_json()) print(console, object);
  if (console.prints_text())
    console.out << compiled->log
                << fmt::format("{} in {:.2f} s, {} bytes of machine code\n", compiled->compiler,
                               compiled->seconds, compiled->machine_code_bytes);
  return 0;
}

int run(const Arguments& arguments, Console& console) {
  const Emitted made = emitted(arguments);
  if (!made) return fail(console, made.diags());
  const EmittedKernel& kernel = **made;
  Json object = {{"status", "ok"}, {"summary", kernel.summary}, {"source", kernel.source}};
  const bool compiles = arguments.has("compile");
  const bool shows_includes = !compiles && arguments.has("templates");
  if (const Diags unread = arguments.unread(); !unread.empty()) return fail(console, unread);
  if (compiles) return compile(kernel, std::move(object), console);
  if (console.prints_json()) {
    if (shows_includes) object["templates"] = includes_json(kernel);
    print(console, object);
    if (!console.prints_text()) return 0;
  }
  if (shows_includes)
    for (const IncludedText& include : kernel.includes)
      console.out << fmt::format("// ---- {}\n{}\n", include.name, include.text);
  console.out << kernel.source;
  return 0;
}

}  // namespace

Command emit_command() {
  return {
      "emit",
      "FILE.tsr|KERNEL",
      "print the CUDA source of a kernel",
      "  gmm-run emit gmm --set m=4096 --set k=512 --set n=1024 --set groups=8 --set tk=64\n"
      "  gmm-run emit my_kernel.tsr --set m=300 --compile\n",
      {{"set", "NAME=VALUE", "a parameter of the kernel", true},
       {"kernel", "NAME", "kernel to use, if the file has several"},
       {"templates", "", "print the templates that the source includes, too"},
       {"general", "",
        "the general kernel, which is slow and runs on any GPU of compute capability 8.0 or newer"},
       {"compile", "", "compile it for sm_90a and print the compiler's log instead"}},
      run};
}

}  // namespace tessera::cli
