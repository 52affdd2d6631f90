// What happens while a configuration is chosen (selection.h), for whoever wants to know: each link
// that is asked is an event, which the listeners of the thread hear as it happens. The names of the
// events are those of ejkernel/ops/config/selection.py.
#pragma once  // public
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/tuning/operation_key.h"

namespace tessera {

// The links of the chain, in their order.
enum class ConfigSource : std::uint8_t {
  Override,    // the call has a configuration of its own
  Overlay,     // an OverlayScope of this thread has one for its key
  Memory,      // this process used one for its key before
  Persistent,  // the user's cache folder has one
  Autotune,    // candidates are measured
  Heuristics   // one is chosen without measuring
};
// In lower case: "persistent".
std::string_view name(ConfigSource source);

// The outcome at one link of the chain.
struct SelectionStep {
  ConfigSource source = ConfigSource::Override;  // which link
  std::string outcome;                           // "hit", or why it has no configuration
  double seconds = 0;   // that it took, by the chain's clock
};

// One thing that happens while a configuration is chosen.
struct SelectionEvent {
  // started: of autotuning alone, which may take long; failed: the choice ends without an answer.
  enum class Kind : std::uint8_t { started, hit, missed, failed };
  Kind kind = Kind::missed;  // what happens
  OperationKey key;    // what is chosen for
  SelectionStep step;  // who was asked, and what it said: "hit", "started", or the reason
  std::string config;  // of a hit: what was chosen, as JSON
};
// "override", "overlay_hit", "cache_hit", "autotune_start", "autotune_finish", "heuristics" of who
// answered; "miss" and "error" of who did not.
std::string_view name(const SelectionEvent& event);
// One line: "memory      miss             not seen yet, 2e-07 s".
std::string to_text(const SelectionEvent& event);
// One line: event, source, outcome, seconds, key, and of a hit config.
std::string to_json(const SelectionEvent& event);

// What a caller does with each event.
using SelectionListener = std::function<void(const SelectionEvent&)>;

// While it lives, `listener` hears every choice of this thread. Scopes end in the reverse order of
// their beginning; inner ones hear first. A listener is called in the midst of a choice: it must
// not choose by the same chain.
class SelectionListening {
 public:
  // Begins the scope.
  explicit SelectionListening(SelectionListener listener);
  ~SelectionListening();
  SelectionListening(const SelectionListening&) = delete;
  SelectionListening& operator=(const SelectionListening&) = delete;

  static bool anyone();  // whether somebody hears this thread
  // Calls the listeners of this thread, the innermost first.
  static void tell(const SelectionEvent& event);
};

// Keeps what this thread's choices tell while it lives.
class SelectionRecorder {
 public:
  // Begins to record.
  SelectionRecorder();
  // All so far, in their order.
  const std::vector<SelectionEvent>& events() const { return events_; }
  std::string text() const;  // a line for each key that is new, and one for each event below it
  std::string json() const;  // an array of the events, on one line

 private:
  std::vector<SelectionEvent> events_;
  SelectionListening listening_;
};

}  // namespace tessera
