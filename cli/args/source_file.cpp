#include "cli/args/source_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "cli/args/inferred_settings.h"
#include "cli/args/set_options.h"
#include "cli/pack/pack.h"
#include "core/host/file.h"
#include "core/report/near.h"
#include "core/report/try.h"
#include "kernels/programs/kernels.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t max_calls = 1'000'000;
constexpr std::int64_t max_devices = 1'000'000;

std::vector<std::string_view> kernel_names(const Module& module) {
  std::vector<std::string_view> names;
  for (const KernelInfo& kernel : module.kernels) names.push_back(kernel.name);
  return names;
}

// Adds a note to the error if the word could be a misspelt kernel name.
Diags without_such_kernel(const std::string& word, Diags diags) {
  if (word.find_first_of("./") != std::string::npos || word == "-") return diags;
  std::vector<std::string_view> names;
  for (const Kernel& kernel : kernels()) names.push_back(kernel.name);
  diags.front().notes.push_back(
      {{},
       fmt::format("there is no kernel {} in the library either{}; `gmm-run list` shows them", word,
                   did_you_mean(word, names))});
  return diags;
}

constexpr FileKind shown_text{"a text that is shown", std::int64_t{4} << 20};

// Returns the text of a file that a `# line` names, to show its lines. Programs may come from
// untrusted sources: only files in the current folder or below it are shown. Empty for other files,
// and for files that cannot be read or are larger than the limit.
std::string text_to_show(const std::string& name, Files* files) {
  std::error_code failed;
  const auto folder = std::filesystem::canonical(std::filesystem::current_path(failed), failed);
  if (failed) return "";
  const auto file = std::filesystem::weakly_canonical(folder / name, failed);
  if (failed ||
      std::mismatch(folder.begin(), folder.end(), file.begin(), file.end()).first != folder.end())
    return "";
  if (files != nullptr && files->accepts) return "";
  Expected<std::string> text = read_whole(name, shown_text);
  if (!text) return "";
  if (files != nullptr) files->add_unnamed(name);
  return *std::move(text);
}

}  // namespace

Expected<std::shared_ptr<const Source>> read_source(const std::string& path, Files* files) {
  if (const std::string* held = held_text(path, files))
    return std::make_shared<const Source>(Source{path, *held});
  if (path == "-") {
    // A command may read its program more than once, but standard input can be read only once.
    static const Expected<std::string> text = read_standard_input(file_kinds::program);
    if (!text) return text.diags();
    return std::make_shared<const Source>(Source{"<standard input>", *text});
  }
  if (path.ends_with(pack_ending) && (files == nullptr || !files->contents.contains(path)))
    return error(fmt::format("{} is a pack: write it directly after the command", path));
  Expected<std::string> text = read_whole(path, file_kinds::program, files);
  if (!text) return text.diags();
  const bool is_renamed = files != nullptr && files->shown_names.contains(path);
  return std::make_shared<const Source>(
      Source{is_renamed ? files->shown_names.find(path)->second : path, *std::move(text)});
}

Expected<std::shared_ptr<const Module>> open_program(const std::string& file_or_kernel,
                                                     Files* files) {
  if (held_text(file_or_kernel, files) == nullptr && find_kernel(file_or_kernel) != nullptr) {
    const Expected<const Module*> embedded = embedded_module(file_or_kernel);
    if (!embedded) return embedded.diags();
    // The embedded module has static lifetime.
    return std::shared_ptr<const Module>(std::shared_ptr<const Module>(), *embedded);
  }
  const auto source = read_source(file_or_kernel, files);
  if (!source) return without_such_kernel(file_or_kernel, source.diags());
  Expected<Module> module =
      parse(*source, [files](const std::string& name) { return text_to_show(name, files); });
  if (!module) return module.diags();
  return std::make_shared<const Module>(*std::move(module));
}

Expected<const KernelInfo*> choose_kernel(const Module& module, const Arguments& arguments) {
  const std::string_view named = arguments.text("kernel");
  const std::vector<std::string_view> names = kernel_names(module);
  const std::string& file = module.source->name;
  if (!named.empty()) {
    if (const KernelInfo* kernel = module.find(named)) return kernel;
    return error(fmt::format("{} has no kernel {}{}", file, named, did_you_mean(named, names)));
  }
  if (names.empty()) return error(fmt::format("{} has no kernel", file));
  if (names.size() == 1) return &module.kernels.front();
  return error(
      fmt::format("{} has several kernels, --kernel names one: {}", file, fmt::join(names, ", ")));
}

Expected<Program> instantiate_kernel(const Module& module, const KernelInfo& kernel,
                                     const Settings& settings, const InstantiateOptions& launch) {
  const auto library = function_library();
  if (!library) return library.diags();
  return instantiate(module, kernel.name, settings, *library, launch);
}

Expected<InstantiateOptions> launch_of(const Arguments& arguments, int devices, int cores) {
  Diags diags;
  InstantiateOptions launch;
  const auto number = [&](std::string_view option, std::int64_t most, int otherwise) {
    return static_cast<int>(arguments.integer(option, diags, 1, most).value_or(otherwise));
  };
  launch.calls = number("calls", max_calls, 1);
  launch.devices = number("devices", max_devices, devices);
  launch.cores = number("cores", max_devices, cores);
  const std::string_view scratch = arguments.text("scratch");
  if (!scratch.empty() && scratch != "fresh" && scratch != "kept")
    diags.push_back(error(fmt::format("--scratch: expected fresh or kept, found '{}'", scratch)));
  if (!scratch.empty() && launch.calls == 1)
    diags.push_back(error("--scratch is for several calls: give --calls N"));
  launch.keeps_scratch = scratch == "kept";
  if (!diags.empty()) return diags;
  return launch;
}

namespace {

Expected<Program> program_of(const Module& module, const Arguments& arguments,
                             const InstantiateOptions& launch) {
  const KernelInfo& kernel = *TRY(choose_kernel(module, arguments));
  Settings settings = TRY(settings_of(arguments, kernel));
  TRY(infer_settings(kernel, arguments, settings));
  const std::vector<std::string> missing = missing_parameters(kernel, settings);
  if (!missing.empty()) return error(missing_text(kernel, missing));
  return instantiate_kernel(module, kernel, settings, launch);
}

}  // namespace

Expected<Program> named_program(const Arguments& arguments, const InstantiateOptions& launch) {
  const auto module = open_program(arguments.words().front(), arguments.files());
  if (!module) return module.diags();
  return program_of(**module, arguments, launch);
}

Expected<Program> launched_program(const Arguments& arguments, const Module& module) {
  const Expected<InstantiateOptions> launch = launch_of(arguments, 1, 1);
  if (!launch) return launch.diags();
  return program_of(module, arguments, *launch);
}

Expected<Program> launched_program(const Arguments& arguments) {
  const auto module = open_program(arguments.words().front(), arguments.files());
  if (!module) return module.diags();
  return launched_program(arguments, **module);
}

}  // namespace tessera::cli
