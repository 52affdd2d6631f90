#include "kernels/tuning/selection_events.h"

#include <fmt/format.h>

#include <array>
#include <nlohmann/json.hpp>
#include <utility>

namespace tessera {
namespace {

using Kind = SelectionEvent::Kind;

std::vector<SelectionListener>& selection_listeners() {
  thread_local std::vector<SelectionListener> stack;
  return stack;
}

}  // namespace

std::string_view name(ConfigSource source) {
  constexpr std::array<std::string_view, 6> names = {"override",   "overlay",  "memory",
                                                     "persistent", "autotune", "heuristics"};
  return names[static_cast<std::size_t>(source)];
}

std::string_view name(const SelectionEvent& event) {
  constexpr std::array<std::string_view, 6> of_hits = {
      "override", "overlay_hit", "cache_hit", "cache_hit", "autotune_finish", "heuristics"};
  switch (event.kind) {
    case Kind::started:
      return "autotune_start";
    case Kind::hit:
      return of_hits[static_cast<std::size_t>(event.step.source)];
    case Kind::missed:
      return "miss";
    case Kind::failed:
      return "error";
  }
  return "";
}

std::string to_text(const SelectionEvent& event) {
  const std::string& said = event.config.empty() ? event.step.outcome : event.config;
  return fmt::format("{:<12}{:<17}{}, {:.3g} s", name(event.step.source), name(event), said,
                     event.step.seconds);
}

std::string to_json(const SelectionEvent& event) {
  using Object = nlohmann::ordered_json;
  Object object = {{"event", name(event)},
                   {"source", name(event.step.source)},
                   {"outcome", event.step.outcome},
                   {"seconds", event.step.seconds},
                   {"key",
                    {{"device", event.key.device},
                     {"operation", event.key.operation},
                     {"call", event.key.call}}}};
  // The configuration is JSON of ours.
  if (!event.config.empty()) object["config"] = Object::parse(event.config, nullptr, false);
  return object.dump(-1, ' ', false, Object::error_handler_t::replace);
}

SelectionListening::SelectionListening(SelectionListener listener) {
  selection_listeners().push_back(std::move(listener));
}
SelectionListening::~SelectionListening() { selection_listeners().pop_back(); }

bool SelectionListening::anyone() { return !selection_listeners().empty(); }

void SelectionListening::tell(const SelectionEvent& event) {
  const std::vector<SelectionListener>& all = selection_listeners();
  for (std::size_t i = all.size(); i-- > 0;) all[i](event);
}

SelectionRecorder::SelectionRecorder()
    : listening_([this](const SelectionEvent& event) { events_.push_back(event); }) {}

std::string SelectionRecorder::text() const {
  std::string text;
  const OperationKey* last = nullptr;
  for (const SelectionEvent& event : events_) {
    if (last == nullptr || !(*last == event.key)) text += event.key.text() + "\n";
    last = &event.key;
    text += "  " + to_text(event) + "\n";
  }
  return text;
}

std::string SelectionRecorder::json() const {
  std::string text = "[";
  for (const SelectionEvent& event : events_) text += (text.size() > 1 ? "," : "") + to_json(event);
  return text + "]";
}

}  // namespace tessera
