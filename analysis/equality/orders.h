// Orders of the values that max and min compare, in each of which other operands win. Over the
// reals an order is a region of the operands. In this region every maximum is one of its operands.
#pragma once
#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "analysis/equality/residues.h"

namespace tessera::fields {

// The values that max and min compare at one draw, in one or two programs. Values that are compared
// with each other, also by way of other values, are the operands of one maximum or one minimum.
class Comparisons {
 public:
  // constants: values of literals, which may be operands of many maxima. Must outlive this object.
  explicit Comparisons(const std::unordered_set<Residue>& constants) : constants_(constants) {}

  // Adds a comparison of two finite operands by a max (is_max) or a min. Only counts it if
  // is_truncated().
  void note(bool is_max, Residue a, Residue b);
  std::int64_t count() const { return count_; }  // number of comparisons
  // True if there were too many values to note: the results below are then not complete.
  bool is_truncated() const { return maxima_.parents.size() + minima_.parents.size() > max_values; }
  // Returns the compared values of both kinds together, without constants; sorted.
  std::vector<Residue> values() const;
  // True if all operands were compared by a max (is_max) or by a min.
  bool has_all(bool is_max, std::span<const Residue> operands) const;
  // Number of different constants that were compared.
  std::size_t constants() const { return met_.size(); }

  // The operands of one maximum or minimum, without constants; sorted.
  struct Group {
    bool is_of_max = false;
    std::vector<Residue> operands;
    bool has_constant = false;  // a constant is an operand as well

    std::size_t size() const { return operands.size() + (has_constant ? 1 : 0); }
  };
  // Returns the groups of at least two operands. A constant counts as one.
  std::vector<Group> groups(bool is_max) const;

 private:
  static constexpr std::size_t max_values = std::size_t{1} << 21;
  struct Kind {
    std::unordered_map<Residue, Residue> parents;  // a forest: a value that is its parent is a root
    std::unordered_set<Residue> beside_constant;
  };
  static Residue root_of(Kind& kind, Residue value);

  const std::unordered_set<Residue>& constants_;
  Kind maxima_, minima_;
  std::unordered_set<Residue> met_;
  std::int64_t count_ = 0;
};

// Returns the order in which no constant hides which other values are operands of one maximum
// (is_max), or of one minimum: constants are below all, or above all.
Levels levels_without_constants(bool is_max, const std::unordered_set<Residue>& constants);
// Returns the number of orders with which each operand of each group wins at least once: the size
// of the largest group; 0 without groups.
std::size_t orders_of(std::span<const Comparisons::Group> groups);
// Adds one of these orders to `levels`: one operand of each group wins, or its constant. The groups
// go through their operands independently of each other; operands of other groups keep their
// levels. order: less than orders_of(groups). levels: initially levels_without_constants().
void set_winners(std::span<const Comparisons::Group> groups, std::size_t order, Levels& levels);

}  // namespace tessera::fields
