// Builds a Program statement by statement. Pools constants and folds scalar arithmetic on
// constants.
#pragma once  // public
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>

#include "core/program/program.h"

namespace tessera {

// Usage: declare buffers and semaphores, emit ops, finish(). The builder does not check the
// program: call verify() of core/lang/language.h.
class Builder {
 public:
  // Starts an empty program of that name.
  explicit Builder(std::string name) { program_.name = std::move(name); }
  // Continues a program; statements are appended to its body.
  explicit Builder(Program program);

  // The program built so far.
  Program& program() { return program_; }
  const Program& program() const { return program_; }
  // Returns the program, with Stmt::partner and Value::statement set. All regions must be closed.
  Program finish();

  // Place of the statements and declarations that follow: a new place, or an entry of
  // Program::places.
  void at(Loc loc, PlaceId caller = {});
  void at_place(PlaceId place) { place_ = place; }
  PlaceId place() const { return place_; }
  // Loop around the statements that follow; none: no loop. enter_loop opens a loop inside it,
  // leave_loop closes that loop.
  void at_loop(LoopId loop) { loop_ = loop; }
  LoopId loop() const { return loop_; }
  void enter_loop(std::string name, ValueId index);
  void leave_loop();

  // Returns a constant. Equal integers share one value.
  ValueId integer(std::int64_t value);
  ValueId real(double value);
  // Declares a buffer or a semaphore and returns its value. If the name is in use, a number is
  // appended: the second `a` is `a_2`.
  ValueId buffer(Buffer buffer);
  ValueId semaphore(Semaphore semaphore);
  // Renames a buffer; appends a number if the name is in use.
  void rename(ValueId buffer, const std::string& name);
  // Returns a literal text. Equal texts share one entry.
  TextId text(std::string_view text);

  // Appends the op and returns its result (no_value if it has none). Folds scalar ops with constant
  // operands.
  ValueId emit(Op op, std::string_view name = {});

  // Emits the op on scalars.
  ValueId add(ValueId a, ValueId b) { return emit(Add{a, b}); }
  ValueId sub(ValueId a, ValueId b) { return emit(Sub{a, b}); }
  ValueId mul(ValueId a, ValueId b) { return emit(Mul{a, b}); }
  ValueId min(ValueId a, ValueId b) { return emit(Min{a, b}); }
  ValueId max(ValueId a, ValueId b) { return emit(Max{a, b}); }
  ValueId select(ValueId c, ValueId a, ValueId b) { return emit(Select{c, a, b}); }

  // Returns a slice of a whole buffer, window, view or semaphore array, or a single semaphore.
  Slice whole(ValueId ref);
  // Returns a slice of one element of a buffer or semaphore array, with every dimension dropped.
  Slice element(ValueId ref, std::span<const ValueId> index);
  // Returns a scalar or real as an operand of a tile op.
  static Slice number(ValueId value) { return Slice{.base = value}; }

 private:
  // Lookup of the program's entries by value and by name. Built on first use, from the existing
  // program if there is one.
  struct Index {
    std::unordered_map<std::int64_t, ValueId> integers;
    std::unordered_map<std::string, TextId> texts;
    std::unordered_set<std::string> names;             // names of buffers and semaphores
    std::unordered_map<std::string, int> next_number;  // next suffix for each name in use
  };
  Index& index();
  std::string free_name(const std::string& wanted);

  Program program_;
  std::optional<Index> index_;
  PlaceId place_;
  LoopId loop_;
};

}  // namespace tessera
