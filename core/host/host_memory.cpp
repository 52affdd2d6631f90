#include "core/host/host_memory.h"

#include <fmt/format.h>
#include <malloc.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <sstream>
#include <utility>
#include <vector>

#include "core/host/file.h"

namespace tessera {
namespace {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool has_sanitizer = true;
#elif defined(__has_feature)
constexpr bool has_sanitizer = __has_feature(address_sanitizer) || __has_feature(thread_sanitizer);
#else
constexpr bool has_sanitizer = false;
#endif

const MemoryCap* cap_of_process = nullptr;  // the innermost; null: none

std::vector<std::string> words_of(const std::string& line, char separator) {
  std::vector<std::string> words;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, separator);) words.push_back(word);
  return words;
}

bool has_word(const std::string& list, std::string_view word) {
  for (const std::string& each : words_of(list, ','))
    if (each == word) return true;
  return false;
}

// Returns the text of a system file; empty if there is none.
std::string text_of(const std::string& path) {
  Expected<std::string> text = read_whole(path, file_kinds::system);
  return text ? *std::move(text) : std::string();
}

// Returns the limit in a cgroup file. No limit if the file contains "max" or the huge number of
// version 1.
std::int64_t limit_in(const std::string& file) {
  constexpr std::int64_t huge = std::int64_t{1} << 60;
  const std::string text = text_of(file);
  std::int64_t bytes = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return problem == std::errc() && bytes > 0 && bytes < huge ? bytes : no_memory_limit;
}

// Fields of /proc/self/statm: pages of the address space (0) and of writable memory (5).
std::int64_t pages_taken(int field) {
  std::istringstream in(text_of("/proc/self/statm"));
  std::int64_t pages = 0;
  for (int i = 0; i <= field && in >> pages; ++i) {
  }
  return in ? pages * sysconf(_SC_PAGESIZE) : 0;
}

std::int64_t limit_of(int resource) {
  rlimit limit{};
  if (getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return no_memory_limit;
  return static_cast<std::int64_t>(std::min(limit.rlim_cur, static_cast<rlim_t>(no_memory_limit)));
}

}  // namespace

std::int64_t cgroup_memory_limit(const std::string& cgroups, const std::string& mounts) {
  std::string path_v1, path_v2;  // path of this process in the hierarchy
  for (const std::string& line : words_of(cgroups, '\n')) {
    const std::size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1);
    if (controllers.empty()) path_v2 = line.substr(second + 1);
    if (has_word(controllers, "memory")) path_v1 = line.substr(second + 1);
  }
  std::int64_t least = no_memory_limit;
  for (const std::string& line : words_of(mounts, '\n')) {
    // id parent device root place options [tags] - type source options
    const std::vector<std::string> words = words_of(line, ' ');
    const auto dash = std::find(words.begin(), words.end(), "-");
    if (words.size() < 5 || words.end() - dash < 4) continue;
    const bool is_v2 = dash[1] == "cgroup2";
    if (!is_v2 && (dash[1] != "cgroup" || !has_word(dash[3], "memory"))) continue;
    const std::string &root = words[3], &place = words[4];
    std::string path = is_v2 ? path_v2 : path_v1;
    // The mount may contain only a part of the hierarchy, while the path begins at its root.
    if (root != "/") path = path.starts_with(root) ? path.substr(root.size()) : "";
    for (;;) {
      const std::string folder = path == "/" ? place : place + path;
      least =
          std::min(least, limit_in(folder + (is_v2 ? "/memory.max" : "/memory.limit_in_bytes")));
      if (path.empty() || path == "/") break;
      path.resize(path.rfind('/') == std::string::npos ? 0 : path.rfind('/'));
    }
  }
  return least;
}

MemoryLimit memory_limit() {
  const std::int64_t machine = std::int64_t{sysconf(_SC_PHYS_PAGES)} * sysconf(_SC_PAGESIZE);
  MemoryLimit least{machine, machine, "this machine"};
  const auto consider = [&](std::int64_t bytes, std::int64_t taken, std::string_view by) {
    if (bytes == no_memory_limit || bytes - taken >= least.left) return;
    least = {bytes, std::max<std::int64_t>(bytes - taken, 0), by};
  };
  consider(cgroup_memory_limit(text_of("/proc/self/cgroup"), text_of("/proc/self/mountinfo")), 0,
           "the memory limit of its cgroup");
  consider(limit_of(RLIMIT_AS), pages_taken(0), "ulimit -v");
  consider(limit_of(RLIMIT_DATA), pages_taken(5), MemoryCap::name());
  return least;
}

std::string_view MemoryCap::name() {
  return cap_of_process == nullptr ? "ulimit -d" : cap_of_process->by_;
}

bool MemoryCap::is_possible() { return !has_sanitizer; }

MemoryCap::MemoryCap(std::int64_t bytes, std::string_view by) : bytes_(bytes), by_(by) {
  rlimit limit{};
  if (!is_possible() || getrlimit(RLIMIT_DATA, &limit) != 0) return;
  before_ = limit.rlim_cur;
  const auto wanted = static_cast<rlim_t>(bytes);
  if (limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur <= wanted) return;
  is_set_ = true;
  set(wanted);
  around_ = std::exchange(cap_of_process, this);
}

MemoryCap::~MemoryCap() {
  if (!is_set_) return;
  cap_of_process = around_;
  set(before_);
}

MemoryLimit MemoryCap::use_reserve() {
  constexpr std::int64_t reserve = std::int64_t{64} << 20;
  if (cap_of_process == nullptr) return memory_limit();
  const MemoryCap& cap = *cap_of_process;
  cap.set(std::min<std::uint64_t>(static_cast<std::uint64_t>(cap.bytes_ + reserve), cap.before_));
  return {cap.bytes_, 0, cap.by_};
}

void MemoryCap::set(std::uint64_t bytes) const {
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return;
  limit.rlim_cur = bytes;
  setrlimit(RLIMIT_DATA, &limit);
}

void prefer_large_pages(void* data, std::size_t bytes) {
  constexpr std::uintptr_t page = std::uintptr_t{2} << 20;
  const auto begin = reinterpret_cast<std::uintptr_t>(data);
  const std::uintptr_t first = (begin + page - 1) / page * page,
                       last = (begin + bytes) / page * page;
  if (first < last) madvise(reinterpret_cast<void*>(first), last - first, MADV_HUGEPAGE);
}

void return_free_memory() { malloc_trim(0); }

std::string memory_text(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  return amount == std::floor(amount) || amount >= 100
             ? fmt::format("{:.0f} {}", amount, units[unit])
             : fmt::format("{:.3g} {}", amount, units[unit]);
}

NoMemory::NoMemory(std::string_view what, std::int64_t bytes) {
  const auto written =
      fmt::format_to_n(text_.data(), text_.size() - 1, "{} of {} bytes", what, bytes);
  *written.out = '\0';
}

}  // namespace tessera
