#include "analysis/equality/trace_difference.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/report/try.h"
#include "interp/observe/last_write.h"

namespace tessera::fields {
namespace {

// Max work of a run. A trace needs many runs, so larger programs only report the last stores.
constexpr std::int64_t max_work = 100'000;

std::vector<std::int64_t> index_of(const Shape& shape, std::int64_t element) {
  std::vector<std::int64_t> index(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    index[d] = element % shape[d];
    element /= shape[d];
  }
  return index;
}

std::string element_text(const Buffer& buffer, std::int64_t element, int device, int devices) {
  return fmt::format("{}[{}]{}", buffer.name, fmt::join(index_of(buffer.shape, element), ", "),
                     devices > 1 ? fmt::format(" of dev{}", device) : "");
}

class Tracer {
 public:
  Tracer(const Side& a, const Side& b, const DifferingElement& at, const Draw& draw,
         bool has_exponents)
      : a_(a), b_(b), at_(at), draw_(draw), has_exponents_(has_exponents) {}

  Expected<std::vector<std::string>> terms() {
    std::vector<std::string> told;
    const Both plain = TRY(values({}));
    difference_ = draw_.p.sub(plain.a, plain.b);
    if (steps_ > max_work) return told;
    for (const Buffer& buffer : a_.program().buffers) {
      if (buffer.role != Role::in || is_integer(buffer.dtype)) continue;
      for (int device = 0; device < a_.run.options.machine.devices; ++device)
        if (auto term = TRY(term_of(buffer, device, plain))) told.push_back(*std::move(term));
    }
    return told;
  }

 private:
  struct Both {
    Residue a = 0, b = 0;
  };

  Expected<Residue> value(const Side& side, BufferId result, int device, std::int64_t element,
                          const std::optional<Change>& change) {
    const std::vector<Draw> draws(1, draw_);
    const Ran ran = TRY(run_over(side, draws, has_exponents_, change));
    steps_ += ran.result.stats.steps + ran.result.stats.matmul_flops / 1000;
    return ran.values.front()->result(result, device).p[static_cast<std::size_t>(element)];
  }

  Expected<Both> values(const std::optional<Change>& change) {
    return Both{TRY(value(a_, at_.a, at_.device, at_.element, change)),
                TRY(value(b_, at_.b, at_.device_b, at_.element_b, change))};
  }

  // True if the difference depends on these elements.
  Expected<bool> depends(const Buffer& buffer, int device, std::int64_t begin, std::int64_t end) {
    const Both changed =
        TRY(values(Change{.operand = buffer.name, .device = device, .begin = begin, .end = end}));
    return draw_.p.sub(changed.a, changed.b) != difference_;
  }

  Expected<std::optional<std::string>> term_of(const Buffer& buffer, int device,
                                               const Both& plain) {
    const std::int64_t all = elements(buffer.shape);
    if (!TRY(depends(buffer, device, 0, all))) return std::optional<std::string>();
    // Search for the first and the last element on which it depends.
    std::int64_t low = 0, high = all;  // it depends on [0, high), and not on [0, low)
    while (high - low > 1) {
      const std::int64_t middle = low + (high - low) / 2;
      (TRY(depends(buffer, device, 0, middle)) ? high : low) = middle;
    }
    const std::int64_t first = low;
    std::int64_t last = first, beyond = all;  // it depends on [last, all), and not on [beyond, all)
    while (beyond - last > 1) {
      const std::int64_t middle = last + (beyond - last) / 2;
      (TRY(depends(buffer, device, middle, all)) ? last : beyond) = middle;
    }
    const Both more = TRY(values(Change{.operand = buffer.name,
                                        .device = device,
                                        .begin = first,
                                        .end = first + 1,
                                        .adds_one = true}));
    const Residue in_a = draw_.p.sub(more.a, plain.a), in_b = draw_.p.sub(more.b, plain.b);
    const int devices = a_.run.options.machine.devices;
    std::string text = element_text(buffer, first, device, devices);
    if (last != first)
      text = fmt::format("{} (the first of those up to {})", text,
                         element_text(buffer, last, device, devices));
    return std::optional(fmt::format("{}: {}", text, what_differs(in_a, in_b)));
  }

  std::string what_differs(Residue in_a, Residue in_b) const {
    if (in_b == 0) return "A uses it, B does not";
    if (in_a == 0) return "B uses it, A does not";
    const Residue times = draw_.p.mul(in_b, draw_.p.inverse(in_a));
    if (times > 1 && times <= 64) return fmt::format("B uses it {} times as often as A", times);
    const Residue inverse = draw_.p.inverse(times);
    if (inverse > 1 && inverse <= 64)
      return fmt::format("A uses it {} times as often as B", inverse);
    if (times == draw_.p.prime() - 1) return "A and B use it with opposite signs";
    return "A and B use it with different factors";
  }

  const Side& a_;
  const Side& b_;
  const DifferingElement& at_;
  const Draw& draw_;
  bool has_exponents_;
  Residue difference_ = 0;
  std::int64_t steps_ = 0;
};

// Returns the last store to the element, if one was observed.
Expected<std::optional<FindingPlace>> last_writer(const Side& side, BufferId result, int device,
                                                  std::int64_t element) {
  const Buffer& buffer = side.program().buffers[result];
  const std::vector<std::int64_t> where = index_of(buffer.shape, element);
  Index index{};
  std::copy(where.begin(), where.end(), index.begin());
  LastWrite writer(device, buffer.name, index);
  TRY(observe(side.run, writer));
  if (!writer.found()) return std::optional<FindingPlace>();
  return std::optional(writer.found()->at);
}

}  // namespace

Expected<Difference> trace_difference(const Side& a, const Side& b, const DifferingElement& at,
                                      const Draw& draw, bool has_exponents) {
  const Buffer& result = a.program().buffers[at.a];
  Difference difference{
      .result = result.name, .device = at.device, .index = index_of(result.shape, at.element)};
  difference.wrote_a = TRY(last_writer(a, at.a, at.device, at.element));
  difference.wrote_b = TRY(last_writer(b, at.b, at.device_b, at.element_b));
  difference.terms = TRY(Tracer(a, b, at, draw, has_exponents).terms());
  return difference;
}

}  // namespace tessera::fields
