// Random programs of one core whose tiles and scalars are defined in part, and what they mean:
// element by element, with "undefined" as a value. Nothing here knows the interpreter.
//
// An undefined element may be moved, computed with and chosen from. It must not be read as a
// scalar, which may decide what is done, nor get into a result.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace tessera::fuzz {

using Element = std::optional<double>;
constexpr int width = 8;

struct RandomValues {
  std::string text;
  int uninitialised = 0;               // the first line that uses what is undefined; 0: none
  bool in_flight = false;              // a copy that is not waited for at once
  std::array<double, width> result{};  // of out o, when nothing is undefined
  std::array<double, width> operand{};
};

class ValueMaker {
 public:
  explicit ValueMaker(std::uint64_t seed) : rng_(seed) {}

  RandomValues make() {
    head();
    for (int i = 0; i < width; ++i) made_.operand[at(i)] = draw(9) - 4;
    for (int i = 0; i < width; ++i) {
      values_["a"][at(i)] = made_.operand[at(i)];
      values_["o"][at(i)] = made_.operand[at(i)];
    }
    say("copy a -> o");
    define_some();
    const int statements = 6 + draw(14);
    for (int i = 0; i < statements; ++i) statement("  ");
    if (in_flight_ > 0) say("wait d, " + std::to_string(in_flight_));
    indent_ = "  ";
    is_careless_ = one_in(2);
    if (one_in(3))
      chosen_result();
    else
      to_result();
    line("}");
    for (int i = 0; i < width && made_.uninitialised == 0; ++i)
      made_.result[at(i)] = *values_["o"][at(i)];
    return std::move(made_);
  }

 private:
  struct Range {
    int first = 0, size = 1;
  };
  using Values = std::array<Element, width>;

  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  int draw(int below) {
    return static_cast<int>(std::uniform_int_distribution<int>(0, below - 1)(rng_));
  }
  bool one_in(int n) { return draw(n) == 0; }
  void line(const std::string& text) {
    made_.text += text + "\n";
    ++lines_;
  }
  void say(const std::string& text) { line(indent_ + text); }

  void head() {
    line("kernel values()");
    line("  in   a: f32[1, 8] hbm");
    line("  out  o: f32[1, 8] hbm");
    for (const char* name : {"u", "v", "w"}) line(fmt::format("  vmem {}: f32[1, 8]", name));
    for (const char* name : {"m", "n"}) line(fmt::format("  vmem {}: i32[1, 8]", name));
    for (const char* name : {"g", "k"}) line(fmt::format("  smem {}: i32[1, 8]", name));
    line("  smem t: i64[8]");
    line("  smem q: i64[9]");
    line("  sem d: bytes");
    line("{");
  }

  // Names, and rectangles of one row.
  std::string tile() { return std::string(1, "uvw"[draw(3)]); }
  std::string mask() { return std::string(1, "mn"[draw(2)]); }
  std::string table() { return std::string(1, "gk"[draw(2)]); }
  Range range(int least = 1) {
    const int size = least + draw(one_in(2) ? width - least + 1 : 2);
    return {draw(width - size + 1), size};
  }
  Range same(const Range& as) { return {draw(width - as.size + 1), as.size}; }
  static std::string slice(const std::string& name, const Range& r) {
    return fmt::format("{}[:, {} +: {}]", name, r.first, r.size);
  }

  // What happens in a branch that is not taken, or behind a finding, does not.
  bool happens() const { return is_taken_ && made_.uninitialised == 0; }
  void uses(const Element& element) {
    if (happens() && !element) made_.uninitialised = lines_;
  }
  Element element(const std::string& name, int i) { return values_[name][at(i)]; }
  void store(const std::string& name, const Range& to, const std::function<Element(int)>& value) {
    std::array<Element, width> made;
    for (int i = 0; i < to.size; ++i) made[at(i)] = value(i);
    for (int i = 0; happens() && i < to.size; ++i) values_[name][at(to.first + i)] = made[at(i)];
  }

