// What was printed in a session, so that it can tell what of it has changed when it is printed
// again.
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
    std::int64_t since = 0;  // the event before which the place was printed last
    std::vector<bool> is_changed;
    std::int64_t count = 0;       // of changed ones
    std::vector<Element> before;  // as they were
  };
  // Notes what a place holds before an event. None: it was not printed before, or only here, or it
  // is no longer known, as no more than a million elements are kept.
  std::optional<Change> note(const std::string& place, std::int64_t event,
                             const std::vector<Element>& elements);
  // The session is of another run from here on.
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
