#include <fmt/format.h>

#include <array>
#include <cstddef>
#include <utility>
#include <vector>

#include "fuzz/draws.h"
#include "fuzz/fuzz.h"
#include "text/numbers.h"

namespace tessera::fuzz {
namespace {

using Option = Invocation::Option;
// Replacement of an option: another value, or none to remove it.
using Instead = std::optional<Option>;

// Options that are not removed, because their default is not the simplest value; and that value.
constexpr std::array<std::pair<std::string_view, std::string_view>, 1> plainest = {
    {{"dtype", "f32"}}};
// Simpler values, for options that cannot be removed.
constexpr std::array<std::pair<std::string_view, std::string_view>, 4> plainer = {
    {{"schedule", "lazy"}, {"buffers", "1"}, {"fill", "integers"}, {"seed", "0"}}};

std::vector<std::string> smaller(const std::string& value) {
  std::vector<std::string> result;
  const auto numbers = parse_integers(value);
  if (!numbers) return result;
  for (std::size_t i = 0; i < numbers->size() && numbers->size() > 1; ++i) {
    Numbers without = *numbers;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    result.push_back(list(without));
  }
  for (std::size_t i = 0; i < numbers->size(); ++i) {
    const std::int64_t now = (*numbers)[i];
    for (const std::int64_t less : {std::int64_t{0}, std::int64_t{1}, now / 2, now - 1}) {
      if (less < 0 || less >= now) continue;
      Numbers changed = *numbers;
      changed[i] = less;
      result.push_back(list(changed));
    }
  }
  return result;
}

std::vector<Instead> instead_of(const Option& option) {
  std::vector<Instead> result;
  const auto put = [&](std::string_view value) {
    result.push_back(Option{option.name, std::string(value)});
  };
  for (const auto& [name, value] : plainest) {
    if (option.name != name) continue;
    if (option.value == value) return result;
    put(value);
  }
  result.push_back(std::nullopt);
  for (const auto& [name, value] : plainer)
    if (option.name == name && option.value != value) put(value);
  if (option.value)
    for (const std::string& value : smaller(*option.value)) put(value);
  return result;
}

Invocation with(const Invocation& from, std::size_t option, const Instead& instead) {
  Invocation changed = from;
  if (instead)
    changed.options[option] = *instead;
  else
    changed.options.erase(changed.options.begin() + static_cast<std::ptrdiff_t>(option));
  return changed;
}

}  // namespace

Invocation shrink(Invocation failing, const Failure& failure, const Tester& tester, int attempts) {
  const auto still_fails = [&](const Invocation& candidate) {
    const std::optional<Failure> same = tester(candidate);
    return same && same->kind == failure.kind &&
           (failure.kind != "error" || same->message == failure.message);
  };
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t i = 0; i < failing.options.size();) {
      bool is_gone = false;
      for (const Instead& instead : instead_of(failing.options[i])) {
        if (--attempts < 0) return failing;
        Invocation candidate = with(failing, i, instead);
        if (!still_fails(candidate)) continue;
        failing = std::move(candidate);
        changed = true;
        is_gone = !instead;
        break;
      }
      if (!is_gone) ++i;
    }
  }
  return failing;
}

}  // namespace tessera::fuzz
