// Verifier rules of tile ops beyond the kinds of their fields.
#pragma once
#include <string_view>

#include "core/program/program.h"
#include "core/program/reshape.h"
#include "core/program/verify_report.h"

namespace tessera {

class TileRules {
 public:
  TileRules(const Program& program, VerifyReport& report) : program_(program), report_(report) {}

  // Checks an op of the class tile.
  void check(const Op& op);
  // Checks that the slices are tiles, and that the first one may be written.
  void operands(const Op& op);

 private:
  void operand(const Slice& slice, std::string_view field, bool is_target);
  void elementwise(const Op& op, bool are_tiles);
  void reshaped(const Op& op, const Slice& target, const Slice& source);
  void integers(const Op& op);
  void broadcasts(const Op& op);
  void matmul(const Matmul& op);
  bool are_matrices(const Matmul& op);
  void accumulates(const Matmul& op);
  void scaled(const Scaled& op);
  void in_order(const Op& op);
  void iota(const TileIota& op);
  void opaque(const Slice& slice, std::string_view field, bool is_target);

  const Program& program_;
  VerifyReport& report_;
};

}  // namespace tessera
