// Inputs for a harness without libFuzzer.
#pragma once
#include <cstddef>
#include <cstdint>

namespace tessera::fuzz {

using OneInput = int(const std::uint8_t* data, std::size_t size);
using Initialize = int(int* argc, char*** argv);

// Gives the harness each input that a word behind the first names, or each file of a folder of
// them, once; `initialize` may be null. 3 where one cannot be read, 2 where there are none.
int run_inputs(int argc, char** argv, OneInput* one_input, Initialize* initialize);

}  // namespace tessera::fuzz
