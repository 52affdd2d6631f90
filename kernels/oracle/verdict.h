// Whether a result is right: each element is compared with the reference by an a-priori error
// bound, which follows from the types and the number of terms alone.
#pragma once  // public
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/data/tensor.h"
#include "core/report/expected.h"
#include "kernels/oracle/error_bound.h"
#include "kernels/oracle/reference.h"
#include "kernels/oracle/rounding.h"

namespace tessera {

// What a check found.
struct Verdict {
  bool ok = true;            // no element is wrong
  double max_abs_error = 0;  // the largest |result - reference|
  // The worst element's error as a share of its bound; at most 1 when ok. The largest double when
  // an element that must be met exactly is not, or is NaN or infinite without need.
  double max_error_over_bound = 0;
  std::int64_t checked_rows = 0;    // rows of the result that were compared
  std::int64_t wrong_elements = 0;  // elements beyond their bound
  // Elements that count as right although an intermediate sum overflowed: f32 sums whose terms
  // together exceed f32 and that came out infinite or NaN, i32 sums that wrapped.
  std::int64_t overflowed_elements = 0;
  std::vector<std::int64_t> worst;  // index of the worst element in the result
  double got = 0, expected = 0;     // its value and the reference's
  int device = -1;                  // of several: the one that holds the worst element
  // Its index there, where the results of devices were concatenated.
  std::vector<std::int64_t> on_device;
  std::string message;  // one sentence; empty when nothing was checked
};

// A clause for messages, "; 2 elements overflow i32, whose sums wrap"; empty for 0 elements.
// `sums`: type of the partial sums.
std::string overflow_text(std::int64_t elements, DType sums);

// The verdict on the result of a call that is not valid: not ok, with the call's errors as message.
Verdict unjudged(const Diags& call);
// The verdict on a result of another shape than `shape`: not ok; none where it has the shape.
std::optional<Verdict> misshapen(const Tensor& out, const Shape& shape);

// Compares a result with the blocks of a reference.
class Judge {
 public:
  // `result` must outlive the judge.
  Judge(const Tensor& result, const Arithmetic& arithmetic);

  // Compares the elements of a block; it has magnitudes unless arithmetic.exact.
  void see(const ReferenceBlock& block) { see(block, 0, columns_); }
  // The same of a result that holds several matrices: a block of the one that begins at element
  // `first` and has so many columns.
  void see(const ReferenceBlock& block, std::int64_t first, std::int64_t columns);
  // The verdict on all blocks so far.
  Verdict verdict() const;

 private:
  struct Element {
    std::int64_t index;  // in the result, flat
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
  std::int64_t checked_elements_ = 0;
  std::int64_t worst_ = -1;  // flat index
  Verdict verdict_;
  std::vector<double> got_;
};

}  // namespace tessera
