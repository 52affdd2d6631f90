// Scalars of a program as text of the device: what the generated functions compute of tile and step
// numbers.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/program/program.h"

namespace tessera::cuda {

// Numbers that differ between problems of the same kernel: the text refers to them by place, so
// that another m or another count of groups needs no other text.
struct RuntimeNumbers {
  std::vector<std::int64_t> values;
  // A literal for 0 and 1, else a place of its own: "p.c[3]".
  std::string text(std::int64_t value);
  // The same for what is divided by: the tile's sizes are literals too, for the sake of the
  // division.
  std::string divisor(std::int64_t value);
  std::set<std::int64_t> tile_sizes;
  // "v7": values by the order in which the text names them.
  std::string name(ValueId value);

 private:
  std::map<ValueId, int> names_;
};

// A literal of the number; CUDA's language has none for infinity.
std::string float_text(float number);

class ScalarCode {
 public:
  ScalarCode(const Program& program, RuntimeNumbers& numbers)
      : program_(program), numbers_(numbers) {}

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

  // Why something could not be written; empty if all could.
  const std::string& problem() const { return problem_; }
  // The buffer that a slice reads, through views.
  const Buffer* buffer_of(const Slice& slice) const;

 private:
  std::string expression(const Op& op);
  std::string divisor(ValueId value);
  void needs(ValueId value, std::set<std::int32_t>& statements) const;
  bool depends_on_memory(const Op& op) const;

  const Program& program_;
  RuntimeNumbers& numbers_;
  std::map<ValueId, std::string> known_;
  std::string problem_;
};

// The values that an op reads, those of its slices included.
std::vector<ValueId> operands_of(const Op& op);
// "in_3": the pointer to an operand; "s_3": where a scratch array begins among the block's arrays.
std::string pointer_name(const Program& program, const Buffer& buffer);
// "float", "unsigned short", ...: how an element lies in memory.
std::string_view storage_type(DType dtype);

}  // namespace tessera::cuda
