// Random statements: accesses, signals to anybody, waits on own semaphores, copies here and to
// others. A statement is drawn once, and means events for each point that does it.
#pragma once
#include "tests/fuzz/schedules/net_builder.h"

namespace tessera::fuzz {

// base + stride * i in point i, also of what stands in no loop.
struct Place {
  int base = 0, stride = 0;
  int at(int point) const { return base + stride * point; }
  std::string text() const {
    if (stride == 0) return std::to_string(base);
    return (stride == 1 ? "i" : "i * " + std::to_string(stride)) +
           (base == 0 ? "" : " + " + std::to_string(base));
  }
};

class RandomOps {
 public:
  // points: how many do a statement; those of an open scope have the scope's semaphores as well.
  // is_common: every device does it, each with others by their distance.
  RandomOps(NetBuilder& to, int core, int points, bool in_scope, bool is_common = false)
      : to_(to), core_(core), points_(points), in_scope_(in_scope), is_common_(is_common) {}

  // agent: that of point 0, or the core.
  void op(int agent, const std::string& indent) {
    agent_ = agent;
    indent_ = indent;
    only_ = points_ > 1 && to_.one_in(4) ? to_.draw(points_) : -1;
    // Where all do the same, they mostly have to do with each other.
    if (is_common_ && to_.one_in(3)) return signal(peer(1));
    const int kind = to_.draw(100);
    if (kind < 30) {
      access(to_.one_in(2));
    } else if (kind < 52) {
      signal(peer(0));
    } else if (kind < (points_ > 1 ? 58 : 68)) {
      wait();
    } else if (kind < 84) {
      local_copy();
    } else {
      remote_copy();
    }
  }

  void read(int agent) {
    start_with(agent, -1);
    access(false);
  }
  void wait_for(int agent, int only, int which, int cell, int amount) {
    start_with(agent, only);
    wait_for(which, Place{cell, 0}, amount);
  }

 private:
  void start_with(int agent, int only) {
    agent_ = agent;
    only_ = only;
    indent_ = points_ > 1 ? "      " : "    ";
  }
  void say(const std::string& text) {
    if (only_ < 0) return to_.line(indent_ + text);
    to_.line(indent_ + "if i == " + std::to_string(only_) + " { " + text + " }");
  }
  template <typename F>
  void each(F&& f) {
    for (int i = 0; i < points_; ++i)
      if (only_ < 0 || i == only_) f(agent_ + i, i);
  }
  static std::string name(int which) {
    const char* const names[] = {"c", "b", "m", "z", "y"};
    return names[which];
  }
  // Another core, or at a distance of 0 perhaps this one.
  int peer(int least) {
    return (core_ + least + to_.draw(to_.all_cores() - least)) % to_.all_cores();
  }
  std::string name_of(int peer) const {
    if (!is_common_) return to_.name(peer);
    const int distance = (peer - core_ + to_.all_cores()) % to_.all_cores();
    return distance == 0 ? "device" : "(device + " + std::to_string(distance) + ") mod devices";
  }
  static std::string slice(int object, const Place& first, int size) {
    return (object == object::hbm ? "h[" : "x[") + first.text() + " +: " + std::to_string(size) +
           "]";
  }

  // `count` elements from `from` on, within [from, end) for every point.
  Place place(int from, int end, int size) {
    Place result{from + to_.draw(end - from - size + 1), 0};
    if (points_ == 1 || only_ >= 0 || to_.one_in(3)) return result;
    const int room = end - size - result.base;
    result.stride = 1 + to_.draw(2);
    while (result.stride * (points_ - 1) > room && result.stride > 0) --result.stride;
    return result;
  }
  Place cell() { return place(0, array::cells, 1); }
  int or_of_scope(int which, int scoped) { return in_scope_ && !to_.one_in(3) ? scoped : which; }
  int size_of_access() { return to_.one_in(3) ? 2 : 1; }
  // More copies are from vmem to vmem.
  int memory() { return to_.draw(10) < 7 ? object::vmem : object::hbm; }

  void access(bool writes) {
    const int size = size_of_access();
    const Place first = place(0, 8, size);
    if (writes)
      say(slice(object::vmem, first, size) + " = 1");
    else
      say("p[0 +: " + std::to_string(size) + "] = " + slice(object::vmem, first, size));
    each([&](int agent, int i) {
      to_.access(agent, writes ? NetAccess::write : NetAccess::read, object::vmem, first.at(i),
                 size);
    });
  }

