// Entries of the caches. The first line says what the input is:
//   entry    the rest is the file of a configuration
//   kernel   the rest is the file of a compiled kernel
//   place    what lies in the place of an entry, or of its folder: the first letter of the rest
//   says what edit     the rest are edits of a file that a cache wrote: each two bytes of place, a
//   byte, and what becomes of it
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <new>
#include <string>
#include <string_view>

#include "devices/cuda/runtime/cache.h"
#include "kernels/tuning/config.h"
#include "kernels/tuning/persistent_cache.h"
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/memory_budget.h"
#include "tests/fuzz/harness/scratch_folder.h"

namespace tessera::fuzz {
namespace {

constexpr std::int64_t max_bytes = std::int64_t{16} << 20;

const CacheEntry& stored() {
  static const CacheEntry* const entry =
      new CacheEntry{{"interpreter v5e|1", "grouped_matmul@v1", "m=8 k=8 n=8"},
                     to_json(GroupedMatmulConfig{}),
                     "autotune",
                     0.25,
                     "simulated on v5e"};
  return *entry;
}

bool same(const CacheEntry& a, const CacheEntry& b) {
  return a.key == b.key && a.config == b.config && a.source == b.source && a.seconds == b.seconds &&
         a.measure == b.measure;
}

void check_listed(const PersistentCache& cache) {
  for (const PersistentCache::Listed& listed : cache.list())
    REQUIRE(listed.entry.has_value() != !listed.problem.empty(), listed.id);
}

// What a file says is taken for its own key alone, and as it would be written.
void check_entry(const PersistentCache& cache, std::string_view bytes) {
  REQUIRE(cache.store(stored()), "an entry cannot be stored");
  scratch_file("configurations/" + stored().key.id() + ".json", bytes);
  check_listed(cache);
  const auto found = cache.find(stored().key);
  if (!found) return require_said(found.diags());
  if (!*found) return;
  REQUIRE((*found)->key == stored().key, "an entry of another key is used");
  GroupedMatmulConfig config;
  if (const Expected<void> read = from_json((*found)->config, config); !read)
    require_said(read.diags());
  REQUIRE(cache.store(**found), "an entry cannot be stored");
  const auto again = cache.find(stored().key);
  REQUIRE(again && *again && same(**again, **found), "an entry is not read as it was stored");
  const Expected<int> cleared = cache.clear();
  REQUIRE(cleared && *cleared == 1, "the cache is not cleared");
}

std::string edited(std::string bytes, std::string_view edits) {
  for (; edits.size() >= 4; edits.remove_prefix(4)) {
    const auto at =
        (static_cast<unsigned char>(edits[0]) * 256U + static_cast<unsigned char>(edits[1])) %
        (bytes.size() + 1);
    if (edits[3] % 3 == 0)
      bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(at), edits[2]);
    else if (at < bytes.size() && edits[3] % 3 == 1)
      bytes.erase(at, 1 + static_cast<unsigned char>(edits[2]) % 16);
    else if (at < bytes.size())
      bytes[at] = edits[2];
  }
  return bytes;
}

// An edited entry is refused, or says what the entry said.
void check_edit(const PersistentCache& cache, std::string_view edits) {
  REQUIRE(cache.store(stored()), "an entry cannot be stored");
  const Expected<std::string> text =
      read_whole(cache.file(stored().key), file_kinds::cached_configuration);
  REQUIRE(text, "an entry cannot be read");
  scratch_file("configurations/" + stored().key.id() + ".json", edited(*text, edits));
  const auto found = cache.find(stored().key);
  if (!found) return require_said(found.diags());
  REQUIRE(!*found || same(**found, stored()), "an edited entry is used: " + edited(*text, edits));

  const cuda::CompiledKernel kernel{.cubin = "code", .log = "a log"};
  const std::string packed = cuda::packed("source", kernel), changed = edited(packed, edits);
  const auto unpacked = cuda::unpacked("source", changed);
  if (!unpacked) return require_said(unpacked.diags());
  REQUIRE(!*unpacked || changed == packed, "an edited kernel is used");
}

bool is_done(int failed) { return failed == 0; }

// What others may have put there is never used, and a note says why. The rest behind the letter is
// the file.
void check_place(const PersistentCache& cache, std::string_view what) {
  if (what.empty()) return;
  REQUIRE(cache.store(stored()), "an entry cannot be stored");
  const std::string file = cache.file(stored().key), folder = cache.folder();
  const std::string other = scratch_file("other", what.substr(1));
  bool is_used = false;
  std::filesystem::remove(file);
  switch (what[0]) {
    case 'l':
      REQUIRE(is_done(::symlink(other.c_str(), file.c_str())), file);
      break;
    case 'd':
      REQUIRE(is_done(::mkdir(file.c_str(), 0700)), file);
      break;
    case 'p':
      REQUIRE(is_done(::mkfifo(file.c_str(), 0600)), file);
      break;
    case 'w':
      scratch_file("configurations/" + stored().key.id() + ".json", what.substr(1));
      REQUIRE(is_done(::chmod(file.c_str(), 0666)), file);
      break;
    case 'g':
      REQUIRE(is_done(::chmod(folder.c_str(), 0770)), folder);
      break;
    case 'f':  // the folder is a link
      std::filesystem::remove_all(folder);
      REQUIRE(is_done(::symlink("/nonexistent", folder.c_str())), folder);
      break;
    case 'F':
      std::filesystem::remove_all(folder);
      scratch_file("configurations", what.substr(1));
      break;
    case 's':
      std::filesystem::resize_file(other, (std::uintmax_t{1} << 20) + 1);
      std::filesystem::rename(other, file);
      break;
    default:
      is_used = true;
      break;
  }
  const auto found = cache.find(stored().key);
  if (!found) require_said(found.diags());
  REQUIRE(is_used || !found || !*found, "what others may have written is used");
  check_listed(cache);
  if (const auto kept = cache.store(stored()); !kept) require_said(kept.diags());
  const Expected<int> cleared = cache.clear();
  if (!cleared) require_said(cleared.diags());
  const Expected<int> one = cache.clear(stored().key.id());
  if (!one) require_said(one.diags());
}

void check(std::string_view text) {
  const PersistentCache cache(scratch_folder().string());
  stored();
  const MemoryBudget memory(max_bytes);
  const Deadline deadline(std::chrono::milliseconds(1500));
  try {
    const std::size_t line = text.find('\n');
    const std::string_view rest = line == text.npos ? "" : text.substr(line + 1);
    if (text.starts_with("edit")) {
      check_edit(cache, rest);
    } else if (text.starts_with("place")) {
      check_place(cache, rest);
    } else if (text.starts_with("kernel")) {
      const auto unpacked = cuda::unpacked("source", std::string(rest));
      if (!unpacked) require_said(unpacked.diags());
    } else {
      check_entry(cache, rest);
    }
  } catch (const std::bad_alloc&) {
    REQUIRE(memory.was_refused(), "bad_alloc, and nothing was refused");
  }
  empty_scratch_folder();
}

}  // namespace
}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tessera::fuzz::check({reinterpret_cast<const char*>(data), size});
  return 0;
}
