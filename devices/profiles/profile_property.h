// Properties of a profile, by their names in the text form.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "devices/profiles/profile.h"

namespace tessera {

struct PropertySet {
  bool known = true;
  std::string wanted;  // expected form of a value; empty if the given one is valid
};

// A property that limits the resources of a program.
struct Capacity {
  std::string_view property;
  std::string_view option;  // name on the command line
  std::string_view meaning;
};
std::span<const Capacity> capacities();

// Counts, sizes and flags of a machine, by their names in the text form. Rates are not included.
struct PropertyValue {
  std::string_view name;
  std::variant<std::int64_t, bool> value;
};
std::vector<PropertyValue> promised_properties(const MachineProfile& machine);

// Rates that the time model assumes for a machine, by their names in the text form: operations and
// bytes per second, seconds, and multiples of the bf16 rate.
struct AssumedRate {
  std::string_view name;
  double value = 0;
};
std::vector<AssumedRate> assumed_rates(const Profile& profile);

// Sets a property. value: a number, yes or no, or three numbers. unit: may be empty.
PropertySet set_property(Profile& profile, std::string_view name, std::string_view value,
                         std::string_view unit);

}  // namespace tessera
