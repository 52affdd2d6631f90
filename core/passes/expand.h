// Rewrites pipelines into loops, slots, copies and waits, and views into what they name.
// Expander walks the program; PipelineWriter writes one pipeline, WindowWriter one of its windows.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "core/lang/language.h"
#include "core/passes/view_places.h"
#include "core/program/builder.h"
#include "core/program/refs.h"

namespace tessera {

// Old value -> new value of the program being written.
using ValueMap = std::map<ValueId, ValueId>;

// What stands for a window or a view in the new program: a rectangle of a buffer, one dimension for
// each of its own.
struct Replacement {
  Slice slice;              // kept dimensions correspond to the ref's dimensions, in order
  bool checked = false;     // a view: accesses are held to its own extents
  bool is_of_view = false;  // the base of the slice is an old ref that is shown under another shape
};

// A view with another shape or type, and what it shows; the base of the slice is an old ref.
struct ShownAs {
  Slice source;
  ViewType memory, view;
};

class Expander {
 public:
  // at_once: pipelines that can move their blocks at once do (core/passes/at_once.h).
  Expander(const Program& program, const Expansion& how, bool at_once = false);
  Expected<Program> run();

  // For those that write pipelines:
  const Program& old() const { return old_; }
  Builder& builder() { return builder_; }
  Diags& diags() { return diags_; }
  bool is_per_point() const { return how_.per_point; }
  bool is_at_once() const { return at_once_; }
  // Of a program whose pipelines move blocks at once: what their copies count on, and an array of
  // numbers that all of them have, one pipeline after the other.
  ValueId at_once_semaphore() const { return at_once_semaphore_; }
  ValueId at_once_state() const { return at_once_state_; }

  // The statements [from, to), with regions inside written by their own rules.
  void write(StmtId from, StmtId to, ValueMap& map);
  StmtId write_one(StmtId at, ValueMap& map);  // returns the next statement

  ValueId mapped(ValueId old, const ValueMap& map);
  // Of memory that is its own, a window's or a view's of the same shape and type.
  Slice mapped(const Slice& old, const ValueMap& map);
  // start + inner start, dimension by dimension; what a view cannot hold is out of bounds.
  Slice compose(const Replacement& outer, const Slice& inner);
  // What stands for an old ref from here on, and what does now or null.
  void replace(ValueId ref, Replacement by) { replaced_[ref] = std::move(by); }
  const Replacement* replacement(ValueId ref) const;

 private:
  bool opens_loop(StmtId at) const;
  Op mapped(const Op& old, const ValueMap& map);
  Slice with_scalars(const Slice& old, const ValueMap& map);
  // Where a slice lies whose scalars are new and whose base is an old ref.
  ViewPlace place(const Slice& slice, const ValueMap& map);
  ViewPlace place(const ShownAs& shown, const Slice& slice, const ValueMap& map);
  void hold_inside(const Slice& slice, const std::vector<ValueId>& extents);
  bool is_shown_as(ValueId ref) const;
  Slice operand(const Op& op, const FieldInfo& f, const ViewPlace& place);
  void finish_copy(Op& op, const Op& old, const ValueMap& map);
  void refuse(std::string what);
  void declare_at_once();

  const Program& old_;
  const Expansion how_;
  const bool at_once_;
  ValueId at_once_semaphore_ = no_value, at_once_state_ = no_value;
  Builder builder_;
  std::map<ValueId, Replacement> replaced_;  // by old ref
  std::map<ValueId, ShownAs> shown_;         // by old ref
  ViewTiles tiles_;
  bool only_looks_ = false;  // the op at hand does, and shows what it cannot reach as such
  Diags diags_;
};

}  // namespace tessera
