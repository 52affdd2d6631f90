// Random programs of two to four cores, a few statements each, that leave nothing to chance but the
// order: statements by turns, parallel loops, a scope with semaphores of its own, and waits for
// what is left.
#pragma once
#include "tests/fuzz/schedules/random_ops.h"

namespace tessera::fuzz {

// Draws programs; the same seed gives the same.
class NetMaker {
 public:
  NetMaker(std::uint64_t seed, const Promises& promises) : to_(seed, promises) {}

  ProtocolNet make() {
    const int cores = to_.one_in(3) ? 2 : 1;
    to_.set_machine(cores == 2 ? 1 + to_.draw(2) : 2 + to_.draw(2), cores);
    loops_ = to_.draw(4) < 3 ? 1 + to_.draw(4) / 3 : 0;
    has_scope_ = to_.draw(10) < 3;
    to_.others_land_in_x = loops_ == 0 || to_.one_in(3);
    head();
    to_.net().shares_scopes = !to_.promises().own_scoped;
    for (int s = 0; s < to_.all_cores(); ++s) to_.lifetime_of_core(s);
    to_.barrier();
    has_common_ = loops_ > 0 && cores == 1 && to_.all_cores() == 2 && to_.one_in(2);
    if (has_common_) --loops_;
    for (int s = 0; s < to_.all_cores(); ++s) statements(s, false);
    if (has_common_) common_loop();
    if (has_scope_) scope();
    if (!to_.one_in(4)) wait_for_the_rest(false);
    // Somebody reaches another device in every program, so that all of them begin with the barrier.
    to_.line(cores == 1 ? "  signal m[1] on (device + 1) mod devices, 1"
                        : "  signal m[1] on (device + 1) mod devices core core, 1");
    for (int s = 0; s < to_.all_cores(); ++s)
      to_.signal(s, (s + cores) % to_.all_cores(), array::monotone, 1, 1);
    to_.line("}");
    for (int s = 0; s < to_.all_cores(); ++s) to_.lifetime_of_core(s);
    return std::move(to_.net());
  }

 private:
  void head() {
    to_.line("// Random program of " + std::to_string(to_.net().devices) + " devices, " +
             std::to_string(to_.cores()) + " cores each.");
    to_.line("kernel net()");
    to_.line("  vmem x: f32[8]");
    to_.line("  vmem p: f32[8]");
    to_.line("  hbm  h: f32[8]");
    to_.line("  sem c[2]: count");
    to_.line("  sem b[2]: bytes");
    to_.line("  sem m[2]: count monotone");
    to_.line("{");
  }

  void statements(int core, bool in_scope) {
    to_.line(to_.only_on(core));
    RandomOps ops(to_, core, 1, in_scope);
    const bool is_small = to_.all_cores() == 4 || has_scope_ || loops_ > 0;
    int left = to_.all_cores() == 4 || has_common_ ? to_.draw(3)
               : is_small                          ? 1 + to_.draw(2)
                                                   : 1 + to_.draw(4);
    if (answers_ == core && !in_scope) {
      ops.wait_for(core, -1, array::counts, 0, 1);
      to_.line("    signal c[1] on " + to_.name(asks_) + ", 1");
      to_.signal(core, asks_, array::counts, 1, 1);
      answers_ = -1;
    }
    for (; left > 0; --left) {
      if (loops_ > 0 && to_.one_in(2)) {
        --loops_;
        loop(core, in_scope);
      } else {
        ops.op(core, "    ");
      }
    }
    to_.line("  }");
  }

  // One that every device has.
  void common_loop() {
    const NetBuilder::Mark begin = to_.mark();
    for (int s = 0; s < to_.all_cores(); ++s) {
      if (s > 0) to_.replay(begin);
      loop(s, false, true);
    }
    to_.end_replay();
  }

  void loop(int core, bool in_scope, bool is_common = false) {
    const int points = to_.one_in(4) ? 3 : 2;
    to_.line("    for i in " + std::to_string(points) + " parallel {");
    const int first = to_.fork(core, points);
    RandomOps ops(to_, core, points, in_scope, is_common);
    const int count = 1 + to_.draw(points == 3 || to_.all_cores() == 4 || is_common ? 2 : 3);
    const bool asks =
        !in_scope && !is_common && core + 1 < to_.all_cores() && answers_ < 0 && to_.one_in(8);
    if (asks) {
      asks_ = core;
      answers_ = core + 1;
      to_.line("      if i == " + std::to_string(0) + " { signal c[0] on " + to_.name(answers_) +
               ", 1 }");
      to_.signal(first, answers_, array::counts, 0, 1);
    }
    for (int i = 0; i < count; ++i) ops.op(first, "      ");
    if (asks) ops.wait_for(first, to_.draw(points), array::counts, 1, 1);
    to_.line("    }");
    to_.join(core);
    if (to_.one_in(3)) RandomOps(to_, core, 1, in_scope, is_common).read(core);
  }

  // The last line is where the scope ends.
  void scope() {
    to_.line("  trace 1 \"scope\" {");
    to_.line("  scoped sem z[2]: count");
    for (int s = 0; s < to_.all_cores() && !to_.promises().own_scoped; ++s)
      lifetime_of(s, array::scoped_counts, false);
    to_.line("  scoped sem y[2]: bytes");
    for (int s = 0; s < to_.all_cores() && !to_.promises().own_scoped; ++s)
      lifetime_of(s, array::scoped_bytes, false);
    for (int s = 0; s < to_.all_cores(); ++s) statements(s, true);
    if (!to_.one_in(4)) wait_for_the_rest(true);
    to_.line("  p[0 +: 1] = 1");
    to_.line("  }");
    // The place of an end is that of the statement before it.
    for (int s = 0; s < to_.all_cores(); ++s) {
      lifetime_of(s, array::scoped_bytes, true);
      lifetime_of(s, array::scoped_counts, true);
    }
  }
  void lifetime_of(int core, int which, bool ends) {
    NetEvent event =
        to_.access(NetAccess::lifetime, core, object::first_array + which, 0, array::cells);
    event.ends_scope = ends;
    if (ends) --event.line;
    to_.add(core, event);
  }

  void wait_for_the_rest(bool of_scope) {
    for (int s = 0; s < to_.all_cores(); ++s) {
      RandomOps ops(to_, s, 1, of_scope);
      bool has_begun = false;
      for (int which = 0; which < array::all; ++which) {
        if (which == array::monotone || array::is_scoped(which) != of_scope) continue;
        for (int i = 0; i < array::cells; ++i) {
          const int left = to_.left_in(cell_of(s, which, i));
          if (left <= 0) continue;
          if (!has_begun) to_.line(to_.only_on(s));
          has_begun = true;
          ops.wait_for(s, -1, which, i, left);
        }
      }
      if (has_begun) to_.line("  }");
    }
  }

  NetBuilder to_;
  int loops_ = 0;
  bool has_scope_ = false, has_common_ = false;
  int asks_ = -1, answers_ = -1;  // cores of a question that a loop asks
};

inline ProtocolNet random_net(std::uint64_t seed, const Promises& promises) {
  return NetMaker(seed, promises).make();
}

}  // namespace tessera::fuzz
