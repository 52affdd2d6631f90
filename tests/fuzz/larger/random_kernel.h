// Larger random programs, most of them right: phases that compute, send to a neighbour, have
// parallel loops, sums, pipelines and scopes, with or without a barrier between them. Every core
// has `rows` rows of the hbm of its device, and as many of its own scratch. All values are small
// whole numbers, so that sums have no order.
#pragma once
#include <fmt/format.h>

#include <random>
#include <string>

namespace tessera::fuzz {

struct RandomKernel {
  int devices = 2, cores = 1, rows = 4;
  std::string text;
};

class KernelMaker {
 public:
  // devices: how many; 0: two to four.
  explicit KernelMaker(std::uint64_t seed, int devices = 0) : rng_(seed), devices_(devices) {}

  RandomKernel make() {
    kernel_.devices = 2 + draw(3);
    if (devices_ > 0) kernel_.devices = devices_;
    kernel_.cores = one_in(4) ? 2 : 1;
    kernel_.rows = 2 + draw(4);
    here_ = kernel_.cores == 1 ? "" : fmt::format("core * {} + ", kernel_.rows);
    to_core_ = kernel_.cores == 1 ? "" : " core core";
    for (const char* scratch : {"s", "t", "u"})
      say("copy {} -> {}", own("a", "0", rows()), scratch);
    say("ones = 1.0");
    say("y = 0.0");
    say("copy s -> {}", own("h", "0", rows()));
    const int phases = 3 + draw(6);
    for (int i = 0; i < phases; ++i) {
      phase();
      if (one_in(2)) barrier();
    }
    barrier();
    for (const char* scratch : {"s", "t", "u"})
      say("copy {} -> {}", scratch, own(fmt::format("out_{}", scratch), "0", rows()));
    say("copy {} -> s", own("h", "0", rows()));
    say("copy s -> {}", own("out_h", "0", rows()));
    write();
    return std::move(kernel_);
  }

 private:
  int draw(int below) {
    return static_cast<int>(std::uniform_int_distribution<int>(0, below - 1)(rng_));
  }
  bool one_in(int n) { return draw(n) == 0; }
  int rows() const { return kernel_.rows; }
  template <typename... T>
  void say(fmt::format_string<T...> format, T&&... args) {
    body_ += fmt::format("{}{}\n", indent_, fmt::format(format, std::forward<T>(args)...));
  }
  std::string sem(const char* kind, int cells = 0) {
    const std::string name = fmt::format("{}{}", kind[0], semaphores_++);
    head_ +=
        fmt::format("  sem {}{}: {}\n", name, cells == 0 ? "" : fmt::format("[{}]", cells), kind);
    return name;
  }
  // Rows of this core in hbm, and rows of scratch.
  std::string own(const std::string& buffer, const std::string& from, int count) const {
    return fmt::format("{}[{}{} +: {}, :]", buffer, here_, from, count);
  }
  std::string of(const std::string& scratch, const std::string& from, int count) const {
    return fmt::format("{}[{} +: {}, :]", scratch, from, count);
  }
  std::string scratch() { return std::string(1, "stu"[draw(3)]); }
  const char* right() const { return "(device + 1) mod devices"; }
  const char* left() const { return "(device - 1) mod devices"; }

  void phase() {
    switch (draw(11)) {
      case 0:
      case 1:
        return compute("");
      case 2:
        return exchange();
      case 3:
        return points_of_their_own();
      case 4:
        return points_that_send();
      case 5:
        return points_that_add();
      case 6:
        return points_side_by_side();
      case 7:
        return pipeline();
      case 8:
        return selects();
      case 9:
        return scope();
      default:
        return on_one_device();
    }
  }

  void compute(const std::string& guard) {
    const int n = 1 + draw(rows());
    const char* const ops[] = {"+", "-"};
    const auto place = [&] { return std::to_string(draw(rows() - n + 1)); };
    const std::string a = of(scratch(), place(), n), b = of(scratch(), place(), n);
    say("{}{} = {}", guard, of(scratch(), place(), n),
        one_in(2) ? fmt::format("{}({}, {})", one_in(2) ? "min" : "max", a, b)
                  : fmt::format("{} {} {}", a, ops[draw(2)], b));
  }

  void barrier() {
    const std::string c = sem("count");
    say("signal {} on {}{}, 1", c, right(), to_core_);
    say("signal {} on {}{}, 1", c, left(), to_core_);
    say("wait {}, 2", c);
  }

  void exchange() {
    const int n = 1 + draw(rows());
    const std::string from = of(scratch(), std::to_string(draw(rows() - n + 1)), n),
                      to = of(scratch(), std::to_string(draw(rows() - n + 1)), n);
    const std::string sent = sem("bytes"), arrived = sem("bytes");
    if (from[0] != to[0] && one_in(2)) barrier();
    say("start {} -> {}{}: {}, {}, {}{}", from, one_in(2) ? right() : left(), to_core_, to, sent,
        arrived, one_in(4) ? " add" : "");
    if (one_in(3)) compute("");
    say("wait {} for {}", sent, from);
    if (one_in(3)) compute("");
    say("wait {} for {}", arrived, to);
  }

  template <typename Body>
  void points(int count, Body&& body) {
    say("for i in {} parallel {{", count);
    indent_ += "  ";
    body();
    indent_.resize(indent_.size() - 2);
    say("}}");
  }
  int some_points() { return 2 + draw(rows() - 1); }

