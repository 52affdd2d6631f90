// The build that is running.
#pragma once
#include <string>

namespace tessera {

// Returns the build ID that the linker wrote into the program or shared library with this code, as
// hexadecimal digits; empty if there is none.
std::string build_id();

}  // namespace tessera
