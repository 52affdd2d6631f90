#include "tests/source_files.h"

#include <algorithm>
#include <filesystem>
#include <set>

#include "tests/source_dir.h"

namespace tessera::test {

namespace fs = std::filesystem;

std::vector<std::string> source_files() {
  static const std::set<std::string> extensions = {".h", ".cpp", ".def", ".cuh", ".cu"};
  const fs::path root = source_dir();
  std::vector<std::string> files;
  for (auto entry = fs::recursive_directory_iterator(root); entry != fs::end(entry); ++entry) {
    const std::string name = entry->path().filename();
    if (entry->is_directory() && (name.starts_with(".") || name == "build")) {
      entry.disable_recursion_pending();
    } else if (extensions.contains(entry->path().extension())) {
      files.push_back(entry->path().lexically_relative(root));
    }
  }
  std::sort(files.begin(), files.end());
  return files;
}

}  // namespace tessera::test
