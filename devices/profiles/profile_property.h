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

// Result of set_property().
struct PropertySet {
  bool known = true;   // false: no property has this name
  std::string wanted;  // expected form of a value; empty if the given one is valid
};

// A property that limits the resources of a program.
struct Capacity {
  std::string_view property;
  std::string_view option;  // name on the command line
  std::string_view meaning;
};
// Returns all such properties.
std::span<const Capacity> capacities();

// A count, size or flag of a machine, by its name in the text form.
struct PropertyValue {
  std::string_view name;
  std::variant<std::int64_t, bool> value;
};
// Returns the counts, sizes and flags of a machine. Rates are not included.
std::vector<PropertyValue> promised_properties(const MachineProfile& machine);

// A rate that the time model assumes for a machine, by its name in the text form: operations or
// bytes per second, seconds, or a multiple of the bf16 rate.
struct AssumedRate {
  std::string_view name;
  double value = 0;
};
// Returns all rates of a profile.
std::vector<AssumedRate> assumed_rates(const Profile& profile);

// Sets a property, or returns why it cannot and leaves the profile unchanged. value: a number that
// is not negative (an integer for a count or size), `yes` or `no`, or the tiling m,k,n as three
// numbers from 1. unit: for a count or size, B, KB to GB, KiB to GiB or empty; else empty.
PropertySet set_property(Profile& profile, std::string_view name, std::string_view value,
                         std::string_view unit);

}  // namespace tessera
