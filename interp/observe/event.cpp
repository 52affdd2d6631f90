#include "interp/observe/event.h"

namespace tessera {

std::string_view name(EventKind kind) {
  switch (kind) {
    case EventKind::read:
      return "read";
    case EventKind::write:
      return "write";
    case EventKind::accumulate:
      return "accumulate";
    case EventKind::start:
      return "start";
    case EventKind::signal:
      return "signal";
    case EventKind::wait:
      return "wait";
    case EventKind::await:
      return "await";
    case EventKind::read_sem:
      return "read_sem";
    case EventKind::alloc:
      return "alloc";
    case EventKind::release:
      return "free";
    case EventKind::fresh:
      return "fresh";
    case EventKind::enter:
      return "enter";
    case EventKind::leave:
      return "leave";
    case EventKind::point:
      return "point";
    case EventKind::choice:
      return "choice";
    case EventKind::points_end:
      return "points_end";
    case EventKind::update:
      return "update";
  }
  return "?";
}

}  // namespace tessera
