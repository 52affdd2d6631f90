// Code for tile statements in the general kernel: loops over elements.
#pragma once
#include <string>
#include <vector>

#include "core/program/program.h"
#include "devices/cuda/lower/element_code.h"
#include "devices/cuda/lower/general_elements.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

class GeneralTiles {
 public:
  // The arguments must outlive this object.
  GeneralTiles(const Program& program, ScalarCode& code, KernelNames& names)
      : program_(program), code_(code), names_(names), elements_(program, code, names) {}

  GeneralElements& elements() { return elements_; }
  // Returns the code of an op that writes a tile or window: a loop over the elements, with the
  // barrier after it. Incomplete if there is a problem().
  std::string statement(const Op& op, int indent);
  const std::string& problem() const { return elements_.problem(); }
  // The operand written last, whose rows the error word reports; null if none was written.
  const Buffer* result() const { return result_; }

 private:
  using Indices = GeneralElements::Indices;

  std::string loop(const Slice& target, const std::string& body, int indent);
  std::string read(const Slice& slice, const Slice& target, bool whole);
  std::string outside(const Slice& target, int indent);
  std::string matmul(const Matmul& op, int indent);
  std::string reduce(const Op& op, std::int64_t dim, int indent);
  std::string permuted(const Op& op, const Slice& target);
  std::string scaled(const Scaled& op, const Slice& target);
  ElementType type_of(const Slice& slice) const;
  std::string value(const Op& op, const Slice& target);

  const Program& program_;
  ScalarCode& code_;
  KernelNames& names_;
  GeneralElements elements_;
  const Buffer* result_ = nullptr;
};

}  // namespace tessera::cuda
