// The properties of a profile by the names of its text form.
#pragma once
#include <string>
#include <string_view>

#include "devices/profile.h"

namespace tessera {

struct PropertySet {
  bool known = true;
  std::string wanted;  // what a value of this property looks like; empty when the one given does
};

// Gives the property its value, written as a number, yes or no, or three numbers; `unit` may be
// empty.
PropertySet set_property(Profile& profile, std::string_view name, std::string_view value,
                         std::string_view unit);

}  // namespace tessera
