// Code for elements of tiles and windows in the general kernel. Tiles are private global memory of
// the CTA; windows access the operands directly.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

class GeneralElements {
 public:
  using Indices = std::vector<std::string>;  // indices of an element, one per kept dimension

  // Lays out the program's scratch tiles; bytes() is the size per CTA. The arguments must outlive
  // this object.
  GeneralElements(const Program& program, ScalarCode& code, KernelNames& names);

  std::int64_t bytes() const { return bytes_; }
  // Adds a window, which must outlive this object. Slices of `ref` then access its operand.
  void know(ValueId ref, const Window& window) { windows_[ref] = &window; }
  // The window of `ref`; null if `ref` is not a window.
  const Window* window_of(ValueId ref) const;

  // Returns the code for an element's value, 0 outside the operand: an i64 if `whole`, which
  // requires an integer type, else a float. "0" after a problem.
  std::string load(const Slice& slice, const Indices& at, bool whole);
  // Returns a statement that stores `value`, an i64 or a float, rounded to the element's type, at
  // the indices e0, e1, ... of the target's kept dimensions. The code around the statement declares
  // these. Elements outside the operand are not stored. Empty after a problem.
  std::string store(const Slice& target, const std::string& value);

  // Records the first construct without a CUDA form. Returns "0" as a placeholder expression.
  std::string fail(std::string reason);
  const std::string& problem() const { return problem_; }

 private:
  struct Element {
    std::string text;    // lvalue
    std::string inside;  // condition for the element to exist; empty: always
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

// Returns the sum of the terms as text: "(a + b)", without terms that are "0"; "0" if none is left.
std::string sum_text(const std::vector<std::string>& terms);

}  // namespace tessera::cuda
