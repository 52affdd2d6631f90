// check: checks whether a program is valid, without running it.
#include <fmt/format.h>

#include <ostream>
#include <string>
#include <vector>

#include "cli/args/limits.h"
#include "cli/args/set_options.h"
#include "cli/args/source_file.h"
#include "cli/command.h"
#include "core/lang/language.h"

namespace tessera::cli {
namespace {

struct Checked {
  const KernelInfo* kernel;
  std::vector<std::string> missing;  // parameters without a value; empty: it was instantiated
};

void add(Diags& diags, const Diags& more) { diags.insert(diags.end(), more.begin(), more.end()); }

// Returns the errors found without running the program: it is instantiated and verified, then
// expanded and verified again.
Diags problems(const Module& module, const KernelInfo& kernel, const Settings& settings,
               const InstantiateOptions& launch) {
  const Expected<Program> program = instantiate_kernel(module, kernel, settings, launch);
  if (!program) return program.diags();
  const Expected<Program> expanded = expand(*program);
  return expanded ? verify(*expanded) : expanded.diags();
}

int run(const Arguments& arguments, Console& console) {
  const auto module = open_program(arguments.words().front(), arguments.files());
  if (!module) return fail(console, module.diags());
  if ((*module)->kernels.empty() && (*module)->functions.empty()) {
    return fail(console,
                error(fmt::format("{} has no kernel and no function", arguments.words().front())));
  }
  const Expected<InstantiateOptions> launch = launch_of(arguments, 1, 1);
  if (!launch) return fail(console, launch.diags());
  std::vector<const KernelInfo*> kernels;
  if (arguments.has("kernel") || arguments.has("set")) {
    const Expected<const KernelInfo*> kernel = choose_kernel(**module, arguments);
    if (!kernel) return fail(console, kernel.diags());
    kernels.push_back(*kernel);
  } else {
    for (const KernelInfo& kernel : (*module)->kernels) kernels.push_back(&kernel);
  }
  std::vector<Checked> checked;
  Diags diags;
  for (const KernelInfo* kernel : kernels) {
    const Expected<Settings> settings = settings_of(arguments, *kernel);
    if (!settings) {
      add(diags, settings.diags());
      continue;
    }
    checked.push_back({kernel, missing_parameters(*kernel, *settings)});
    if (checked.back().missing.empty()) add(diags, problems(**module, *kernel, *settings, *launch));
  }
  if (!diags.empty()) return fail(console, diags);
  Json object = {{"status", "ok"}, {"kernels", Json::array()}};
  for (const auto& [kernel, missing] : checked) {
    object["kernels"].push_back(
        {{"name", kernel->name}, {"instantiated", missing.empty()}, {"missing", missing}});
    if (!console.prints_text()) continue;
    console.out << fmt::format(
        "{}: {}\n", kernel->name,
        missing.empty()
            ? "ok"
            : fmt::format("its text is ok; its types, shapes and memory were not checked, "
                          "as parameters without a default need --set {}=...",
                          fmt::join(missing, "=... --set ")));
  }
  if (checked.empty() && console.prints_text()) console.out << "ok: functions only\n";
  if (console.prints_json()) print(console, object);
  return 0;
}

}  // namespace

Command check_command() {
  return {
      "check",
      "FILE.tsr|KERNEL",
      "check whether a program is valid, without running it",
      "  gmm-run check my_kernel.tsr\n"
      "      every kernel of the file, with the defaults of its parameters\n"
      "  gmm-run check my_kernel.tsr --set m=300 --set n=64\n",
      {{"set", "NAME=VALUE",
        "set a parameter; the types, shapes and memory of a kernel are only checked if each "
        "parameter has a value or a default",
        true},
       {"kernel", "NAME", "only this kernel of the file"},
       {"devices", "N",
        "how many devices, for extents and defaults that name `devices`; default 1"},
       {"cores", "N",
        "how many cores each device has, for extents and defaults that name `cores`; default 1"},
       max_memory_option()},
      run};
}

}  // namespace tessera::cli
