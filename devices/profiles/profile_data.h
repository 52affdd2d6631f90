// The text of the built-in profiles.
#pragma once
#include <string_view>

namespace tessera {

extern const std::string_view profile_data;

}  // namespace tessera
