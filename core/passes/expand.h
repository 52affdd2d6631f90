// Rewrites pipelines into loops, slots, copies and waits, and views into the memory that they show.
// Expander traverses the program; PipelineWriter writes one pipeline, WindowWriter one of its
// windows.
#pragma once
#include <map>
#include <utility>
#include <vector>

#include "core/lang/language.h"
#include "core/passes/view_places.h"
#include "core/program/builder.h"
#include "core/program/refs.h"

namespace tessera {

// Maps old values to values of the new program.
using ValueMap = std::map<ValueId, ValueId>;

// Replacement of a window or view in the new program: a rectangle of a buffer.
struct Replacement {
  Slice slice;              // kept dimensions correspond to the dimensions of the ref, in order
  bool checked = false;     // views: accesses are checked against its extents
  bool is_of_view = false;  // base is an old ref of a view with another shape or type
};

// A view with another shape or type, and its source; the base of the source is an old ref.
struct ShownAs {
  Slice source;
  ViewType memory, view;  // type of the source, type of the view
};

class Expander {
 public:
  // `program` must outlive this object. at_once: pipelines move their blocks synchronously if they
  // can (core/passes/at_once.h).
  Expander(const Program& program, const Expansion& how, bool at_once = false);
  // Returns the expanded, simplified and verified program. Fails with the errors of diags(), or
  // with those of verify() on the result. Must be called only once.
  Expected<Program> run();

  // Used by the writers of pipelines:
  // old(): program to expand. builder(): new program. diags(): errors; run() fails if there are
  // any.
  const Program& old() const { return old_; }
  Builder& builder() { return builder_; }
  Diags& diags() { return diags_; }
  bool is_per_point() const { return how_.per_point; }
  bool is_at_once() const { return at_once_; }
  // For synchronous moves: return the semaphore on which the copies count, and the array of
  // integers that all pipelines use in turn; no_value if there are none.
  ValueId at_once_semaphore() const { return at_once_semaphore_; }
  ValueId at_once_state() const { return at_once_state_; }

  // Writes the old statements [from, to), including nested regions, and adds their results to
  // `map`.
  void write(StmtId from, StmtId to, ValueMap& map);
  // Writes one old statement (for a pipeline, or an `if` on a constant: its region); returns the
  // next.
  StmtId write_one(StmtId at, ValueMap& map);

  // Returns the new value of an old one. If it is not a constant, it must be in `map` (CHECK).
  ValueId mapped(ValueId old, const ValueMap& map);
  // Returns the new slice for an old slice of a buffer, a window, or a view with unchanged shape
  // and type. May emit scalars and bounds checks.
  Slice mapped(const Slice& old, const ValueMap& map);
  // Returns the slice `inner` of the window or view that `outer` replaces, as a slice of the memory
  // of `outer`: its starts are added. Emits bounds checks if `outer` is a checked view.
  Slice compose(const Replacement& outer, const Slice& inner);
  // replace() sets the replacement of an old ref from here on. replacement() returns the current
  // one, which stays valid until replace(); null if there is none.
  void replace(ValueId ref, Replacement by) { replaced_[ref] = std::move(by); }
  const Replacement* replacement(ValueId ref) const;

 private:
  bool opens_loop(StmtId at) const;
  Op mapped(const Op& old, const ValueMap& map);
  // Returns the slice with its old base and new scalars.
  Slice with_scalars(const Slice& old, const ValueMap& map);
  // Returns the memory of a slice with new scalars and an old ref as base.
  ViewPlace place(const Slice& slice, const ValueMap& map);
  ViewPlace place(const ShownAs& shown, const Slice& slice, const ValueMap& map);
  // Emits a check for each dimension in which the slice may exceed the extents.
  void hold_inside(const Slice& slice, const std::vector<ValueId>& extents);
  // True if an old ref is a view with another shape or type, directly or through other views.
  bool is_shown_as(ValueId ref) const;
  // Returns the slice to use for the field: a tile for tile ops, else the memory, with an error if
  // the op cannot use the memory.
  Slice operand(const Op& op, const FieldInfo& f, const ViewPlace& place);
  // Sets `reshaped` of a copy of views if needed; adds an error if the copy is not possible.
  void finish_copy(Op& op, const Op& old, const ValueMap& map);
  void refuse(std::string what);  // adds an error at the current place
  void declare_at_once();

  const Program& old_;
  const Expansion how_;
  const bool at_once_;
  ValueId at_once_semaphore_ = no_value, at_once_state_ = no_value;
  Builder builder_;
  std::map<ValueId, Replacement> replaced_;  // by old ref
  std::map<ValueId, ShownAs> shown_;         // by old ref
  ViewTiles tiles_;
  bool only_looks_ = false;  // debug op: no checks are emitted, inaccessible elements are shown
  Diags diags_;
};

}  // namespace tessera
