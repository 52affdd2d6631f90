// The texts of docs/ that commands print, as the build embedded them.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera::cli {

extern const EmbeddedText embedded_pages[];
extern const std::size_t embedded_page_count;

}  // namespace tessera::cli
