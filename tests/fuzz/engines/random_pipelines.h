// Random programs of several pipelines for the engines that run task graphs. Numbers of iterations
// and places of blocks are read from a table in smem, which has 0, 1 and 2: pipelines without
// iterations occur before, between and after others. Values are integers of f32 or i32; of f32,
// which are not computed while a program is planned, pipelines that repeat others are memoised.
#pragma once
#include <fmt/format.h>

#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tessera::fuzz {

struct RandomPipelines {
  int devices = 1;
  bool same_sizes = true;  // on all devices
  std::string text;
};

class PipelineMaker {
 public:
  static constexpr int sizes = 8, rows = 10, max_count = 4;

  // devices: 0: one to three.
  explicit PipelineMaker(std::uint64_t seed, int devices = 0) : rng_(seed) {
    made_.devices = devices > 0 ? devices : 1 + draw(3);
    made_.same_sizes = one_in(2);
    type_ = one_in(4) ? "i32" : "f32";
  }

  RandomPipelines make() {
    for (const char* buffer : {"h", "g", "came", "aux"}) say("copy x -> {}", buffer);
    if (one_in(2))
      say("copy x -> out");
    else
      fill();
    for (int i = 2 + draw(5); i > 0; --i) phase();
    if (one_in(2)) add_in_place("aux", "10", "0");
    if (one_in(2)) say("copy {} -> aux", scratch());
    write();
    return std::move(made_);
  }

 private:
  int draw(int below) {
    return static_cast<int>(std::uniform_int_distribution<int>(0, below - 1)(rng_));
  }
  bool one_in(int n) { return draw(n) == 0; }
  template <typename... T>
  void say(fmt::format_string<T...> format, T&&... args) {
    body_ += fmt::format("{}{}\n", indent_, fmt::format(format, std::forward<T>(args)...));
  }
  template <typename Body>
  void block(const std::string& head, Body&& body) {
    say("{} {{", head);
    indent_ += "  ";
    body();
    indent_.resize(indent_.size() - 2);
    say("}}");
  }
  std::string sem(const char* kind) {
    const std::string name = fmt::format("{}{}", kind[0], names_++);
    semaphores_ += fmt::format("  sem {}: {}\n", name, kind);
    return name;
  }

  std::string size() { return fmt::format("sizes[{}]", draw(sizes)); }
  // Iterations or rows, at most max_count.
  std::string count() {
    switch (draw(6)) {
      case 0:
        return std::to_string(draw(3));
      case 1:
        return fmt::format("{} * {}", size(), size());
      case 2:
        return fmt::format("{} + {}", size(), size());
      default:
        return size();
    }
  }
  // A first row with max_count rows from it on.
  std::string place() {
    switch (draw(4)) {
      case 0:
        return fmt::format("{} + {}", size(), draw(5));
      case 1:
        return fmt::format("{} * {}", size(), 1 + draw(3));
      default:
        return std::to_string(draw(7));
    }
  }
  std::string scratch() { return one_in(3) ? "came" : one_in(2) ? "h" : "g"; }
  std::string target() { return one_in(3) ? "out" : one_in(3) ? "aux" : one_in(2) ? "h" : "g"; }
  std::string source(const std::string& but) {
    for (;;)
      if (std::string from = one_in(3) ? "x" : scratch(); from != but) return from;
  }
  const char* parallel() { return one_in(3) ? " parallel" : ""; }

  // A number that a later phase uses as data, so another node of the graph reads it.
  void number() {
    const std::string name = fmt::format("n{}", names_++);
    say("{} = sizes[{}]", name, draw(sizes));
    numbers_.push_back(name);
  }
  std::string operand() {
    return numbers_.empty() || one_in(3)
               ? std::to_string(draw(9))
               : numbers_[static_cast<std::size_t>(draw(static_cast<int>(numbers_.size())))];
  }

  void phase() {
    if (one_in(5)) number();
    switch (draw(16)) {
      case 0:
      case 1:
        return add_in_place(target(), count(), place());
      case 2:
      case 3:
        return move();
      case 4:
        return multiply();
      case 5:
        return blocks();
      case 6:
        return loads();
      case 7:
      case 8:
        return groups();
      case 9:
      case 10:
        return repeats();
      case 11:
        return copies();
      case 12:
        return made_.devices > 1 ? sends() : copies();
      case 13:
        return branches();
      case 14:
        return points();
      default:
        return library();
    }
  }

  // All of the result, by a pipeline.
  void fill() {
    if (one_in(2)) move("aux", count());
    move("out", std::to_string(rows), "0");
  }

  void add_in_place(const std::string& to, const std::string& n, const std::string& from,
                    const std::string& value = "") {
    block(fmt::format("pipeline i in {}{}", n, parallel()), [&] {
      say("window o = {}[{} + i +: 1, :] update, depth 1", to, from);
      say("o = o * {} + {}", 1 + draw(2), value.empty() ? operand() : value);
    });
  }

  void move() { move(target(), count()); }
  // What is already there stays where nothing is stored.
  void move(const std::string& to, const std::string& n, std::string at = "") {
    if (at.empty()) at = place();
    const bool updates = at != "0" && (to == "out" || to == "aux");
    const std::string from = source(to), first = at == "0" ? "0" : place();
    block(fmt::format("pipeline i in {}{}", n, parallel()), [&] {
      say("window a = {}[{} + i +: 1, :]", from, first);
      say("window o = {}[{} + i +: 1, :]{}", to, at, updates ? " update, depth 1" : "");
      say("o = a + {}", operand());
    });
  }