  void signal(int peer) {
    const Place at = cell();
    const int which =
        to_.one_in(4) ? array::monotone : or_of_scope(array::counts, array::scoped_counts);
    const int amount = 1 + to_.draw(2);
    say("signal " + name(which) + "[" + at.text() + "] on " + name_of(peer) + ", " +
        std::to_string(amount));
    each([&](int agent, int i) { to_.signal(agent, peer, which, at.at(i), amount); });
    if (points_ == 1) return;
    // A point that waits for itself needs nobody; where all do the same, it waits for its like.
    const bool comes_back = peer == core_ || is_common_;
    if (comes_back && !to_.one_in(3)) wait_for(which, at, amount);
  }

  // Three of four waits are for what was signalled: others never end.
  void wait() {
    const bool is_hopeful = to_.one_in(4);
    for (int tries = 0; tries < 4; ++tries) {
      const int kind = to_.draw(5);
      const Place at = cell();
      int amount = 1 + to_.draw(4) / 3;
      int which = or_of_scope(array::counts, array::scoped_counts);
      if (kind == 0) which = array::monotone;
      if (kind >= 3) {
        which = or_of_scope(array::bytes, array::scoped_bytes);
        amount = 4 * (1 + to_.draw(4) / 3);
      }
      const bool is_each = which != array::monotone && at.stride == 0 && only_ < 0;
      const int needed = amount * (is_each ? points_ : 1);
      const int last = at.at(only_ >= 0 ? only_ : points_ - 1);
      if (!is_hopeful && !is_common_ && to_.left_in(cell_of(core_, which, last)) < needed) continue;
      wait_for(which, at, amount);
      return;
    }
    access(to_.one_in(2));
  }
  void wait_for(int which, const Place& at, int amount) {
    say((which == array::monotone ? "await " : "wait ") + name(which) + "[" + at.text() + "], " +
        std::to_string(amount));
    each([&](int agent, int i) { to_.wait(agent, which, at.at(i), amount); });
  }

  void local_copy() {
    const int size = size_of_access();
    const Place from = place(0, 4, size), into = place(4, 8, size), done = cell();
    const int source = memory(), target = memory();
    const int which = or_of_scope(array::bytes, array::scoped_bytes);
    const bool adds = to_.one_in(4);
    say("start " + slice(source, from, size) + " -> " + slice(target, into, size) + ", " +
        name(which) + "[" + done.text() + "]" + (adds ? " add" : ""));
    each([&](int agent, int i) {
      to_.copy(agent, {.access = to_.access(NetAccess::read, core_, source, from.at(i), size)},
               {.access = to_.access(adds ? NetAccess::accumulate : NetAccess::write, core_, target,
                                     into.at(i), size),
                .core = core_,
                .which = which,
                .cell = done.at(i)},
               size);
    });
    wait_at_once(which, done, size);
  }

  void remote_copy() {
    const int size = size_of_access();
    const Place read = cell(), landed = cell();
    const int peer = this->peer(1);
    const int source = memory(), target = to_.others_land_in_x ? memory() : object::hbm;
    const bool is_one =
        source == object::hbm && target == object::hbm && core_ / to_.cores() == peer / to_.cores();
    const Place from = place(0, is_one ? 4 : 8, size), into = place(is_one ? 4 : 0, 8, size);
    const int which = or_of_scope(array::bytes, array::scoped_bytes);
    const bool adds = to_.one_in(4);
    say("start " + slice(source, from, size) + " -> " + name_of(peer) + ": " +
        slice(target, into, size) + ", b[" + read.text() + "], " + name(which) + "[" +
        landed.text() + "]" + (adds ? " add" : ""));
    each([&](int agent, int i) {
      to_.copy(agent,
               {.access = to_.access(NetAccess::read, core_, source, from.at(i), size),
                .core = core_,
                .cell = read.at(i)},
               {.access = to_.access(adds ? NetAccess::accumulate : NetAccess::write, peer, target,
                                     into.at(i), size),
                .core = peer,
                .which = which,
                .cell = landed.at(i)},
               size);
    });
    wait_at_once(array::bytes, read, size);
  }

  // Two of three points wait for their copies before they go on.
  void wait_at_once(int which, const Place& done, int size) {
    if (points_ == 1 || to_.one_in(3)) return;
    wait_for(which, done, 4 * size);
  }

  NetBuilder& to_;
  const int core_, points_;
  const bool in_scope_, is_common_;
  int agent_ = 0, only_ = -1;
  std::string indent_;
};

}  // namespace tessera::fuzz
