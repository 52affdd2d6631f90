// A harness without libFuzzer: fuzz_NAME INPUT...
#include "tests/fuzz/harness/harness.h"
#include "tests/fuzz/harness/inputs.h"

// Of harnesses that have something to do before the first input.
extern "C" __attribute__((weak)) int LLVMFuzzerInitialize(int* argc, char*** argv);

int main(int argc, char** argv) {
  return tessera::fuzz::run_inputs(argc, argv, LLVMFuzzerTestOneInput, LLVMFuzzerInitialize);
}
