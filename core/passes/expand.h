// Rewrites pipelines into loops, slots, copies and waits, and views into what they name.
// expand.cpp walks the program; expand_pipeline.cpp writes one pipeline; expand_window.cpp one
// window.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "core/lang/language.h"
#include "core/program/builder.h"
#include "core/program/refs.h"

namespace tessera {

// Old value -> new value of the program being written.
using ValueMap = std::map<ValueId, ValueId>;

// What stands for a window or a view in the new program: a rectangle of a buffer, one dimension for
// each of its own.
struct Replacement {
  Slice slice;           // kept dimensions correspond to the ref's dimensions, in order
  bool checked = false;  // a view: accesses are held to its own extents
};

class Expander {
 public:
  Expander(const Program& program, const Expansion& how);
  Expected<Program> run();

 private:
  friend class PipelineWriter;

  // The statements [from, to), with regions inside written by their own rules.
  void write(std::int32_t from, std::int32_t to, ValueMap& map);
  bool opens_loop(std::int32_t at) const;
  std::int32_t write_one(std::int32_t at, ValueMap& map);  // returns the next statement

  ValueId mapped(ValueId old, const ValueMap& map);
  Slice mapped(const Slice& old, const ValueMap& map);
  Op mapped(const Op& old, const ValueMap& map);
  // start + inner start, dimension by dimension; what a view cannot hold is out of bounds.
  Slice compose(const Replacement& outer, const Slice& inner);

  const Program& old_;
  const Expansion how_;
  Builder builder_;
  std::map<ValueId, Replacement> replaced_;  // by old ref
  Diags diags_;
};

}  // namespace tessera
