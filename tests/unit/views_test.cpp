// Views with another shape: random programs with views of views, compared with plain arrays of
// positions, for constant starts and starts that are only known at run time. Accesses through views
// race like accesses to the memory.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

#include "analysis/certificate/certifier.h"
#include "core/data/splitmix.h"
#include "tests/unit/interp_kernel.h"
#include "tests/unit/language_support.h"

namespace tessera {
namespace {

using testing::Operands;
using Positions = std::vector<std::int64_t>;  // element positions in the memory, in order

class Draws {
 public:
  explicit Draws(std::uint64_t seed) : random_(seed) {}
  std::int64_t below(std::int64_t n) {
    return static_cast<std::int64_t>(random_.below(static_cast<std::uint64_t>(n)));
  }
  // Returns extents with product n, some of them 1.
  Shape shape(std::int64_t n) {
    Shape result;
    while (n > 1 && result.size() < 4) {
      std::int64_t factor = 2 + below(n - 1);
      while (n % factor != 0) --factor;
      if (below(4) == 0) result.push_back(1);
      result.push_back(factor);
      n /= factor;
    }
    if (n > 1 || result.empty()) result.push_back(n);
    return result;
  }

 private:
  SplitMix random_;
};

// A view: its name, its extents and its elements.
struct View {
  std::string name;
  Shape shape;
  Positions at;
};

struct Part {
  std::string text;  // v1[2, 1 +: 3, :]
  Shape shape;       // without dropped dimensions
  Positions at;
  std::string later;  // the text with starts known at run time: v1[z + 2, z + 1 +: 3, :]
};

Part part_of(const View& view, Draws& draws) {
  std::vector<std::int64_t> start, size;
  std::vector<std::string> items, later;
  Part part;
  // Mostly contiguous elements: single indices, one range, whole dimensions.
  const auto range =
      static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(view.shape.size()) + 1));
  for (std::size_t d = 0; d < view.shape.size(); ++d) {
    const std::int64_t extent = view.shape[d];
    const bool is_odd = draws.below(8) == 0;
    if (d > range && !is_odd) {
      start.push_back(0), size.push_back(extent), items.push_back(":"), later.push_back(":");
      part.shape.push_back(extent);
      continue;
    }
    start.push_back(draws.below(extent));
    size.push_back(d < range && !is_odd ? 1 : 1 + draws.below(extent - start.back()));
    const bool is_index = size.back() == 1 && draws.below(3) != 0;
    const std::string rest = is_index ? "" : fmt::format(" +: {}", size.back());
    items.push_back(fmt::format("{}{}", start.back(), rest));
    later.push_back(fmt::format("z + {}{}", start.back(), rest));
    if (!is_index) part.shape.push_back(size.back());
  }
  const std::int64_t count =
      std::accumulate(size.begin(), size.end(), std::int64_t{1}, std::multiplies<>());
  for (std::int64_t i = 0; i < count; ++i) {
    std::int64_t rest = i, offset = 0, stride = 1;
    for (std::size_t d = view.shape.size(); d-- > 0;) {
      offset += (start[d] + rest % size[d]) * stride;
      rest /= size[d];
      stride *= view.shape[d];
    }
    part.at.push_back(view.at[static_cast<std::size_t>(offset)]);
  }
  part.text = fmt::format("{}[{}]", view.name, fmt::join(items, ", "));
  part.later = fmt::format("{}[{}]", view.name, fmt::join(later, ", "));
  return part;
}

std::string dims(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ", ")); }

// A memory and views of it, including views of slices of views.
struct Scene {
  Scene(Draws& draws, std::string_view dtype, const std::string& memory) {
    constexpr std::int64_t totals[] = {12, 24, 30, 36, 64};
    const std::int64_t total = totals[draws.below(5)];
    Positions all(static_cast<std::size_t>(total));
    std::iota(all.begin(), all.end(), 0);
    views.push_back({memory, draws.shape(total), all});
    while (views.size() < 5) {
      const View& of =
          views[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(views.size())))];
      Part shown{of.name, of.shape, of.at, {}};
      if (draws.below(3) == 0) shown = part_of(of, draws);
      const std::string name = fmt::format("v{}", views.size());
      const Shape shape = draws.shape(static_cast<std::int64_t>(shown.at.size()));
      text += fmt::format("  {} = view({}) as {}{}\n", name, shown.text, dtype, dims(shape));
      views.push_back({name, shape, shown.at});
    }
  }
  const View& any(Draws& draws) const {
    return views[static_cast<std::size_t>(draws.below(static_cast<std::int64_t>(views.size())))];
  }
  std::vector<View> views;
  std::string text;
};

