// The properties of a profile by the names of its text form.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "devices/profile.h"

namespace tessera {

struct PropertySet {
  bool known = true;
  std::string wanted;  // what a value of this property looks like; empty when the one given does
};

// A property that bounds what a program may use.
struct Capacity {
  std::string_view property;
  std::string_view option;  // what a command line calls it
  std::string_view meaning;
};
std::span<const Capacity> capacities();

// Gives the property its value, written as a number, yes or no, or three numbers; `unit` may be
// empty.
PropertySet set_property(Profile& profile, std::string_view name, std::string_view value,
                         std::string_view unit);

}  // namespace tessera
