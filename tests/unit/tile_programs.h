// Random programs of single tile operations, and their evaluation with 64-bit significands: exact,
// or rounded differently from the interpreter.
#pragma once
#include <fmt/format.h>

#include <cmath>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/data/convert.h"
#include "core/data/splitmix.h"
#include "core/program/program.h"

namespace tessera::test {

using Real = long double;

inline double uniform(SplitMix& random) {
  return static_cast<double>(random.next() >> 11) * 0x1p-53;
}

inline double stored(DType dtype, double value) {
  alignas(8) std::byte element[8];
  store_element(element, dtype, value);
  return load_element(element, dtype);
}

struct Variable {
  std::string name;
  DType dtype = DType::f32;
  std::size_t rows = 8, cols = 8;
  std::vector<Real> values{};

  const Real& at(std::size_t i, std::size_t j) const {
    return values[(rows == 1 ? 0 : i) * cols + (cols == 1 ? 0 : j)];
  }
};

// Evaluates the program exactly, or with rounding: to f32 in each operation, with sums in random
// order, functions with a library's accuracy, and random rounding at casts.
class Evaluation {
 public:
  Evaluation(bool is_exact, std::uint64_t seed) : is_exact_(is_exact), random_(seed) {}

  Real result(Real x) { return is_exact_ ? x : Real{static_cast<float>(x)}; }
  Real function(Real x) {
    if (is_exact_) return x;
    return static_cast<float>(x * (1 + Real{3 * 0x1p-23} * Real(2 * uniform(random_) - 1)));
  }
  Real kept(DType dtype, Real x) {
    if (is_integer(dtype)) return std::nearbyint(x);
    return is_exact_ || random_.below(2) == 0 ? x : Real{stored(dtype, static_cast<double>(x))};
  }
  Real sum(std::vector<Real> terms) {
    if (!is_exact_)
      for (std::size_t i = terms.size(); i > 1; --i)
        std::swap(terms[i - 1], terms[random_.below(i)]);
    Real sum = 0;
    for (const Real term : terms) sum = result(sum + term);
    return sum;
  }

