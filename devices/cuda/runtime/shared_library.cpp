#include "devices/cuda/runtime/shared_library.h"

#include <dlfcn.h>
#include <elf.h>
#include <fmt/format.h>
#include <link.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <sstream>
#include <string_view>

#ifndef TESSERA_CUDA_LIBRARIES
#define TESSERA_CUDA_LIBRARIES ""
#endif

namespace tessera::cuda {
namespace {

std::vector<std::string> folders(SharedLibrary::From from) {
  if (from == SharedLibrary::From::machine) return {""};
  std::vector<std::string> result;
  const char* chosen = std::getenv("TESSERA_CUDA_LIBRARIES");
  if (chosen != nullptr && *chosen != '\0') {
    std::istringstream list(chosen);
    for (std::string folder; std::getline(list, folder, ':');) result.push_back(folder + "/");
    return result;
  }
  result.emplace_back("");
  const char* home = std::getenv("CUDA_HOME");
  if (home != nullptr && *home != '\0') result.push_back(std::string(home) + "/lib64/");
  const std::string built = TESSERA_CUDA_LIBRARIES;
  if (!built.empty()) result.push_back(built + "/");
  result.emplace_back("/usr/local/cuda/lib64/");
  return result;
}

}  // namespace

SharedLibrary::SharedLibrary(const std::vector<std::string>& names, From from) {
  for (const std::string& folder : folders(from)) {
    for (const std::string& name : names) {
      handle_ = dlopen((folder + name).c_str(), RTLD_NOW | RTLD_LOCAL);
      if (handle_ != nullptr) {
        problem_.clear();
        return;
      }
      const char* said = dlerror();
      if (problem_.empty() && said != nullptr) problem_ = said;
    }
  }
}

namespace {

// Query for dl_iterate_phdr(): the library with its dynamic section at `dynamic`. Output: build.
struct Asked {
  const void* dynamic;
  std::string build;
};

std::string hexadecimal(std::string_view bytes) {
  std::string text;
  for (const char byte : bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

// Descriptor of the GNU_BUILD_ID note in a segment of notes; empty if there is none.
std::string build_id(std::string_view notes) {
  const auto padded = [](std::size_t size) { return (size + 3) / 4 * 4; };
  while (notes.size() >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head{};
    std::memcpy(&head, notes.data(), sizeof head);
    notes.remove_prefix(sizeof head);
    const std::size_t name = padded(head.n_namesz), descriptor = padded(head.n_descsz);
    if (name > notes.size() || descriptor > notes.size() - name) break;
    if (head.n_type == NT_GNU_BUILD_ID && notes.starts_with("GNU"))
      return hexadecimal(notes.substr(name, head.n_descsz));
    notes.remove_prefix(name + descriptor);
  }
  return {};
}

int ask(dl_phdr_info* library, std::size_t /*size*/, void* asked) {
  auto& result = *static_cast<Asked*>(asked);
  const auto* const segments = library->dlpi_phdr;
  const auto address = [&](const ElfW(Phdr) & segment) {
    return reinterpret_cast<const char*>(library->dlpi_addr + segment.p_vaddr);
  };
  const bool is_it =
      std::any_of(segments, segments + library->dlpi_phnum, [&](const auto& segment) {
        return segment.p_type == PT_DYNAMIC && address(segment) == result.dynamic;
      });
  if (!is_it) return 0;
  for (const auto* segment = segments; segment != segments + library->dlpi_phnum; ++segment) {
    if (segment->p_type == PT_NOTE && result.build.empty())
      result.build = build_id({address(*segment), segment->p_memsz});
  }
  if (result.build.empty()) {
    struct stat status {};
    if (::stat(library->dlpi_name, &status) == 0)
      result.build = fmt::format("{} bytes", status.st_size);
  }
  return 1;
}

}  // namespace

std::string SharedLibrary::build() const {
  link_map* map = nullptr;
  if (handle_ == nullptr || dlinfo(handle_, RTLD_DI_LINKMAP, &map) != 0) return {};
  Asked asked{map->l_ld, {}};
  dl_iterate_phdr(ask, &asked);
  return asked.build;
}

void* SharedLibrary::symbol(const char* name) {
  if (handle_ == nullptr) return nullptr;
  void* const address = dlsym(handle_, name);
  if (address == nullptr && problem_.empty()) problem_ = std::string("no function ") + name;
  return address;
}

}  // namespace tessera::cuda
