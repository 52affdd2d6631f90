// The parts of the page that shows a timeline, embedded by the build.
#pragma once
#include "core/report/embedded_text.h"

namespace tessera {

// analysis/timeline/html/viewer.{css,html,js}, in the order of their names.
extern const EmbeddedText embedded_viewer_files[];
extern const std::size_t embedded_viewer_file_count;

}  // namespace tessera
