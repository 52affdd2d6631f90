#include "kernels/tuning/config_hints.h"

#include <fmt/format.h>

#include <array>
#include <string>

#include "core/report/json_text.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

Diag wrong(const std::string& field, const std::string& wanted, const Json& found) {
  return error(fmt::format("config hint {} requires {}, got {}", field, wanted, shown_json(found)));
}

template <typename Enum, std::size_t count>
Expected<void> set(Enum& member, const std::string& field, const Json& value,
                   const std::array<Enum, count>& all) {
  std::string names;
  for (const Enum known : all) {
    if (value.is_string() && value.get<std::string>() == name(known)) {
      member = known;
      return {};
    }
    names += fmt::format("{}{}", names.empty() ? "" : ", ", name(known));
  }
  return wrong(field, "one of " + names, value);
}

Expected<void> set(MachineHints& hints, const std::string& field, const Json& value) {
  constexpr std::array evictions{Eviction::normal, Eviction::first, Eviction::last};
  if (field == "pairing") {
    constexpr std::array pairings{Pairing::none, Pairing::rows, Pairing::columns};
    return set(hints.pairing, field, value, pairings);
  }
  if (field == "left") return set(hints.left, field, value, evictions);
  if (field == "right") return set(hints.right, field, value, evictions);
  if (field == "alternate" || field == "dynamic") {
    if (!value.is_boolean()) return wrong(field, "true or false", value);
    (field == "dynamic" ? hints.dynamic : hints.alternate) = value.get<bool>();
    return {};
  }
  if (field == "band") {
    constexpr int most = 1024;
    if (!value.is_number_integer() || value.get<double>() < 1 || value.get<double>() > most)
      return wrong(field, fmt::format("an integer from 1 to {}", most), value);
    hints.band = value.get<int>();
    return {};
  }
  return error(fmt::format(
      "a config has no hint {}; its hints are pairing, alternate, dynamic, band, left, right",
      shown_text(field)));
}

}  // namespace

Json to_json(const MachineHints& hints) {
  return {{"pairing", name(hints.pairing)}, {"alternate", hints.alternate},
          {"dynamic", hints.dynamic},       {"band", hints.band},
          {"left", name(hints.left)},       {"right", name(hints.right)}};
}

Expected<MachineHints> parse_hints(const Json& value) {
  if (!value.is_object())
    return error(fmt::format("config field hints requires an object, got {}", shown_json(value)));
  MachineHints hints;
  Diags diags;
  for (const auto& [field, given] : value.items()) collect(diags, set(hints, field, given));
  if (!diags.empty()) return diags;
  return hints;
}

}  // namespace tessera
