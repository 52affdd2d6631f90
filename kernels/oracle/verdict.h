// Verdict on a result: each element is compared with the reference by an a-priori error bound,
// which follows only from the types and the number of terms.
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

// Result of a check.
struct Verdict {
  bool ok = true;            // no element is wrong
  double max_abs_error = 0;  // largest |result - reference|
  // Error of the worst element as a fraction of its bound; at most 1 if ok. The largest double if
  // an element that must be exact is not, or is NaN or infinite without a reason.
  double max_error_over_bound = 0;
  std::int64_t checked_rows = 0;    // compared rows of the result
  std::int64_t wrong_elements = 0;  // elements beyond their bound
  // Elements that count as right although an intermediate sum overflowed: f32 sums that are
  // infinite or NaN and whose terms together exceed f32, and i32 sums that wrapped.
  std::int64_t overflowed_elements = 0;
  std::vector<std::int64_t> worst;  // index of the worst element in the result
  double got = 0, expected = 0;     // its value in the result and in the reference
  int device = -1;                  // with several devices: device of the worst element
  // Index on this device, if the results of devices were concatenated.
  std::vector<std::int64_t> on_device;
  std::string message;  // one sentence; empty if nothing was checked
};

// Returns a clause for messages, "; 2 elements overflow i32, whose sums wrap"; empty for 0
// elements. sums: type of the partial sums.
std::string overflow_text(std::int64_t elements, DType sums);

// Returns the verdict for an invalid call: not ok, with the message "this cannot be checked: "
// and the first error of `call`, which must not be empty.
Verdict unjudged(const Diags& call);
// Returns a verdict that is not ok if `out` has another shape than `shape` or no data; none
// otherwise.
std::optional<Verdict> misshapen(const Tensor& out, const Shape& shape);

// Comparison of a result with the blocks of a reference.
class Judge {
 public:
  // `result` must outlive this object and have at least one dimension.
  Judge(const Tensor& result, const Arithmetic& arithmetic);

  // Compares the elements of a block, which must have magnitudes unless arithmetic.exact. Throws
  // Interrupted (core/report/stop.h) if a stop is requested.
  void see(const ReferenceBlock& block) { see(block, 0, columns_); }
  // Variant for a result with several matrices. first, columns: flat index of the first element in
  // the result, and number of columns, of the block's matrix.
  void see(const ReferenceBlock& block, std::int64_t first, std::int64_t columns);
  // Verdict on all blocks so far.
  Verdict verdict() const;

 private:
  struct Element {
    std::int64_t index;  // flat index in the result
    double got, expected;
    double magnitude;  // sum of the magnitudes of its terms; 0 if not computed
  };
  // Possible values of partial sums, for some order of the terms. either: inf or NaN.
  enum class OnTheWay : std::uint8_t { finite, inf, either };
  // Returns the values that partial sums of the element can have. bound: error bound of its sum.
  OnTheWay on_the_way(const Element& element, double bound) const;
  // True if an overflow of a partial sum explains the result; then counts the element.
  bool overflows(const Element& element, OnTheWay on_the_way);
  // Compare the element and note() an error: with the only right value, and with a bound of its
  // sum, to which the rounding to the result's type is added.
  void compare_exactly(Element element, OnTheWay on_the_way);
  void compare(Element element, double bound, OnTheWay on_the_way);
  // Adds an error to the verdict. share: fraction of the bound; above 1 the element is wrong.
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