  // Sums that a product adds to, which are read by the same op that stores them.
  void multiply(const std::string& row) {
    say("y += {} . ones", of(scratch(), row, 1));
    say("y = min(max(y, -8.0), 8.0)");
  }

  // Each has scratch that all of them store.
  void points_of_their_own() {
    const std::string from = scratch();
    const bool sets_sums = !one_in(6);
    points(some_points(), [&] {
      if (sets_sums) {
        say("copy {} -> y", own("a", "i", 1));
        say("y = y + {}", of(from, "i", 1));
      } else {
        multiply("i");
      }
      if (one_in(2)) say("y = max(y, {})", of(scratch(), one_in(4) ? "0" : "i", 1));
      if (one_in(3)) multiply("i");
      if (one_in(3))
        say("{} = y", of(scratch(), one_in(6) ? "0" : "i", 1));
      else
        say("copy y -> {}", own("h", one_in(8) ? "0" : "i", 1));
    });
  }

  // Each sends a row of its own, and waits for the one that comes to it.
  void points_that_send() {
    const int count = some_points();
    const std::string sent = sem("bytes", count), arrived = sem("bytes", count);
    const std::string from = scratch();
    const std::string target = own("h", "i", 1);
    points(count, [&] {
      say("start {} -> {}{}: {}, {}[i], {}[i]", of(from, "i", 1), right(), to_core_, target, sent,
          arrived);
      say("wait {}[i] for {}", sent, of(from, "i", 1));
      if (one_in(2)) say("y = {} + 1.0", of(from, "i", 1));
      say("wait {}[i] for {}", arrived, target);
    });
  }

  // Copies that add to one row, which is read after the loop.
  void points_that_add() {
    const std::string done = sem("bytes"), from = scratch();
    points(some_points(), [&] {
      say("y = {} + 1.0", of(from, "i", 1));
      say("start y -> {}, {} add", own("h", "0", 1), done);
      say("wait {} for y", done);
    });
    say("copy {} -> {}", own("h", "0", 1), of(scratch(), "0", 1));
  }

  // Rows of a core's own scratch, by copies that are in flight together.
  void points_side_by_side() {
    const int count = some_points();
    const std::string done = sem("bytes"), later = sem("bytes");
    const bool waits_inside = !one_in(4);
    points(count, [&] {
      say("start {} -> z, {}", own("a", "i", 1), done);
      say("wait {} for z", done);
      say("y = z + z");
      say("start y -> {}, {}", own("h", "i", 1), later);
      if (waits_inside) say("wait {} for y", later);
    });
    if (!waits_inside) say("wait {}, {}", later, count * 8 * 4);
  }

  void pipeline() {
    const std::string with = scratch();
    say("pipeline i in {} parallel {{", rows());
    say("  window x = {}", own("a", "i", 1));
    say("  window w = {}{}", own("h", "i", 1), one_in(3) ? " update" : "");
    say("  w = x + {}", of(with, "i", 1));
    say("}}");
  }

  // Of v only what was stored is defined.
  void selects() {
    const int n = 1 + draw(rows());
    say("c = {} < {}", scratch(), scratch());
    say("{} = {}", of("v", "0", n), of(scratch(), "0", n));
    if (one_in(2))
      say("{} = select({}, {}, {})", of(scratch(), "0", n), of("c", "0", n), of("v", "0", n),
          of(scratch(), "0", n));
    else
      say("{0} = select(c < c, {1}, {0})", scratch(), one_in(2) ? "v" : "t");
  }

  void scope() {
    say("trace 1 \"scope\" {{");
    indent_ += "  ";
    say("scoped sem z{}: count", semaphores_);
    const std::string name = fmt::format("z{}", semaphores_++);
    say("signal {} on {}{}, 1", name, right(), to_core_);
    compute("");
    say("signal {} on {}{}, 1", name, left(), to_core_);
    say("wait {}, 2", name);
    indent_.resize(indent_.size() - 2);
    say("}}");
  }

  void on_one_device() {
    say("if device == {} {{", draw(kernel_.devices));
    indent_ += "  ";
    compute("");
    if (one_in(2)) points_of_their_own();
    indent_.resize(indent_.size() - 2);
    say("}}");
  }

  void write() {
    const int all = kernel_.rows * kernel_.cores;
    std::string& text = kernel_.text;
    text = fmt::format("kernel large()\n  in   a: f32[{}, 8] hbm\n", all);
    for (const char* name : {"out_s", "out_t", "out_u", "out_h"})
      text += fmt::format("  out  {}: f32[{}, 8] hbm\n", name, all);
    text += fmt::format("  hbm  h: f32[{}, 8]\n", all);
    for (const char* name : {"s", "t", "u", "v"})
      text += fmt::format("  vmem {}: f32[{}, 8]\n", name, rows());
    text += fmt::format(
        "  vmem c: i32[{}, 8]\n  vmem y: f32[1, 8]\n  vmem ones: f32[8, 8]\n  vmem z: f32[1, 8]\n",
        rows());
    text += head_ + "{\n" + body_ + "}\n";
  }

  std::mt19937_64 rng_;
  int devices_;
  RandomKernel kernel_;
  std::string head_, body_, here_, to_core_, indent_ = "  ";
  int semaphores_ = 0;
};

}  // namespace tessera::fuzz
