// The build that is running.
#pragma once
#include <string>

namespace tessera {

// Build ID that the linker wrote into the program or the shared library that contains this code, as
// hexadecimal digits; empty if it has none.
std::string build_id();

}  // namespace tessera
