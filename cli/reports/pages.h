// The texts of docs/ that commands print, as the build embedded them.
#pragma once
#include <cstddef>

namespace tessera::cli {

struct EmbeddedPage {
  const char* name;  // the file's name, "findings.md"
  const char* text;
};

extern const EmbeddedPage embedded_pages[];
extern const std::size_t embedded_page_count;

}  // namespace tessera::cli