  // Most buffers are defined as a whole, others in part as the program goes.
  void define_some() {
    for (const char* name : {"u", "v", "w", "m", "n"}) {
      if (one_in(3)) continue;
      const int value = draw(5) - 2;
      say(fmt::format("{} = {}{}", name, value, name[0] < 'o' ? "" : ".0"));
      store(name, {0, width}, [&](int) { return Element(value); });
    }
    for (const char* name : {"g", "k"}) {
      if (one_in(3)) continue;
      const std::string from = one_in(2) ? "m" : "n";
      say(fmt::format("copy {} -> {}", from, name));
      store(name, {0, width}, [&](int i) { return element(from, i); });
    }
    if (one_in(4)) return;
    say("iota(t)");
    store("t", {0, width}, [](int i) { return Element(i); });
  }
  bool is_defined(const std::string& name, const Range& r) {
    for (int i = r.first; i < r.first + r.size; ++i)
      if (!element(name, i)) return false;
    return true;
  }
  // What is used is mostly defined.
  template <typename Draw>
  auto mostly_defined(Draw&& draw_one) {
    auto drawn = draw_one();
    const bool is_any = is_careless_ || one_in(12);
    for (int tries = 0; tries < 12 && !is_any && !is_defined(drawn.first, drawn.second); ++tries)
      drawn = draw_one();
    return drawn;
  }

  void statement(const std::string& indent) {
    indent_ = indent;
    switch (draw(16)) {
      case 0:
      case 1:
        return constant();
      case 2:
      case 3:
        return arithmetic();
      case 4:
        return compare();
      case 5:
      case 6:
      case 7:
        return select();
      case 8:
        return copy();
      case 9:
        return mask_to_scalars();
      case 10:
        return scalar();
      case 11:
        return scalar_select();
      case 12:
        return sums();
      case 13:
        return indent.size() > 2 ? constant() : branch();
      case 14:
        return address();
      default:
        return one_in(3) ? to_result() : wait();
    }
  }

  void constant() {
    const Range r = range();
    const int value = draw(9) - 4;
    if (one_in(3)) {
      const std::string to = mask();
      say(fmt::format("{} = {}", slice(to, r), value));
      return store(to, r, [&](int) { return Element(value); });
    }
    const std::string to = tile();
    say(fmt::format("{} = {}.0", slice(to, r), value));
    store(to, r, [&](int) { return Element(value); });
  }

  void arithmetic() {
    const Range r = range(), ra = same(r), rb = same(r);
    const std::string to = tile(), a = tile(), b = tile();
    const int kind = draw(4);
    const std::string x = slice(a, ra), y = slice(b, rb);
    const char* const text[] = {"{} + {}", "{} - {}", "min({}, {})", "max({}, {})"};
    say(fmt::format("{} = {}", slice(to, r), fmt::format(fmt::runtime(text[kind]), x, y)));
    store(to, r, [&](int i) -> Element {
      const Element p = element(a, ra.first + i), s = element(b, rb.first + i);
      if (!p || !s) return {};
      return kind == 0   ? *p + *s
             : kind == 1 ? *p - *s
             : kind == 2 ? std::min(*p, *s)
                         : std::max(*p, *s);
    });
  }

  // What is chosen now by what is computed now.
  void chosen_result() {
    const Range r = range();
    const std::string by = mask(), to = tile();
    compare(by, r);
    select(to, r, by, r);
    to_result(to, r);
  }

  void compare() { compare(mask(), range()); }
  void compare(const std::string& to, const Range& r) {
    const Range ra = same(r), rb = same(r);
    const std::string a = tile(), b = tile();
    const int kind = draw(3);
    const char* const ops[] = {"<", "<=", "=="};
    say(fmt::format("{} = {} {} {}", slice(to, r), slice(a, ra), ops[kind], slice(b, rb)));
    store(to, r, [&](int i) -> Element {
      const Element p = element(a, ra.first + i), s = element(b, rb.first + i);
      if (!p || !s) return {};
      return (kind == 0 ? *p < *s : kind == 1 ? *p <= *s : *p == *s) ? 1 : 0;
    });
  }

  void select() {
    const Range r = range();
    select(tile(), r, mask(), same(r));
  }
  void select(const std::string& to, const Range& r, const std::string& c, const Range& rc) {
    const Range ra = same(r), rb = same(r);
    const std::string a = tile(), b = tile();
    say(fmt::format("{} = select({}, {}, {})", slice(to, r), slice(c, rc), slice(a, ra),
                    slice(b, rb)));
    store(to, r, [&](int i) -> Element {
      const Element choice = element(c, rc.first + i);
      if (!choice) return {};
      return *choice != 0 ? element(a, ra.first + i) : element(b, rb.first + i);
    });
  }

  // Some are waited for later.
  void copy() {
    const Range r = range(), from = same(r);
    const std::string a = tile();
    std::string to = tile();
    while (to == a) to = tile();
    const bool adds = one_in(4);
    say(fmt::format("start {} -> {}, d{}", slice(a, from), slice(to, r), adds ? " add" : ""));
    store(to, r, [&](int i) -> Element {
      const Element p = element(a, from.first + i), before = element(to, r.first + i);
      if (!adds) return p;
      if (!p || !before) return {};
      return *p + *before;
    });
    if (indent_.size() == 2 && one_in(4)) {
      in_flight_ += 4 * r.size;
      made_.in_flight = true;
    } else {
      say(fmt::format("wait d, {}", 4 * r.size));
    }
  }
  void wait() {
    if (in_flight_ == 0 || indent_.size() > 2) return constant();
    say("wait d, " + std::to_string(in_flight_));
    in_flight_ = 0;
  }

