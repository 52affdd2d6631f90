// Verifier rules of tile ops beyond the kinds of their fields.
#pragma once
#include <string_view>

#include "core/program/program.h"
#include "core/program/reshape.h"
#include "core/program/verify_report.h"

namespace tessera {

class TileRules {
 public:
  // Both arguments must outlive this object.
  TileRules(const Program& program, VerifyReport& report) : program_(program), report_(report) {}

  // Adds an error, at the report's current statement, for each rule that an op of the class tile
  // violates. The values of its fields must be valid and defined.
  void check(const Op& op);
  // Adds an error for each slice of the op that is no tile (or number, except for the first), and
  // if the first one belongs to an input.
  void operands(const Op& op);

 private:
  // Each function adds an error for each rule that the op or the slice violates. is_target: the op
  // writes the slice. are_tiles: operands() has found no error.
  void operand(const Slice& slice, std::string_view field, bool is_target);
  void elementwise(const Op& op, bool are_tiles);
  void reshaped(const Op& op, const Slice& target, const Slice& source);
  void integers(const Op& op);
  void broadcasts(const Op& op);
  void matmul(const Matmul& op);
  bool are_matrices(const Matmul& op);  // false after an error
  void accumulates(const Matmul& op);
  void scaled(const Scaled& op);
  void in_order(const Op& op);
  void iota(const TileIota& op);
  void opaque(const Slice& slice, std::string_view field, bool is_target);

  const Program& program_;
  VerifyReport& report_;
};

}  // namespace tessera
