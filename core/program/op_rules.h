// Verifier rules of single ops beyond the kinds of their fields, by op class.
#pragma once
#include <initializer_list>
#include <string_view>

#include "core/program/program.h"
#include "core/program/tile_rules.h"
#include "core/program/verify_report.h"

namespace tessera {

class OpRules {
 public:
  // Both arguments must outlive this object.
  OpRules(const Program& program, VerifyReport& report)
      : program_(program), report_(report), tiles_(program, report) {}

  // Adds an error, at the report's current statement, for each rule that the op violates. The
  // values of its fields must be valid and defined (checked by Verifier, which also has the rules
  // of grids, windows and `proceed`).
  void check(const Op& op);

 private:
  // Each function adds an error for each rule that the op or the slice violates. field: name of the
  // slice's field, for messages.
  void cells(const Op& op);
  void load(const Load& op);
  void store(const Store& op);
  void copies(const Op& op);
  void copy(const Slice& src, const Slice& dst, bool remote, bool reshaped = false);
  void adds_to(const Slice& dst);                        // destination of a copy that adds
  void bytes(const Slice& sem, std::string_view field);  // one semaphore declared `bytes`
  void sync(const Op& op);
  void signal(const Signal& op);
  void wait(const Wait& op);
  void await(const Await& op);
  void lifetime(const Op& op);
  void debug(const Op& op);
  void scoped(const Slice& ref);  // a buffer or semaphore declared `scoped`
  void memories(const Op& op);    // all slices of the op are memory
  void view_as(const ViewAs& op);
  // One semaphore of one of these kinds. why: end of the message for another kind.
  void semaphore(const Slice& slice, std::string_view field, std::initializer_list<SemKind> kinds,
                 std::string_view why);
  bool memory(const Slice& slice, std::string_view field);  // false after an error
  // A slice of smem. one: without remaining dimensions.
  void scalar_memory(const Slice& slice, std::string_view field, bool one);
  void array(const Slice& slice, std::string_view field);  // one-dimensional, integers in smem
  // Semaphore of a slice. The base must be a sem value.
  const Semaphore& sem(const Slice& slice) const {
    return program_.semaphores[program_.value(slice.base).semaphore];
  }

  const Program& program_;
  VerifyReport& report_;
  TileRules tiles_;
};

}  // namespace tessera
