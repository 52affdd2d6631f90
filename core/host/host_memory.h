// The memory that this process may have, and the exception of those who ask for more.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <new>
#include <string>
#include <string_view>

namespace tessera {

// The lowest of the limits under which the process stands.
struct MemoryLimit {
  std::int64_t bytes = 0;  // in all
  std::int64_t left = 0;   // for what is not there yet
  std::string_view by;     // "ulimit -v", "the memory limit of its cgroup", "this machine" ...
};
MemoryLimit memory_limit();

inline constexpr std::int64_t no_memory_limit = INT64_MAX;
// The limit of a process's cgroup and of those around it, by the kernel's lists of its cgroups and
// of its mounts (/proc/self/cgroup and /proc/self/mountinfo): versions 1 and 2, see cgroups(7).
std::int64_t cgroup_memory_limit(const std::string& cgroups, const std::string& mounts);

// While it lives, asking for more than that many bytes fails: nobody has to be killed for memory
// that is not there. Counted is what the process may write to and nobody shares (RLIMIT_DATA).
class MemoryCap {
 public:
  // Sanitizers reserve more than they use: a build with them is left alone.
  static bool is_possible();

  // by: whose limit it is, for messages; a text that lives as long.
  MemoryCap(std::int64_t bytes, std::string_view by);
  ~MemoryCap();
  MemoryCap(const MemoryCap&) = delete;
  MemoryCap& operator=(const MemoryCap&) = delete;

  // An allocation failed: a little beyond the cap serves to tell so. The limit that was hit.
  static MemoryLimit use_reserve();
  // Whose limit of data the process has.
  static std::string_view name();

 private:
  void set(std::uint64_t bytes) const;

  std::int64_t bytes_;
  std::string_view by_;
  std::uint64_t before_ = 0;
  const MemoryCap* around_ = nullptr;
  bool is_set_ = false;
};

// Gives back to the system what was freed in small pieces: the C library keeps it for the next
// ones.
void return_free_memory();

// Large pages spare most of the misses and of the first touches of much memory. Only those that lie
// wholly inside, so that no more becomes resident.
void prefer_large_pages(void* data, std::size_t bytes);

// "4.2 MiB"
std::string memory_text(std::int64_t bytes);

// Thrown by who asks for much, and says what for; containers throw what the standard library has.
// Both end as a diagnostic at the public entries (core/report/guarded.h).
class NoMemory : public std::bad_alloc {
 public:
  NoMemory(std::string_view what, std::int64_t bytes);
  const char* what() const noexcept override { return text_.data(); }

 private:
  std::array<char, 256> text_{};  // there is no memory for more
};

}  // namespace tessera
