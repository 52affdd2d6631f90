// Tile statements as loops over elements, for the general kernel: tiles lie in global memory of the
// block's own, windows are the operands themselves.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "devices/cuda/lower/scalar_code.h"

namespace tessera::cuda {

class GeneralTiles {
 public:
  // Places of the program's scratch tiles; bytes() is what a block needs.
  GeneralTiles(const Program& program, ScalarCode& code, KernelNames& names);

  std::int64_t bytes() const { return bytes_; }
  void know(ValueId ref, const Window& window) { windows_[ref] = &window; }
  // The statement's loop and the barrier after it.
  std::string statement(const Op& op, int indent);
  const std::string& problem() const { return problem_; }
  // The operand that is written last; the error word speaks of its rows.
  const Buffer* result() const { return result_; }

 private:
  using Indices = std::vector<std::string>;  // of an element, one for each kept dimension
  struct Element {
    std::string text;    // an lvalue
    std::string inside;  // when it is there; empty: always
    DType dtype = DType::f32;
    const Buffer* buffer = nullptr;
  };

  std::string fail(std::string reason);
  std::string sum(const std::vector<std::string>& terms) const;
  std::string loop(const Slice& target, const std::string& body, int indent);
  Element element(const Slice& slice, const Indices& at);
  Element scratch(const Buffer& buffer, const Slice& slice, const Indices& at);
  Element window(const Window& window, const Slice& slice, const Indices& at);
  std::string load(const Slice& slice, const Indices& at, bool whole_numbers);
  std::string read(const Slice& slice, const Slice& target, bool whole_numbers);
  std::string store(const Slice& target, const std::string& value);
  std::string outside(const Slice& target, int indent);
  std::string matmul(const Matmul& op, int indent);
  std::string reduce(const Slice& target, const Slice& source, bool rows, bool is_max, int indent);
  std::string scaled(const Scaled& op, const Slice& target);
  std::string elementwise(const Op& op, const Slice& target, int indent);

  const Program& program_;
  ScalarCode& code_;
  KernelNames& names_;
  std::map<const Buffer*, std::int64_t> places_;
  std::map<ValueId, const Window*> windows_;
  std::int64_t bytes_ = 0;
  std::string problem_;
  const Buffer* result_ = nullptr;
};

}  // namespace tessera::cuda
