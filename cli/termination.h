// Removal of temporary files when the process ends.
#pragma once

namespace tessera::cli {

// Installs handlers that remove the temporary files of open outputs at exit, and before a signal
// ends the process. Signals that are ignored or already have a handler, for example from a
// sanitizer, are not changed. Exceeding the file size limit becomes an error of the write instead
// of a signal.
void end_without_temporary_files();

}  // namespace tessera::cli
