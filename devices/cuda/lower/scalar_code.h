// Code for scalars of a program: computations of the generated functions on tile and step indices.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "devices/cuda/lower/kernel_names.h"

namespace tessera::cuda {

// Returns a float literal. Infinity is an expression, as CUDA has no literal for it.
std::string float_text(float number);

class ScalarCode {
 public:
  // The arguments must outlive this object.
  ScalarCode(const Program& program, KernelNames& names) : program_(program), names_(names) {}

  // Writes `value` as `text` from now on; it is not computed again.
  void know(ValueId value, std::string text) { known_[value] = std::move(text); }
  // Returns a value as an expression. The value must be a constant, known or computed.
  std::string text(ValueId value);
  // Returns declarations, in program order, of `wanted` and the values they need, except known
  // values. The declared values are known afterwards. Sets problem() for a value that cannot be
  // computed, and does not declare it. indent: number of spaces before each line.
  std::string compute(const std::vector<ValueId>& wanted, int indent);
  // Returns the declaration of one scalar statement. Sets problem() if its op has no CUDA form.
  std::string declaration(const Stmt& stmt, int indent);

  // One element of scalar memory as an lvalue, and the address of a slice's first element. Set
  // problem() for other memory.
  std::string element(const Slice& slice);
  std::string address(const Slice& slice);

  // True if the code reads memory, by a load or a search.
  bool reads_memory() const { return reads_memory_; }

  // Construct that could not be written; empty if none.
  const std::string& problem() const { return problem_; }
  // Buffer that a slice reads, through views; null if there is none.
  const Buffer* buffer_of(const Slice& slice) const;

 private:
  std::string expression(const Op& op);
  std::string divisor(ValueId value);
  void needs(ValueId value, std::set<StmtId>& statements) const;
  bool depends_on_memory(const Op& op) const;

  const Program& program_;
  KernelNames& names_;
  std::map<ValueId, std::string> known_;
  std::string problem_;
  bool reads_memory_ = false;
};

// Returns the values that an op reads, including the base and the indices of its slices.
std::vector<ValueId> operands_of(const Op& op);
// Type of an element in memory: "float", "unsigned short", ...
std::string_view storage_type(DType dtype);

}  // namespace tessera::cuda
