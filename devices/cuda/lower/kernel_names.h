// Names of shared values in the functions of one generated kernel, and a record of the names used.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/program/program.h"

namespace tessera::cuda {

// Numbers and operands of the launch are fields of the kernel's parameter `p`. Numbers that differ
// between problems are named by index, so that another m or another number of groups does not
// change the text. A copy has its own record: names used in a draft are not in the kernel.
class KernelNames {
 public:
  // program: must outlive this object. tile_sizes: numbers that divisor() writes as literals.
  explicit KernelNames(const Program& program, std::set<std::int64_t> tile_sizes = {})
      : program_(&program), tile_sizes_(std::move(tile_sizes)) {}

  // A literal for 0 and 1, else a new field at each call: "p.c[3]".
  std::string number(std::int64_t value);
  // Like number(), for divisors. Tile sizes are literals, which makes the division cheap.
  std::string divisor(std::int64_t value);
  // Pointer to the first element of an operand or result: "p.in_3". Adds it to operands().
  std::string operand(const Buffer& buffer);
  // Code for the index of a scratch array's first element in the i64 scalar arrays of a CTA:
  // "p.s_3".
  std::string array(const Buffer& buffer) const;
  // Name of a program value: "v7". Numbered in the order of first use.
  std::string value(ValueId value);

  // Values of p.c, by index.
  const std::vector<std::int64_t>& numbers() const { return numbers_; }
  // The operands used: their elements are read or written individually.
  const std::set<BufferId>& operands() const { return operands_; }

 private:
  const Program* program_;
  std::set<std::int64_t> tile_sizes_;
  std::vector<std::int64_t> numbers_;
  std::set<BufferId> operands_;
  std::map<ValueId, int> values_;
};

// Name of the field: "in_3" for an operand or result, "s_3" for a scratch array.
std::string field_name(const Program& program, const Buffer& buffer);

}  // namespace tessera::cuda