std::string kernel(const Scene& scene, const std::string& body) {
  const std::string shape = dims(scene.views[0].shape);
  return fmt::format(
      "kernel k()\n  in a: i32{0} hbm\n  in zero: i32[1] smem\n  out o: i32{0} hbm\n"
      "  vmem x: i32{0}\n{{\n  z = zero[0]\n  copy a -> x\n{1}{2}  copy x -> o\n}}\n",
      shape, scene.text, body);
}

// Applies a statement to the elements, with plain loops.
void apply(const Part& to, const Part& from, int kind, std::int64_t number,
           std::vector<double>& x) {
  std::vector<double> values;
  for (const std::int64_t at : from.at) values.push_back(x[static_cast<std::size_t>(at)]);
  for (std::size_t i = 0; i < to.at.size(); ++i) {
    double& element = x[static_cast<std::size_t>(to.at[i])];
    const auto plain = static_cast<double>(number);
    if (kind == 0) element = plain;
    if (kind == 1) element += plain;
    if (kind >= 2) element = values[i];
  }
}

bool overlap(const Positions& a, const Positions& b) {
  const std::set<std::int64_t> all(a.begin(), a.end());
  return std::any_of(b.begin(), b.end(), [&](std::int64_t at) { return all.contains(at); });
}

TEST(Views, RandomProgramsAgreeWithPlainArrays) {
  int taken = 0, refused = 0;
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    Draws draws(seed);
    const Scene scene(draws, "i32", "x");
    const bool is_dynamic = seed % 2 == 1;
    std::string body;
    std::vector<std::array<Part, 2>> parts;
    std::vector<std::pair<int, std::int64_t>> how;
    for (int tries = 0; tries < 12; ++tries) {
      const Part to = part_of(scene.any(draws), draws);
      Part from = to;
      int kind = static_cast<int>(draws.below(4));
      for (int more = 0; more < 6 && kind >= 2; ++more) {
        from = part_of(scene.any(draws), draws);
        const bool fits = from.at.size() == to.at.size() && !overlap(from.at, to.at);
        if (fits && (kind == 2 || from.shape == to.shape)) break;
        if (more == 5) kind = 0;
      }
      const std::int64_t number = 100 + tries;
      const auto line_of = [&](const std::string& target, const std::string& source) {
        return kind == 0   ? fmt::format("  {} = {}\n", target, number)
               : kind == 1 ? fmt::format("  {} += {}\n", target, number)
               : kind == 2 ? fmt::format("  copy {} -> {} reshaped\n", source, target)
                           : fmt::format("  {} = {}\n", target, source);
      };
      // With constant starts, the accessed rectangle is known.
      const std::string line = line_of(to.text, from.text);
      const auto program = test::program(kernel(scene, body + line));
      ASSERT_TRUE(program) << test::messages(program.diags()) << kernel(scene, body + line);
      const auto expanded = expand(*program);
      if (!expanded) {
        const std::string why = test::messages(expanded.diags());
        EXPECT_TRUE(why.find("expected a slice of") != std::string::npos ||
                    why.find("no rectangle") != std::string::npos ||
                    why.find("is expected to") != std::string::npos)
            << why;
        ++refused;
        continue;
      }
      const std::string chosen = is_dynamic ? line_of(to.later, from.later) : line;
      const auto final = test::program(kernel(scene, body + chosen));
      ASSERT_TRUE(final) << test::messages(final.diags());
      if (!expand(*final)) {  // whole dimensions must be known
        ++refused;
        continue;
      }
      ++taken;
      body += chosen;
      parts.push_back({to, from});
      how.emplace_back(kind, number);
    }
    const auto expanded = expand(*test::program(kernel(scene, body)));
    ASSERT_TRUE(expanded);
    for (const CopyGranularity granularity : {CopyGranularity::whole, CopyGranularity::partial}) {
      Operands operands(*expanded, 1);
      std::vector<double> x = operands.values(0, "a");
      for (std::size_t i = 0; i < how.size(); ++i)
        apply(parts[i][0], parts[i][1], how[i].first, how[i].second, x);
      const RunResult result =
          testing::run_ok(*expanded, operands, {.copies = {.granularity = granularity}});
      EXPECT_TRUE(result.findings.empty()) << testing::text(result.findings[0]) << "\n"
                                           << kernel(scene, body);
      EXPECT_EQ(operands.values(0, "o"), x) << "seed " << seed << "\n" << kernel(scene, body);
    }
    // The printed expanded program is the same program.
    const auto again = test::program(print(*expanded));
    ASSERT_TRUE(again) << test::messages(again.diags()) << print(*expanded);
  }
  EXPECT_GT(taken, 2 * refused);
}

