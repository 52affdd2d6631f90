// The only place that writes files, always atomically.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/file.h"
#include "core/host/temporary_files.h"
#include "core/report/expected.h"

namespace tessera {

// Writes to a new file in the folder of `path`. It has no name until commit() if the file system
// supports unnamed files, otherwise a temporary name (temporary_files.h). Without commit() nothing
// remains, even if a signal ends the process. Exception: a file with a temporary name remains if
// remove_temporary_files() is not called, for example after SIGKILL.
class OutputFile {
 public:
  enum class At : std::uint8_t {
    target,  // symbolic links are followed; a replaced file's mode is kept
    name     // any file or link with this name is replaced; only the owner can write the new file
  };
  // Opens the output. Fails with ErrorCode::environment if the folder does not exist, if `path` is
  // not a regular file (At::name: is a folder), or if the file or folder is not writable.
  // read: files that must not be replaced: fails for them with ErrorCode::invalid_value; only for
  // At::target; may be null.
  static Expected<OutputFile> create(const std::string& path, const ReadFiles* read = nullptr,
                                     At at = At::target);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  // Append to the file. Fail with ErrorCode::environment if it cannot be written; an error may also
  // be returned by a later append() or by commit(), since short writes are collected.
  Expected<void> append(std::span<const std::byte> bytes);
  Expected<void> append(std::string_view text);
  // Writes the file to disk and sets its name; call it once, as the last operation. Fails with
  // ErrorCode::environment if it cannot be written. After success, no later failure, not even of
  // the power, leaves it incomplete.
  Expected<void> commit();
  // The path passed to create().
  const std::string& path() const { return path_; }

 private:
  OutputFile(std::string path, std::string target, TemporaryName temporary, Descriptor descriptor)
      : path_(std::move(path)),
        target_(std::move(target)),
        temporary_(std::move(temporary)),
        descriptor_(std::move(descriptor)) {}
  Expected<void> flush();
  Expected<void> write(std::span<const std::byte> bytes);

  std::string path_;
  std::string target_;  // file that commit() replaces; for At::target not a symbolic link
  TemporaryName temporary_;
  Descriptor descriptor_;
  std::string pending_;  // short writes, collected until a system call is worthwhile
};

// Returns the path of the output after all symbolic links are followed. The last file need not
// exist. Fails with ErrorCode::environment for a link that cannot be read, or too many links.
Expected<std::string> final_path(const std::string& path);
// Writes the text as the file's content, atomically. Fails like OutputFile. read: as in
// OutputFile::create().
Expected<void> write_whole(const std::string& path, std::string_view text,
                           const ReadFiles* read = nullptr);

}  // namespace tessera
