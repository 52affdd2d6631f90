// How the process ends when a signal ends it.
#pragma once

namespace tessera::cli {

// From now on a signal that ends the process removes first the temporary files of what is being
// written; it then ends as it would have. What the caller or a sanitizer has decided about a signal
// stays. A file that may not grow is an error of the write, not a signal.
void end_without_temporary_files();

}  // namespace tessera::cli
