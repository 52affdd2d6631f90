// Values of the loops around an event, outermost first. There are few, so they are stored inline.
#pragma once
#include <boost/container/small_vector.hpp>
#include <cstdint>

namespace tessera {

using LoopValues = boost::container::small_vector<std::int64_t, 4>;

}  // namespace tessera