  void to_result() {
    const auto [from, r] = mostly_defined([&] { return std::pair(tile(), range()); });
    to_result(from, r);
  }
  void to_result(const std::string& from, const Range& r) {
    say(fmt::format("copy {} -> {}", slice(from, r), slice("o", r)));
    for (int i = 0; i < r.size; ++i) uses(element(from, r.first + i));
    store("o", r, [&](int i) { return element(from, r.first + i); });
  }

  void mask_to_scalars() {
    const Range r = range(), from = same(r);
    const std::string to = table(), a = mask();
    say(fmt::format("copy {} -> {}", slice(a, from), slice(to, r)));
    store(to, r, [&](int i) { return element(a, from.first + i); });
  }

  // "t[3]" or "g[0, 3]", and its value; it is used.
  std::pair<std::string, Element> load() {
    const auto [name, where] = mostly_defined([&] {
      return std::pair(one_in(3) ? std::string("t") : table(), Range{draw(width), 1});
    });
    const int i = where.first;
    loaded_.push_back(element(name, i));
    return {name == "t" ? fmt::format("t[{}]", i) : fmt::format("{}[0, {}]", name, i),
            loaded_.back()};
  }
  // What the line at hand loads.
  void use_loads() {
    for (const Element& element : loaded_) uses(element);
    loaded_.clear();
  }

  void scalar() {
    const int to = draw(width);
    if (one_in(2)) {
      const int value = draw(9) - 4;
      say(fmt::format("t[{}] = {}", to, value));
      return store("t", {to, 1}, [&](int) { return Element(value); });
    }
    const auto [x, a] = load();
    const auto [y, b] = load();
    say(fmt::format("t[{}] = min({}, {})", to, x, y));
    use_loads();
    store("t", {to, 1}, [a = a, b = b](int) { return Element(std::min(*a, *b)); });
  }

  // Both are read.
  void scalar_select() {
    const int to = draw(width);
    const auto [x, a] = load();
    const auto [y, b] = load();
    say(fmt::format("t[{}] = select({} < 2, {}, 1)", to, x, y));
    use_loads();
    store("t", {to, 1}, [a = a, b = b](int) { return Element(*a < 2 ? *b : 1); });
  }

  void sums() {
    const Range r = mostly_defined([&] { return std::pair(std::string("t"), range()); }).second;
    if (one_in(2)) {
      say(fmt::format("iota(t[{} +: {}])", r.first, r.size));
      return store("t", r, [&](int i) { return Element(i); });
    }
    say(fmt::format("prefix_sum(q[0 +: {}], t[{} +: {}])", r.size + 1, r.first, r.size));
    for (int i = 0; i < r.size; ++i) uses(element("t", r.first + i));
    const int to = draw(width);
    double sum = 0;
    for (int i = 0; i < r.size; ++i) sum += element("t", r.first + i).value_or(0);
    say(fmt::format("t[{}] = min(max(q[{}], 0 - 9), 9)", to, r.size));
    store("t", {to, 1}, [&](int) { return Element(std::min(std::max(sum, -9.0), 9.0)); });
  }

  void branch() {
    const auto [x, a] = load();
    say(fmt::format("if {} < 1 {{", x));
    use_loads();
    is_taken_ = happens() && *a < 1;
    for (int i = 1 + draw(2); i > 0; --i) statement("    ");
    indent_ = "  ";
    is_taken_ = true;
    say("}");
  }

  void address() {
    const auto [x, a] = load();
    const std::string to = tile();
    const int value = draw(9) - 4;
    say(fmt::format("{}[:, {} mod 8 +: 1] = {}.0", to, x, value));
    use_loads();
    if (!a) return;
    const int place = ((static_cast<int>(*a) % width) + width) % width;
    store(to, {place, 1}, [&](int) { return Element(value); });
  }

  std::mt19937_64 rng_;
  RandomValues made_;
  std::map<std::string, Values> values_;
  std::vector<Element> loaded_;
  std::string indent_ = "  ";
  bool is_taken_ = true;
  bool is_careless_ = false;  // about what it uses
  int in_flight_ = 0;         // bytes
  int lines_ = 0;
};

}  // namespace tessera::fuzz