 private:
  bool is_exact_;
  SplitMix random_;
};

using State = std::map<std::string, Variable>;
using Step = std::function<void(State&, Evaluation&)>;

// A program of single tile operations, and the same steps for Evaluation.
struct Drawn {
  std::string text;
  std::vector<Step> steps;
  State state;  // initial values
};

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}

  Drawn program() {
    static constexpr DType types[] = {DType::f32, DType::f32, DType::bf16, DType::f16, DType::e4m3};
    for (int v = 0; v < 5; ++v)
      add({.name = fmt::format("v{}", v), .dtype = v < 2 ? DType::f32 : types[below(5)]});
    add({.name = "c", .cols = 1});
    add({.name = "r", .rows = 1});
    add({.name = "n", .dtype = DType::i32});
    std::string declared, begin, end;
    for (const auto& [name, variable] : drawn_.state) {
      const std::string shape =
          fmt::format("{}[{}, {}]", tessera::name(variable.dtype), variable.rows, variable.cols);
      declared +=
          fmt::format("  in a{0}: {1} hbm\n  out o{0}: {1} hbm\n  vmem {0}: {1}\n", name, shape);
      begin += fmt::format("  copy a{0} -> {0}\n", name);
      end += fmt::format("  copy {0} -> o{0}\n", name);
    }
    const std::uint64_t count = 3 + below(12);
    for (std::uint64_t i = 0; i < count; ++i) step();
    drawn_.text = fmt::format("kernel k()\n{}{{\n{}{}{}}}\n", declared, begin, body_, end);
    return std::move(drawn_);
  }

 private:
  std::uint64_t below(std::uint64_t n) { return random_.below(n); }
  std::string tile() { return fmt::format("v{}", below(5)); }
  std::string any() {
    const std::uint64_t draw = below(8);
    return draw < 5 ? fmt::format("v{}", draw) : draw == 5 ? "c" : draw == 6 ? "r" : "n";
  }
  void add(Variable variable) {
    const bool are_integers = below(3) == 0 || is_integer(variable.dtype);
    const double size = std::ldexp(1, static_cast<int>(below(7)) - 3);
    for (std::size_t i = 0; i < variable.rows * variable.cols; ++i) {
      const double x = 2 * uniform(random_) - 1;
      variable.values.push_back(
          stored(variable.dtype, are_integers ? std::nearbyint(8 * x) : size * x));
    }
    drawn_.state.emplace(variable.name, std::move(variable));
  }

  // Computes an element of `dst = text`.
  using Element = std::function<Real(const State&, Evaluation&, std::size_t, std::size_t)>;
  void each(const std::string& dst, const std::string& text, Element element) {
    const DType dtype = drawn_.state.at(dst).dtype;
    body_ += text.starts_with("cast(")
                 ? fmt::format("  {} = {}\n", dst, text)
                 : fmt::format("  {} = cast({}, {})\n", dst, text, tessera::name(dtype));
    drawn_.steps.push_back([=](State& state, Evaluation& evaluation) {
      Variable& to = state.at(dst);
      std::vector<Real> values;
      for (std::size_t i = 0; i < to.rows; ++i)
        for (std::size_t j = 0; j < to.cols; ++j)
          values.push_back(evaluation.kept(to.dtype, element(state, evaluation, i, j)));
      to.values = std::move(values);
    });
  }

  void function(const std::string& dst, const std::string& of, const char* text, Real (*f)(Real)) {
    each(dst, fmt::format(fmt::runtime(text), of),
         [=](const State& s, Evaluation& e, std::size_t i, std::size_t j) {
           return e.function(f(s.at(of).at(i, j)));
         });
  }

  void step() {
    const std::string dst = tile(), x = any(), y = any(), z = tile();
    const auto binary = [&](const char* text, Real (*f)(Real, Real)) {
      each(dst, fmt::format(fmt::runtime(text), tile_of(x), y),
           [x = tile_of(x), y, f](const State& s, Evaluation& e, std::size_t i, std::size_t j) {
             return e.result(f(s.at(x).at(i, j), s.at(y).at(i, j)));
           });
    };
    switch (below(22)) {
      case 0:
        return binary("{} + {}", [](Real a, Real b) { return a + b; });
      case 1:
        return binary("{} - {}", [](Real a, Real b) { return a - b; });
      case 2:
      case 3:
        return binary("{} * {}", [](Real a, Real b) { return a * b; });
      case 4:
        return binary("{} / {}", [](Real a, Real b) { return a / b; });
      case 5:
        return binary("max({}, {})", [](Real a, Real b) { return a > b ? a : b; });
      case 6:
        return binary("min({}, {})", [](Real a, Real b) { return a < b ? a : b; });
      case 7:
        return function(dst, z, "exp({})", [](Real a) { return std::exp(a); });
      case 8:
        return function(dst, z, "tanh({})", [](Real a) { return std::tanh(a); });
      case 9:
        return function(dst, z, "erf({})", [](Real a) { return std::erf(a); });
      case 10:
        return function(dst, z, "log(abs({}))", [](Real a) { return std::log(std::abs(a)); });
      case 11:
        return function(dst, z, "rsqrt(abs({}))",
                        [](Real a) { return 1 / std::sqrt(std::abs(a)); });
      case 12:
        return each(dst, fmt::format("select({} < {}, {}, {})", z, y, dst, tile_of(x)),
                    [=, x = tile_of(x)](const State& s, Evaluation&, std::size_t i, std::size_t j) {
                      return s.at(z).at(i, j) < s.at(y).at(i, j) ? s.at(dst).at(i, j)
                                                                 : s.at(x).at(i, j);
                    });
      case 13:
        return each("c", fmt::format("row_sum({})", z),
                    [=](const State& s, Evaluation& e, std::size_t i, std::size_t) {
                      std::vector<Real> terms;
                      for (std::size_t j = 0; j < 8; ++j) terms.push_back(s.at(z).at(i, j));
                      return e.sum(terms);
                    });
      case 14:
        return each("r", fmt::format("col_sum({})", z),
                    [=](const State& s, Evaluation& e, std::size_t, std::size_t j) {
                      std::vector<Real> terms;
                      for (std::size_t i = 0; i < 8; ++i) terms.push_back(s.at(z).at(i, j));
                      return e.sum(terms);
                    });
      case 15:
        return each("c", fmt::format("row_max({})", z),
                    [=](const State& s, Evaluation&, std::size_t i, std::size_t) {
                      Real most = s.at(z).at(i, 0);
                      for (std::size_t j = 1; j < 8; ++j) most = std::max(most, s.at(z).at(i, j));
                      return most;
                    });
      case 16:
        return each("n", fmt::format("cast({}, i32)", z),
                    [=](const State& s, Evaluation&, std::size_t i, std::size_t j) {
                      return s.at(z).at(i, j);
                    });
      case 17:
        return each(dst, fmt::format("transpose({})", z),
                    [=](const State& s, Evaluation&, std::size_t i, std::size_t j) {
                      return s.at(z).at(j, i);
                    });
      case 18:
        return each(dst, fmt::format("{} * 0.1", z),
                    [=](const State& s, Evaluation& e, std::size_t i, std::size_t j) {
                      return e.result(s.at(z).at(i, j) * Real{0.1});
                    });
      case 19: {
        const std::uint64_t k = below(5);
        return each("n", fmt::format("n - {}", k),
                    [=](const State& s, Evaluation&, std::size_t i, std::size_t j) {
                      return s.at("n").at(i, j) - static_cast<Real>(k);
                    });
      }
      default: {
        // Products are only accumulated in f32.
        const std::string acc = below(2) == 0 ? "v0" : "v1", other = tile();
        body_ += fmt::format("  {} += {} . {}\n", acc, z, other);
        drawn_.steps.push_back([=](State& state, Evaluation& e) {
          std::vector<Real> values;
          for (std::size_t i = 0; i < 8; ++i)
            for (std::size_t j = 0; j < 8; ++j) {
              std::vector<Real> terms = {state.at(acc).at(i, j)};
              for (std::size_t k = 0; k < 8; ++k)
                terms.push_back(e.result(state.at(z).at(i, k) * state.at(other).at(k, j)));
              values.push_back(e.sum(terms));
            }
          state.at(acc).values = std::move(values);
        });
      }
    }
  }
  // Returns a float operand, so that the op's result is a float.
  static std::string tile_of(const std::string& name) { return name == "n" ? "v0" : name; }

  SplitMix random_;
  Drawn drawn_;
  std::string body_;
};

}  // namespace tessera::test
