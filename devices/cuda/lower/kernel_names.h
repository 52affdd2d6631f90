// The names by which the functions of one generated kernel speak of what they share, and a record
// of what was named.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/program/program.h"

namespace tessera::cuda {

// Numbers and operands of the launch are fields of the kernel's parameter `p`. Numbers that differ
// between problems of one kernel are named by place, so that another m or another count of groups
// needs no other text. A copy records apart: what a draft names is not in the kernel.
class KernelNames {
 public:
  // `tile_sizes`: what divisor() writes as literals.
  explicit KernelNames(const Program& program, std::set<std::int64_t> tile_sizes = {})
      : program_(&program), tile_sizes_(std::move(tile_sizes)) {}

  // A literal for 0 and 1, else a place of its own: "p.c[3]".
  std::string number(std::int64_t value);
  // The same for what is divided by: the tile's sizes are literals, for the sake of the division.
  std::string divisor(std::int64_t value);
  // "p.in_3": the pointer to an operand's first element.
  std::string operand(const Buffer& buffer);
  // "p.s_3": where a scratch array begins among the scalar arrays of a CTA.
  std::string array(const Buffer& buffer) const;
  // "v7": a value of the program, numbered in the order in which the text names them.
  std::string value(ValueId value);

  // What p.c holds, by place.
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  // The operands that were named: whose elements are read or written one by one.
  const std::set<BufferId>& operands() const { return operands_; }

 private:
  const Program* program_;
  std::set<std::int64_t> tile_sizes_;
  std::vector<std::int64_t> numbers_;
  std::set<BufferId> operands_;
  std::map<ValueId, int> values_;
};

// The field's name alone: "in_3" of an operand, "s_3" of a scratch array.
std::string field_name(const Program& program, const Buffer& buffer);

}  // namespace tessera::cuda
