// Whether a result is right: every element against the reference by a bound that is proved before
// the run.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/oracle/reference.h"
#include "kernels/oracle/rounding.h"

namespace tessera {

struct Verdict {
  bool ok = true;
  double max_abs_error = 0;
  // The worst element's error as a share of its bound; at most 1 when ok. The largest double when
  // an element that must be met exactly is not, or is NaN or infinite without need.
  double max_error_over_bound = 0;
  std::int64_t checked_rows = 0;
  std::int64_t wrong_elements = 0;
  // Right, but what the type could not hold on the way: f32 sums whose terms together exceed it and
  // that came out infinite or NaN, i32 sums that wrapped.
  std::int64_t overflowed_elements = 0;
  std::vector<std::int64_t> worst;  // index of that element in the result
  double got = 0, expected = 0;     // there
  int device = -1;                  // of several: the one that holds that element
  std::vector<std::int64_t> on_device;  // its index there, where the devices' results were joined
  std::string message;              // one sentence; empty when nothing was checked
};

// What arithmetic the bound grants. Sums may run in any order.
struct Arithmetic {
  DType accumulator = DType::f32;
  bool integers = false;        // the operands are integers: sums of tiles are exact, then added
  bool products_round = false;  // not when both operands' significands fit into the accumulator's
  bool flushes = false;  // operands or products may be subnormal in f32, and units may flush them
  bool exact = false;    // sums are whole numbers that the accumulator holds: no error at all
  // Sums that are in a narrower type on the way, or are added by units of few digits: relative and
  // absolute errors of that.
  double wire = 0, wire_steps = 0;
  double overflow = 0x1.FFFFFFp127;  // from here on a sum on its way rounds to inf: of f32

  // Of operands of these types whose sums are stored as `out`; `whole` when both hold small whole
  // numbers (an integer fill).
  enum class Values : std::uint8_t { any, whole };
  static Arithmetic of(DType lhs, DType rhs, DType out, Values values);
};

// "; 2 elements overflow i32, whose sums wrap"; empty of none.
std::string overflow_text(std::int64_t elements, DType accumulator);

// Of a call that is none: not ok, and why.
Verdict unjudged(const Diags& call);
// The same of a result that has not the shape of its call; none where it has.
std::optional<Verdict> misshapen(const Tensor& out, const Shape& shape);

// Sees the blocks of a reference and compares the result's elements there.
class Judge {
 public:
  Judge(const Tensor& result, const Arithmetic& arithmetic);

  void see(const ReferenceBlock& block);
  Verdict verdict() const;

 private:
  struct Element {
    std::int64_t row, column;
    double got, expected;
    double magnitude;  // of its terms together; 0 where that was not asked for
  };
  // What sums of the terms in some order can come to on the way, beside the sum itself.
  enum class OnTheWay : std::uint8_t { finite, inf, either };
  OnTheWay on_the_way(const Element& element, double bound) const;
  bool overflows(const Element& element, OnTheWay on_the_way);
  void compare_exactly(Element element, OnTheWay on_the_way);
  void compare(Element element, double bound, OnTheWay on_the_way);
  void note(const Element& element, double error, double share);

  const Tensor* result_;
  Arithmetic arithmetic_;
  Rounding rounding_;
  std::int64_t columns_;
  std::int64_t worst_ = -1;  // flat index
  Verdict verdict_;
  std::vector<double> got_;
};

}  // namespace tessera