// A copy to one view during a store to another view is a race if they share an element.
TEST(Views, RacesAreThoseOfTheMemory) {
  int races = 0, runs = 0;
  for (std::uint64_t seed = 1000; seed < 1120; ++seed) {
    Draws draws(seed);
    const Scene scene(draws, "i32", "x");
    const Part to = part_of(scene.any(draws), draws), stored = part_of(scene.any(draws), draws);
    const std::string text = fmt::format(
        "kernel k()\n  in a: i32[{3}] hbm\n  out o: i32{0} hbm\n  vmem x: i32{0}\n  sem s: "
        "bytes\n{{\n  view(x) as i32[{4}] = 0\n{1}  start a -> {2}, s reshaped\n  {5} = 1\n"
        "  wait s for a\n  copy x -> o\n}}\n",
        dims(scene.views[0].shape), scene.text, to.text, to.at.size(), scene.views[0].at.size(),
        stored.text);
    const auto program = test::program(text);
    ASSERT_TRUE(program) << test::messages(program.diags()) << text;
    const auto expanded = expand(*program);
    if (!expanded) continue;
    Operands operands(*expanded, 1);
    const auto certificate = certify(*expanded, operands.bindings(), {});
    ASSERT_TRUE(certificate);
    const bool is_race = overlap(to.at, stored.at);
    EXPECT_EQ(certificate->verdict, is_race ? SchedulesVerdict::refuted : SchedulesVerdict::proved)
        << text;
    ++runs;
    races += is_race ? 1 : 0;
  }
  EXPECT_GT(races, 10);
  EXPECT_GT(runs - races, 10);
}

// A part of one box and its counterpart in another box with the same number of elements.
TEST(Views, CounterpartsHoldTheSameElementsInOrder) {
  for (std::uint64_t seed = 0; seed < 300; ++seed) {
    Draws draws(seed);
    const auto box_of = [](const Shape& shape) {
      Box box;
      box.rank = static_cast<std::int8_t>(shape.size());
      for (std::size_t d = 0; d < shape.size(); ++d) box.start[d] = 3, box.size[d] = shape[d];
      return box;
    };
    const Box from = box_of(draws.shape(60)), to = box_of(draws.shape(60));
    Box part = from;
    for (int d = 0; d < from.rank; ++d) {
      const std::int64_t skip = draws.below(from.size[Box::at(d)]);
      part.start[Box::at(d)] += skip;
      part.size[Box::at(d)] = 1 + draws.below(from.size[Box::at(d)] - skip);
    }
    std::int64_t next = 0;
    for (const auto& [here, there] : counterparts(part, from, to)) {
      ASSERT_EQ(here.elements(), there.elements());
      for (std::int64_t i = 0; i < here.elements(); ++i, ++next) {
        EXPECT_EQ(index_in(here, i), index_in(part, next));
        EXPECT_EQ(position_in(from, index_in(here, i)), position_in(to, index_in(there, i)));
      }
    }
    EXPECT_EQ(next, part.elements());
  }
}

}  // namespace
}  // namespace tessera
