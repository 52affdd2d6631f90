// Values that were printed in a session, to show changes when they are printed again.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "debugger/session/inspect.h"

namespace tessera::debugger {

class Printed {
 public:
  struct Change {
    std::int64_t since = 0;  // event number of the last print
    std::vector<bool> is_changed;
    std::int64_t count = 0;       // number of changed elements
    std::vector<Element> before;  // earlier values
  };
  // Stores the elements of a place at an event and returns the changes since its last print.
  // nullopt if the place was not printed before, was printed last at this event or with another
  // number of elements, or was dropped: at most about a million elements are stored. place: its
  // text.
  std::optional<Change> note(const std::string& place, std::int64_t event,
                             const std::vector<Element>& elements);
  // Clears the values, because the session continues with another run.
  void forget();

 private:
  struct Kept {
    std::int64_t event = 0;
    std::vector<Element> elements;
  };
  std::map<std::string, Kept> places_;
  std::size_t held_ = 0;  // elements
};

}  // namespace tessera::debugger
