// How tile ops and matrix products compute.
#pragma once
#include <cstdint>

namespace tessera {

// library: products by the math library; exact: the same bits on every machine; none: floats are
// left alone, and only what is initialised is tracked.
enum class Math : std::uint8_t { library, exact, none };

}  // namespace tessera
