#include "debugger/commands/printed.h"

#include <bit>
#include <utility>

namespace tessera::debugger {
namespace {

constexpr std::size_t max_held = 1 << 20;

// Compares floats by their bits, so that an unchanged NaN is equal.
bool same(const Element& a, const Element& b) {
  if (!a.is_defined || !b.is_defined) return a.is_defined == b.is_defined;
  return a.integer == b.integer &&
         std::bit_cast<std::uint32_t>(a.real) == std::bit_cast<std::uint32_t>(b.real);
}

}  // namespace

std::optional<Printed::Change> Printed::note(const std::string& place, std::int64_t event,
                                             const std::vector<Element>& elements) {
  std::optional<Change> change;
  if (const auto known = places_.find(place); known != places_.end()) {
    Kept before = std::move(known->second);
    held_ -= before.elements.size();
    places_.erase(known);
    if (before.event != event && before.elements.size() == elements.size()) {
      change = Change{before.event, {}, 0, std::move(before.elements)};
      for (std::size_t i = 0; i < elements.size(); ++i) {
        change->is_changed.push_back(!same(elements[i], change->before[i]));
        change->count += change->is_changed.back() ? 1 : 0;
      }
    }
  }
  if (held_ + elements.size() > max_held) forget();
  if (elements.size() > max_held) return change;
  places_[place] = {event, elements};
  held_ += elements.size();
  return change;
}

void Printed::forget() {
  places_.clear();
  held_ = 0;
}

}  // namespace tessera::debugger
