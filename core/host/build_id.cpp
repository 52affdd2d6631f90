#include "core/host/build_id.h"

#include <elf.h>
#include <fmt/format.h>
#include <link.h>

#include <cstdint>
#include <cstring>

namespace tessera {
namespace {

// Returns the build ID from the notes of one segment; empty if there is none.
std::string id_in(const char* at, const char* end) {
  const auto padded = [](std::size_t n) { return (n + 3) / 4 * 4; };
  std::string id;
  while (at + sizeof(ElfW(Nhdr)) <= end) {
    ElfW(Nhdr) note;
    std::memcpy(&note, at, sizeof(note));
    const char* const text = at + sizeof(note) + padded(note.n_namesz);
    if (text + note.n_descsz > end) break;
    if (note.n_type == NT_GNU_BUILD_ID)
      for (std::size_t b = 0; b < note.n_descsz; ++b)
        id += fmt::format("{:02x}", static_cast<unsigned char>(text[b]));
    at = text + padded(note.n_descsz);
  }
  return id;
}

bool contains(const dl_phdr_info& object, std::uintptr_t address) {
  for (int i = 0; i < object.dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object.dlpi_phdr[i];
    const std::uintptr_t begin = object.dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_LOAD && begin <= address && address < begin + header.p_memsz)
      return true;
  }
  return false;
}

}  // namespace

std::string build_id() {
  std::string id;
  dl_iterate_phdr(
      [](dl_phdr_info* object, std::size_t, void* to) {
        if (!contains(*object, reinterpret_cast<std::uintptr_t>(&build_id))) return 0;
        for (int i = 0; i < object->dlpi_phnum; ++i) {
          const ElfW(Phdr)& header = object->dlpi_phdr[i];
          if (header.p_type != PT_NOTE) continue;
          const char* const at = reinterpret_cast<const char*>(object->dlpi_addr + header.p_vaddr);
          *static_cast<std::string*>(to) += id_in(at, at + header.p_memsz);
        }
        return 1;
      },
      &id);
  return id;
}

}  // namespace tessera
