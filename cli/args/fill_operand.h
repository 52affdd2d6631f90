// Operands that are made for a run. Large ones are filled when it is known that the launch will not
// be refused: what a profile must refuse, it refuses at once.
#pragma once
#include <cstdint>

#include "cli/args/options.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

// fill() of an operand, with a line of progress.
void fill_operand(Tensor& tensor, Fill kind, FillRole role, std::int64_t terms, std::uint64_t seed);

// Whether a command may come to its end without reading what it fills: a run without arithmetic,
// and `verify`, which leaves out what control does not depend on.
bool may_go_unread(const Arguments& arguments);

// A new one; lazily: it is made, and filled, once somebody reads it.
Tensor filled_operand(DType dtype, const Shape& shape, Fill kind, FillRole role, std::int64_t terms,
                      std::uint64_t seed, bool lazily);

// While it lives large operands stay as they are; small ones are filled before one could ask.
class UnfilledOperands {
 public:
  UnfilledOperands();
  ~UnfilledOperands();
  UnfilledOperands(const UnfilledOperands&) = delete;
  UnfilledOperands& operator=(const UnfilledOperands&) = delete;
  bool any() const { return any_; }

 private:
  friend void fill_operand(Tensor&, Fill, FillRole, std::int64_t, std::uint64_t);
  std::int64_t elements_ = 0;
  bool any_ = false;
};

// What `prepare` gives, an Expected; its operands are filled unless the launch is refused, as a run
// with launch_options() shows. One that is refused takes such options for good.
template <typename Prepare, typename IsRefused>
auto filled_for_launch(const Prepare& prepare, const IsRefused& is_refused) {
  {
    const UnfilledOperands unfilled;
    auto call = prepare();
    if (!call || !unfilled.any() || is_refused(*call)) return call;
  }
  return prepare();
}

}  // namespace tessera::cli
