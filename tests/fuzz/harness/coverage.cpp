// All harnesses in one program that counts: fuzz_coverage HARNESS INPUT... gives that harness the
// inputs, or the files of folders, and adds a line for each edge of the program to the file
// $TESSERA_EDGES: its address, and 1 where it was taken. Edges are those that libFuzzer counts
// (SanitizerCoverage); llvm-cov's profile is written as $LLVM_PROFILE_FILE says.
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "tests/fuzz/harness/inputs.h"

extern "C" {
extern const char __executable_start;

// TESSERA_HARNESSES is HARNESS(name) for each of them.
#define HARNESS(name)                                               \
  int name##_one_input(const std::uint8_t* data, std::size_t size); \
  __attribute__((weak)) int name##_initialize(int* argc, char*** argv);
TESSERA_HARNESSES
#undef HARNESS

// Called by each module with counters before main(); this program is one.
static std::uint8_t *first_counter, *last_counter;
static const std::uintptr_t* first_pc;
void __sanitizer_cov_8bit_counters_init(std::uint8_t* begin, std::uint8_t* end) {
  first_counter = begin;
  last_counter = end;
}
void __sanitizer_cov_pcs_init(const std::uintptr_t* begin, const std::uintptr_t*) {
  first_pc = begin;
}
}

namespace {

struct Harness {
  std::string_view name;
  tessera::fuzz::OneInput* one_input;
  tessera::fuzz::Initialize* initialize;
};
constexpr Harness harnesses[] = {
#define HARNESS(name) {#name, name##_one_input, name##_initialize},
    TESSERA_HARNESSES
#undef HARNESS
};

// Pairs of an address and flags stand for the counters, in their order.
void write_edges() {
  const char* const path = std::getenv("TESSERA_EDGES");
  std::FILE* const file = path == nullptr ? nullptr : std::fopen(path, "a");
  if (file == nullptr) return;
  const auto base = reinterpret_cast<std::uintptr_t>(&__executable_start);
  for (std::ptrdiff_t i = 0; i < last_counter - first_counter; ++i)
    std::fprintf(file, "0x%zx %d\n", static_cast<std::size_t>(first_pc[2 * i] - base),
                 first_counter[i] != 0);
  std::fclose(file);
}

}  // namespace

int main(int argc, char** argv) {
  const Harness* const harness =
      std::find_if(std::begin(harnesses), std::end(harnesses),
                   [&](const Harness& h) { return argc > 1 && h.name == argv[1]; });
  if (harness == std::end(harnesses)) {
    std::fprintf(stderr, "fuzz_coverage HARNESS INPUT...: there is no such harness\n");
    return 2;
  }
  const int code =
      tessera::fuzz::run_inputs(argc - 1, argv + 1, harness->one_input, harness->initialize);
  write_edges();
  return code;
}
