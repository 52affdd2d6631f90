// Computation modes of tile ops and matrix products.
#pragma once
#include <cstdint>

namespace tessera {

// library: matrix products by the math library. exact: the same bits on every machine. none: floats
// are left unchanged, and only initialisation is tracked.
enum class Math : std::uint8_t { library, exact, none };

}  // namespace tessera
