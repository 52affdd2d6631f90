// The properties of a profile by the names of its text form.
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
  std::string wanted;  // what a value of this property looks like; empty when the one given does
};

// A property that bounds what a program may use.
struct Capacity {
  std::string_view property;
  std::string_view option;  // what a command line calls it
  std::string_view meaning;
};
std::span<const Capacity> capacities();

// What a machine has and promises, by the names of the text form: its counts, its bytes and what it
// does or does not, not its rates.
struct PropertyValue {
  std::string_view name;
  std::variant<std::int64_t, bool> value;
};
std::vector<PropertyValue> promised_properties(const MachineProfile& machine);

// What the model of a run's time assumes of a machine, by the names of the text form: operations
// and bytes per second, seconds, and multiples of the bf16 rate.
struct AssumedRate {
  std::string_view name;
  double value = 0;
};
std::vector<AssumedRate> assumed_rates(const Profile& profile);

// Gives the property its value, written as a number, yes or no, or three numbers; `unit` may be
// empty.
PropertySet set_property(Profile& profile, std::string_view name, std::string_view value,
                         std::string_view unit);

}  // namespace tessera
