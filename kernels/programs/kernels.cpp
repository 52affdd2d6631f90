#include "kernels/programs/kernels.h"

#include <fmt/format.h>

#include <map>
#include <memory>
#include <string>
#include <utility>

#include "core/report/guarded.h"
#include "kernels/programs/embedded.h"

namespace tessera {
namespace {

// Returns the text after `key` in a comment on its own line; empty if there is none.
std::string_view comment(std::string_view text, std::string_view key) {
  const std::string line = fmt::format("\n// {}: ", key);
  const std::size_t at = text.find(line);
  if (at == std::string_view::npos) return {};
  text.remove_prefix(at + line.size());
  return text.substr(0, text.find('\n'));
}

// Programs with a command are kernels; the others are modules of functions.
const std::vector<Kernel>& all_kernels() {
  static const std::vector<Kernel> all = [] {
    std::vector<Kernel> result;
    for (std::size_t i = 0; i < embedded_program_count; ++i) {
      const EmbeddedText& program = embedded_programs[i];
      const std::string_view command = comment(program.text, "command");
      if (!command.empty())
        result.push_back({program.name, command, comment(program.text, "small call")});
    }
    return result;
  }();
  return all;
}

using Modules = std::map<std::string, Expected<Module>, std::less<>>;

const Modules& modules() {
  static const Modules parsed = [] {
    Modules result;
    for (std::size_t i = 0; i < embedded_program_count; ++i) {
      const EmbeddedText& program = embedded_programs[i];
      auto source =
          std::make_shared<const Source>(Source{fmt::format("<{}>", program.name), program.text});
      result.emplace(program.name, parse(std::move(source)));
    }
    return result;
  }();
  return parsed;
}

}  // namespace

std::span<const Kernel> kernels() { return all_kernels(); }

const Kernel* find_kernel(std::string_view name) {
  for (const Kernel& kernel : all_kernels()) {
    if (kernel.name == name) return &kernel;
  }
  return nullptr;
}

Expected<const Module*> embedded_module(std::string_view name) {
  const auto found = modules().find(name);
  if (found == modules().end()) return error(fmt::format("no embedded program {}", name));
  if (!found->second) return found->second.diags();
  return &*found->second;
}

Expected<std::vector<const Module*>> function_library() {
  std::vector<const Module*> library;
  for (std::size_t i = 0; i < embedded_program_count; ++i) {
    const EmbeddedText& program = embedded_programs[i];
    if (find_kernel(program.name)) continue;
    const Expected<const Module*> module = embedded_module(program.name);
    if (!module) return module.diags();
    library.push_back(*module);
  }
  return library;
}

Expected<Program> make_kernel(std::string_view name, const Settings& settings,
                              const InstantiateOptions& launch) try {
  if (!find_kernel(name)) return error(fmt::format("no kernel {}", name));
  const Expected<const Module*> module = embedded_module(name);
  if (!module) return module.diags();
  const auto library = function_library();
  if (!library) return library.diags();
  return instantiate(**module, name, settings, *library, launch);
} catch (...) {
  return given_up("making a program");
}

}  // namespace tessera
