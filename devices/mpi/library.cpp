#include "devices/mpi/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <vector>

#include "core/report/try.h"

namespace tessera::mpi {
namespace {

constexpr std::array<std::string_view, 2> names = {"openmpi", "mpich"};
constexpr std::array<std::string_view, 2> titles = {"Open MPI", "MPICH"};

std::int64_t count_in(const char* text) {
  return text == nullptr ? 0 : std::strtoll(text, nullptr, 10);
}

std::optional<Library> chosen(const Variable& variable, std::string& wrong) {
  const char* const given = variable("TESSERA_MPI");
  if (given == nullptr || *given == '\0') return std::nullopt;
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i] == given) return static_cast<Library>(i);
  wrong = given;
  return std::nullopt;
}

// Detects Open MPI's mpirun; MPICH's launcher Hydra, or a process manager with its protocol, such
// as Slurm with --mpi=pmi2; and PMIx, with which Slurm starts Open MPI, and MPICH if it was built
// for it.
std::optional<Launcher> started_by(const Variable& variable) {
  if (const char* const size = variable("OMPI_COMM_WORLD_SIZE"))
    return Launcher{Library::openmpi, true, count_in(size)};
  for (const char* const says : {"PMI_SIZE", "PMI_FD", "PMI_PORT"})
    if (variable(says) != nullptr)
      return Launcher{Library::mpich, true, count_in(variable("PMI_SIZE"))};
  if (variable("PMIX_RANK") != nullptr)
    return Launcher{Library::openmpi, false, count_in(variable("SLURM_STEP_NUM_TASKS"))};
  return std::nullopt;
}

std::vector<std::filesystem::path> folders() {
  const char* const given = std::getenv("TESSERA_PLUGINS");
  if (given != nullptr && *given != '\0') return {given};
  std::vector<std::filesystem::path> found;
  Dl_info here{};
  if (dladdr(reinterpret_cast<const void*>(&folders), &here) != 0 && here.dli_fname != nullptr) {
    std::error_code failed;
    std::filesystem::path file = std::filesystem::canonical(here.dli_fname, failed);
    if (failed || !file.has_parent_path())
      file = std::filesystem::canonical("/proc/self/exe", failed);
    found.push_back(file.parent_path());
    found.push_back(file.parent_path().parent_path() / TESSERA_PLUGIN_FOLDER);
  }
  for (const char* const other : {TESSERA_BUILT_PLUGINS, TESSERA_INSTALLED_PLUGINS})
    found.emplace_back(other);
  return found;
}

Diag not_there(Library library, const std::string& said) {
  return error(
      ErrorCode::environment,
      fmt::format("the plug-in for {} is {}: it is built if lib{}-dev is installed", title(library),
                  said.empty() ? "not there" : "unusable, " + said, name(library)));
}

Expected<const TesseraMpiPlugin*> opened(Library library) {
  const std::string file = fmt::format("libtessera_{}.so", name(library));
  std::string said;
  for (const std::filesystem::path& folder : folders()) {
    const std::filesystem::path path = folder / file;
    if (std::error_code failed; !std::filesystem::exists(path, failed)) continue;
    // Open MPI's own components look up its symbols in the global scope.
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    void* const symbol = handle == nullptr ? nullptr : dlsym(handle, "tessera_mpi_plugin");
    if (symbol == nullptr) {
      const char* const why = dlerror();
      said = why == nullptr ? "it has no plug-in" : why;
      continue;
    }
    const TesseraMpiPlugin* const plugin =
        reinterpret_cast<const TesseraMpiPlugin* (*)()>(symbol)();
    if (plugin->version == tessera_mpi_version) return plugin;
    said = fmt::format("of version {}, expected {}", plugin->version, tessera_mpi_version);
  }
  return not_there(library, said);
}

}  // namespace

std::string_view name(Library library) { return names[static_cast<std::size_t>(library)]; }

std::string_view title(Library library) { return titles[static_cast<std::size_t>(library)]; }

Expected<Launcher> launcher(const Variable& variable) {
  std::string wrong;
  const std::optional<Library> named = chosen(variable, wrong);
  if (!wrong.empty())
    return error(ErrorCode::environment,
                 fmt::format("TESSERA_MPI is {}, expected openmpi or mpich", wrong));
  std::optional<Launcher> by = started_by(variable);
  if (!by)
    return error(ErrorCode::environment,
                 "no MPI launcher has started this process; use `mpirun -n 4 gmm-run ... --devices "
                 "4 --device mpi`, or srun");
  if (!named || *named == by->library) return *by;
  if (by->is_certain)
    return error(
        ErrorCode::environment,
        fmt::format(
            "TESSERA_MPI is {}, and the launcher belongs to {}: mpirun.{} starts programs of {}",
            name(*named), title(by->library), name(*named), title(*named)));
  by->library = *named;
  return *by;
}

Expected<Launcher> launcher() {
  return launcher([](const char* variable) { return std::getenv(variable); });
}

Expected<const TesseraMpiPlugin*> plugin(Library library) {
  static std::array<std::optional<Expected<const TesseraMpiPlugin*>>, 2> kept;
  auto& found = kept[static_cast<std::size_t>(library)];
  if (!found) found = opened(library);
  return *found;
}

}  // namespace tessera::mpi
