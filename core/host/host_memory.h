// Memory limits of this process, and the exception for allocations beyond them.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

namespace tessera {

// The lowest memory limit of this process.
struct MemoryLimit {
  std::int64_t bytes = 0;  // total
  std::int64_t left = 0;   // bytes still available
  // Source of the limit: "ulimit -v", "the memory limit of its cgroup", "this machine" ...
  std::string_view by;
};
// Returns the limit with the least memory left, among those for the machine, the cgroup and the
// process. For a cgroup and the machine, memory in use is not subtracted.
MemoryLimit memory_limit();

inline constexpr std::int64_t no_memory_limit = INT64_MAX;
// Returns the lowest memory limit, in bytes, of the process's cgroup and its parents, cgroup
// versions 1 and 2 (see cgroups(7)); no_memory_limit if there is none. cgroups, mounts: contents of
// /proc/self/cgroup and /proc/self/mountinfo. Reads the files of the cgroups.
std::int64_t cgroup_memory_limit(const std::string& cgroups, const std::string& mounts);

// While this object exists, allocations beyond `bytes` fail, so that the process is not killed for
// lack of memory. The limit counts private writable memory (RLIMIT_DATA).
class MemoryCap {
 public:
  // False in builds with sanitizers, which reserve more memory than they use. The cap has no effect
  // there.
  static bool is_possible();

  // Sets the cap, unless a limit of at most `bytes` exists already. Caps nest: destroy them in
  // reverse order. Not thread-safe. by: source of the limit, for messages; must outlive this
  // object.
  MemoryCap(std::int64_t bytes, std::string_view by);
  ~MemoryCap();
  MemoryCap(const MemoryCap&) = delete;
  MemoryCap& operator=(const MemoryCap&) = delete;

  // Call it after a failed allocation: raises the cap by 64 MiB, at most to the limit before it, so
  // that the error can be reported; further calls do not raise it again. Returns the limit that was
  // exceeded: the innermost cap, with 0 bytes left, or memory_limit() without a cap.
  static MemoryLimit use_reserve();
  // Returns the source of the process's data limit: the innermost cap's, or "ulimit -d".
  static std::string_view name();

 private:
  void set(std::uint64_t bytes) const;

  std::int64_t bytes_;
  std::string_view by_;
  std::uint64_t before_ = 0;
  const MemoryCap* around_ = nullptr;
  bool is_set_ = false;
};

// Returns freed small blocks to the system. The C library would keep them for later allocations.
void return_free_memory();

// Enables large pages (2 MiB), which reduce TLB misses and page faults in large memory. Only pages
// completely within the range are affected, so that the resident memory does not grow. Ignores
// errors of the system.
void prefer_large_pages(void* data, std::size_t bytes);

// Returns a size as text: "4.2 MiB".
std::string memory_text(std::int64_t bytes);

// Exception for a large allocation that failed; names its purpose. Containers throw std::bad_alloc.
// Both become a diagnostic at the public entry points (core/report/guarded.h).
class NoMemory : public std::bad_alloc {
 public:
  // what: purpose of the memory: "a tensor f32(8, 8)". bytes: the requested size.
  NoMemory(std::string_view what, std::int64_t bytes);
  // "a tensor f32(8, 8) of 256 bytes", truncated to 255 bytes.
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 256> text_{};  // fixed size: there is no memory to allocate a string
};

}  // namespace tessera
