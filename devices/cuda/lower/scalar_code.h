// Scalars of a program as text of the device: what the generated functions compute of tile and step
// numbers.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/program/program.h"
#include "devices/cuda/lower/kernel_names.h"

namespace tessera::cuda {

// A literal of the number; CUDA's language has none for infinity.
std::string float_text(float number);

class ScalarCode {
 public:
  ScalarCode(const Program& program, KernelNames& names) : program_(program), names_(names) {}

  // From here on `value` is written as `text`; it is not computed again.
  void know(ValueId value, std::string text) { known_[value] = std::move(text); }
  // A value as an expression; it must be a constant, known or computed.
  std::string text(ValueId value);
  // Declarations of what `wanted` needs and is not known, in program order; they are known then.
  std::string compute(const std::vector<ValueId>& wanted, int indent);
  // The declaration of one scalar statement.
  std::string declaration(const Stmt& stmt, int indent);

  // One element of scalar memory as an lvalue, and the address of a slice's first element.
  std::string element(const Slice& slice);
  std::string address(const Slice& slice);

  // Something written reads memory, by a load or a search.
  bool reads_memory() const { return reads_memory_; }

  // Why something could not be written; empty if all could.
  const std::string& problem() const { return problem_; }
  // The buffer that a slice reads, through views.
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

// The values that an op reads, those of its slices included.
std::vector<ValueId> operands_of(const Op& op);
// "float", "unsigned short", ...: how an element lies in memory.
std::string_view storage_type(DType dtype);

}  // namespace tessera::cuda
