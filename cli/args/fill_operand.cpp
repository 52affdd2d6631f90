#include "cli/args/fill_operand.h"

#include "cli/reports/progress.h"
#include "core/report/check.h"

namespace tessera::cli {
namespace {

constexpr std::int64_t small_elements = std::int64_t{1} << 22;  // a fraction of a second's work

thread_local UnfilledOperands* current = nullptr;

}  // namespace

UnfilledOperands::UnfilledOperands() {
  CHECK(current == nullptr);
  current = this;
}

UnfilledOperands::~UnfilledOperands() { current = nullptr; }

bool may_go_unread(const Arguments& arguments) {
  return arguments.has("no-math") || arguments.invocation().command == "verify";
}

void fill_operand(Tensor& tensor, Fill kind, FillRole role, std::int64_t terms,
                  std::uint64_t seed) {
  if (current != nullptr) {
    current->elements_ += tensor.elements();
    current->any_ = current->any_ || current->elements_ > small_elements;
    if (current->any_) return;
  }
  Progress::phase("filling operands");
  fill(tensor, kind, role, terms, seed);
}

Tensor filled_operand(DType dtype, const Shape& shape, Fill kind, FillRole role, std::int64_t terms,
                      std::uint64_t seed, bool lazily) {
  if (lazily)
    return Tensor::deferred(dtype, shape, [=] {
      Tensor tensor = Tensor::uninitialised(dtype, shape);
      fill(tensor, kind, role, terms, seed);
      return tensor;
    });
  Tensor tensor = Tensor::uninitialised(dtype, shape);
  fill_operand(tensor, kind, role, terms, seed);
  return tensor;
}

}  // namespace tessera::cli
