#include "tests/fuzz/harness/scratch_folder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <vector>

#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"

namespace tessera::fuzz {

namespace fs = std::filesystem;

const fs::path& scratch_folder() {
  static const fs::path* const folder = [] {
    const Unbounded unbounded;
    ::umask(022);  // what others may write no cache takes
    std::string name = (fs::temp_directory_path() / "tessera-fuzz-XXXXXX").string();
    REQUIRE(::mkdtemp(name.data()) != nullptr, name + " cannot be made");
    std::atexit([] {
      std::error_code failed;
      fs::remove_all(scratch_folder(), failed);
    });
    return new fs::path(name);
  }();
  return *folder;
}

std::string scratch_file(std::string_view name, std::string_view bytes) {
  const Unbounded unbounded;
  std::string path = (scratch_folder() / name).string();
  std::ofstream(path, std::ios::binary) << bytes;
  return path;
}

void empty_scratch_folder() {
  const Unbounded unbounded;
  std::vector<fs::path> paths;
  for (const fs::directory_entry& entry : fs::directory_iterator(scratch_folder()))
    paths.push_back(entry.path());
  for (const fs::path& path : paths) fs::remove_all(path);
}

}  // namespace tessera::fuzz