  void multiply() {
    const std::string to = target(), from = source(to);
    block(fmt::format("pipeline i in {}", count()), [&] {
      say("window a = {}[{} + i +: 1, :]", from, place());
      say("window b = w");
      say("window o = {}[{} + i +: 1, :] update, depth 1", to, place());
      say("acc = o");
      say("acc += a . b");
      say("o = {}", type_ == "i32" ? "bit_and(acc, 1023)" : "min(max(acc, -999), 999)");
    });
  }

  // Of columns, too.
  void blocks() {
    const std::string columns = one_in(2) ? "2" : size();
    block(fmt::format("pipeline i in {}, j in {}", count(), columns), [&] {
      say("window o = {}[{} + i +: 1, j * 2 +: 2] update, depth 1", target(), place());
      say("o = o + {} + j", draw(9));
    });
  }

  // Pipelines that are no pattern: they load numbers, or are another on each device.
  void loads() {
    block(fmt::format("pipeline i in {}", count()), [&] {
      if (one_in(2)) {
        say("window o = {}[{} + i +: 1, :] update, depth 1", target(), place());
        say("o = o + {}", one_in(2) ? "sizes[i]" : "device");
      } else {
        const std::string to = target();
        say("window a = {}[sizes[i] + i +: 1, :]", source(to));
        say("window o = {}[{} + i +: 1, :] update, depth 1", to, place());
        say("o = o + a");
      }
    });
  }

  // Rows of groups, one pipeline for each.
  void groups() {
    const int first = draw(5), n = 2 + draw(3);
    const std::string to = target(), from = source(to);
    const bool reads = one_in(2);
    say("begins = 0");
    block(fmt::format("for v{} in {}", names_, n), [&] {
      const std::string v = fmt::format("v{}", names_++);
      say("first_{} = begins", v);
      say("count_{} = sizes[{} + {}]", v, first, v);
      block(fmt::format("pipeline i in count_{}", v), [&] {
        if (reads) say("window a = {}[first_{} + i +: 1, :]", from, v);
        say("window o = {}[first_{} + i +: 1, :] update, depth 1", to, v);
        say("o = {} + {}", reads ? "o + a" : "o * 2", one_in(2) ? v : std::to_string(draw(9)));
      });
      say("begins = first_{0} + count_{0}", v);
    });
  }

  // The same pipelines again and again.
  void repeats() {
    const std::string v = fmt::format("v{}", names_++);
    block(fmt::format("for {} in {}", v, one_in(2) ? size() : std::to_string(1 + draw(3))), [&] {
      for (int i = 1 + draw(2); i >= 0; --i)
        one_in(3) ? move() : add_in_place(target(), count(), place(), one_in(3) ? v : "");
    });
  }

  void copies() {
    const std::string to = target(), n = count();
    say("copy {}[{} +: {}, :] -> {}[{} +: {}, :]", source(to), place(), n, to, place(), n);
  }

  // To the right neighbour, when both neighbours are here.
  void sends() {
    const std::string c = sem("count"), sent = sem("bytes"), arrived = sem("bytes");
    const std::string from = one_in(2) ? "h" : "g", to = place();
    const std::string n = made_.same_sizes && one_in(2) ? count() : std::to_string(draw(3));
    const std::string at = made_.same_sizes ? to : std::to_string(draw(7)), first = place();
    say("signal {} on (device + 1) mod devices, 1", c);
    say("signal {} on (device - 1) mod devices, 1", c);
    say("wait {}, 2", c);
    say("start {}[{} +: {}, :] -> (device + 1) mod devices: came[{} +: {}, :], {}, {}", from, first,
        n, at, n, sent, arrived);
    say("wait {} for {}[{} +: {}, :]", sent, from, first, n);
    say("wait {} for came[{} +: {}, :]", arrived, at, n);
  }

  void branches() {
    block(fmt::format("if {} {} {}", size(), one_in(2) ? "==" : "<", draw(3)),
          [&] { one_in(2) ? move() : add_in_place(target(), count(), place()); });
    if (one_in(2)) add_in_place(target(), count(), place());
  }

  // A pipeline in each iteration of a parallel loop.
  void points() {
    const std::string to = target(), v = fmt::format("v{}", names_++), at = place();
    block(fmt::format("for {} in {} parallel", v, size()), [&] {
      block(fmt::format("pipeline i in {}", one_in(2) ? "1" : fmt::format("min({}, 1)", size())),
            [&] {
              say("window o = {}[{} + {} + i +: 1, :] update, depth 1", to, at, v);
              say("o = o + {} * 3", v);
            });
    });
  }

  void library() {
    const std::string to = target(), n = count();
    if (one_in(3)) return say("zero_rows({}, {} - {}, 1, 4)", one_in(2) ? "h" : "g", rows, size());
    say("add_into({}[{} +: {}, :], {}[{} +: {}, :], 1, 4)", to, place(), n, source(to), place(), n);
  }

  void write() {
    const std::string rows_of = fmt::format("{}[{}, 4]", type_, rows);
    std::string& text = made_.text;
    text = fmt::format("kernel engines()\n  in  sizes: i32[{}] smem\n", sizes);
    text += fmt::format("  in  x: {} hbm\n  in  w: {}[4, 4] hbm may_be_unread\n", rows_of, type_);
    for (const char* buffer : {"out", "aux"})
      text += fmt::format("  out {}: {} hbm\n", buffer, rows_of);
    for (const char* buffer : {"h", "g", "came"})
      text += fmt::format("  hbm {}: {} may_be_unread\n", buffer, rows_of);
    text += fmt::format("  smem begins: i64\n  tile acc: {}[1, 4]\n{}{{\n{}}}\n", type_,
                        semaphores_, body_);
  }

  std::mt19937_64 rng_;
  RandomPipelines made_;
  std::string type_, semaphores_, body_, indent_ = "  ";
  std::vector<std::string> numbers_;
  int names_ = 0;
};

}  // namespace tessera::fuzz
