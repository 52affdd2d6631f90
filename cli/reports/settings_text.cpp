#include "cli/reports/settings_text.h"

#include <fmt/format.h>

#include <cmath>

#include "text/numbers.h"

namespace tessera::cli {
namespace {

// The value as a number if JSON can represent it; JSON has no infinity.
Json setting_json(const std::string& value) {
  if (const auto integer = parse_integer(value)) return Json(*integer);
  const auto reals = parse_reals(value);
  return reals && std::isfinite(reals->front()) ? Json(reals->front()) : Json(value);
}

}  // namespace

std::string settings_text(const Program& program) {
  std::string text;
  for (const Setting& setting : program.settings)
    text += fmt::format(" {}={}", setting.name, setting.value);
  return text;
}

Json settings_json(const Program& program) {
  Json object = Json::object();
  for (const Setting& setting : program.settings)
    object[setting.name] = setting_json(setting.value);
  return object;
}

}  // namespace tessera::cli
