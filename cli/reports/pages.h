// The pages of docs/ that commands print, embedded by the build.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera::cli {

extern const EmbeddedText embedded_pages[];
extern const std::size_t embedded_page_count;

}  // namespace tessera::cli
