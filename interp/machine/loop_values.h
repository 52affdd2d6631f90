// The values of the loops around an event, outermost first: few, so that they lie in the object
// that keeps them.
#pragma once
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace tessera {

using LoopValues = boost::container::small_vector<std::int64_t, 4>;

}  // namespace tessera
