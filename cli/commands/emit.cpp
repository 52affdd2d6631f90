// emit: a kernel as the CUDA source that the backend compiles.
#include <fmt/format.h>

#include <ostream>

#include "cli/args/source_file.h"
#include "cli/command.h"
#include "devices/cuda/lower/general.h"
#include "devices/cuda/lower/templates.h"
#include "devices/cuda/runtime/compiler.h"
#include "devices/cuda/runtime/compiler_log.h"

namespace tessera::cli {
namespace {

Expected<cuda::LoweredKernel> lowered(const Arguments& arguments) {
  const Expected<Program> program = launched_program(arguments);
  if (!program) return program.diags();
  return arguments.has("general") ? cuda::lower_general(*program) : cuda::lower(*program);
}

Json templates_json(const cuda::LoweredKernel& kernel) {
  Json list = Json::array();
  for (std::size_t i = 0; i < cuda::embedded_template_count; ++i)
    list.push_back(
        {{"name", cuda::embedded_templates[i].name}, {"text", cuda::embedded_templates[i].text}});
  if (const cuda::TensorCorePlan* plan = kernel.tensor_core())
    list.push_back({{"name", "wgmma.cuh"}, {"text", plan->wgmma}});
  return list;
}

int run(const Arguments& arguments, Console& console) {
  const Expected<cuda::LoweredKernel> kernel = lowered(arguments);
  if (!kernel) return fail(console, kernel.diags());
  Json object = {{"status", "ok"}, {"summary", kernel->summary}, {"source", kernel->source}};
  const bool compiles = arguments.has("compile");
  const bool shows_templates = !compiles && arguments.has("templates");
  if (const Diags unread = arguments.unread(); !unread.empty()) return fail(console, unread);
  if (compiles) {
    const Expected<cuda::CompiledKernel> compiled = cuda::compile(*kernel);
    if (!compiled) return fail(console, compiled.diags());
    const cuda::CompilerFigures figures = cuda::read_log(compiled->log);
    object["compile_seconds"] = compiled->seconds;
    object["cubin_bytes"] = compiled->cubin.size();
    object["registers"] = figures.registers;
    object["spill_bytes"] = figures.spill_stores + figures.spill_loads;
    object["log"] = compiled->log;
    if (!console.json) {
      console.out << compiled->log
                  << fmt::format("{} in {:.2f} s, {} bytes of machine code\n",
                                 cuda::compiler_version(), compiled->seconds,
                                 compiled->cubin.size());
      return 0;
    }
  }
  if (console.json) {
    if (shows_templates) object["templates"] = templates_json(*kernel);
    print(console, object);
    return 0;
  }
  if (shows_templates) {
    for (std::size_t i = 0; i < cuda::embedded_template_count; ++i) {
      const cuda::EmbeddedTemplate& text = cuda::embedded_templates[i];
      console.out << fmt::format("// ---- {}\n{}\n", text.name, text.text);
    }
    if (const cuda::TensorCorePlan* plan = kernel->tensor_core())
      console.out << "// ---- wgmma.cuh\n" << plan->wgmma << '\n';
  }
  console.out << kernel->source;
  return 0;
}

}  // namespace

Command emit_command() {
  return {"emit",
          "FILE.tsr|KERNEL",
          "the CUDA source of a kernel",
          "  gmm-run emit gmm --set m=4096 --set k=512 --set n=1024 --set groups=8 --set tk=64\n"
          "  gmm-run emit my_kernel.tsr --set m=300 --compile\n",
          {{"set", "NAME=VALUE", "a parameter of the kernel", true},
           {"kernel", "NAME", "which kernel, when the file has several"},
           {"templates", "", "the templates that the source includes as well"},
           {"general", "", "the general kernel, which any machine of 8.0 and newer runs, slowly"},
           {"compile", "", "compile it for sm_90a and print the compiler's log instead"}},
          run};
}

}  // namespace tessera::cli
