// What every harness has: a property that must hold, a deadline after which work is asked to stop,
// and the function that libFuzzer calls.
#pragma once
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "core/report/diag.h"
#include "core/report/stop.h"

// A property of ours that an input has broken: a report, whatever the build.
#define REQUIRE(condition, ...)                                                       \
  do {                                                                                \
    if (!(condition)) {                                                               \
      std::fprintf(stderr, "%s:%d: broken: %s\n%s\n", __FILE__, __LINE__, #condition, \
                   std::string(__VA_ARGS__).c_str());                                 \
      std::abort();                                                                   \
    }                                                                                 \
  } while (false)

namespace tessera::fuzz {

// Asks the work of this thread to stop when it has had so much time of the processor. What then
// does not end in some seconds is a report of libFuzzer (-timeout): long work has to follow a
// request to stop.
class Deadline {
 public:
  explicit Deadline(std::chrono::milliseconds time);
  ~Deadline();
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;

  Stop stop() const { return &is_over_; }
  bool is_over() const { return is_over_.load(); }
  void end_now() { is_over_ = true; }

 private:
  std::atomic<bool> is_over_ = false;
  StopScope scope_;
};

// Diagnostics are there and can be shown.
void require_said(const Diags& diags);

}  // namespace tessera::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
