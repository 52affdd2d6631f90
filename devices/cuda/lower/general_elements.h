// Elements of tiles and windows as text of the general kernel: tiles lie in global memory of the
// CTA's own, windows are the operands themselves.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

class GeneralElements {
 public:
  using Indices = std::vector<std::string>;  // of an element, one for each kept dimension

  // Places of the program's scratch tiles; bytes() is what a CTA needs.
  GeneralElements(const Program& program, ScalarCode& code, KernelNames& names);

  std::int64_t bytes() const { return bytes_; }
  void know(ValueId ref, const Window& window) { windows_[ref] = &window; }
  // The window that `ref` names; null where it names something else.
  const Window* window_of(ValueId ref) const;

  // An element's value, 0 outside of the operand: an i64 if `whole`, which needs an integer type,
  // else a float.
  std::string load(const Slice& slice, const Indices& at, bool whole);
  // The statement that stores `value`, an i64 or a float, rounded to the element's type if the
  // element is inside of the operand.
  std::string store(const Slice& target, const std::string& value);

  // Remembers the first reason why something has no CUDA form. "0", an expression to go on with.
  std::string fail(std::string reason);
  const std::string& problem() const { return problem_; }

 private:
  struct Element {
    std::string text;    // an lvalue
    std::string inside;  // when it is there; empty: always
    DType dtype = DType::f32;
  };

  Element element(const Slice& slice, const Indices& at);
  Element scratch(const Buffer& buffer, const Slice& slice, const Indices& at);
  Element window(const Window& window, const Slice& slice, const Indices& at);

  const Program& program_;
  ScalarCode& code_;
  KernelNames& names_;
  std::map<const Buffer*, std::int64_t> places_;
  std::map<ValueId, const Window*> windows_;
  std::int64_t bytes_ = 0;
  std::string problem_;
};

// "(a + b)", without those that are "0".
std::string sum_text(const std::vector<std::string>& terms);

}  // namespace tessera::cuda
