// Removal of temporary files when the process ends.
#pragma once

namespace tessera::cli {

// Installs signal handlers that remove the temporary files of open outputs before a signal ends
// the process. Existing handlers, for example those of a sanitizer, and ignored signals are not
// changed. Exceeding the file size limit becomes an error of the write instead of a signal.
void end_without_temporary_files();

}  // namespace tessera::cli
