// The one place that writes files: whole, or not at all.
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

// Bytes go to a new file in the folder of `path`, which has no name until commit() if the file
// system supports that, else a temporary name (temporary_files.h). Without commit() nothing
// remains, also if a signal ends the process.
class OutputFile {
 public:
  enum class At : std::uint8_t {
    target,  // a symbolic link is followed, and the mode of a file that is replaced is kept
    name     // whatever has this name is replaced, a link too; only the owner may write the file
  };
  // An environment error when nothing can be written there: no such folder, something that is no
  // regular file, a file or a folder that this user may not write.
  // read: files that it must not replace; may be null.
  static Expected<OutputFile> create(const std::string& path, const ReadFiles* read = nullptr,
                                     At at = At::target);
  OutputFile(OutputFile&& other) noexcept = default;
  OutputFile& operator=(OutputFile&&) = delete;
  ~OutputFile();

  Expected<void> append(std::span<const std::byte> bytes);
  Expected<void> append(std::string_view text);
  // After it succeeds the file is whole, whatever fails later, the power too.
  Expected<void> commit();
  // As create() was given it.
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
  std::string target_;  // what commit() replaces: never a symbolic link to follow
  TemporaryName temporary_;
  Descriptor descriptor_;
  std::string pending_;  // short pieces, until there are enough of them
};

// Where the bytes of an output lie in the end: whatever links lead there, also to a file that is
// not there yet.
Expected<std::string> final_path(const std::string& path);
// The text as the file's whole content; read: as in OutputFile::create().
Expected<void> write_whole(const std::string& path, std::string_view text,
                           const ReadFiles* read = nullptr);

}  // namespace tessera
