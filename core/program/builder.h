// Builds a Program statement by statement. Constants are pooled, and scalar arithmetic on constants
// is folded.
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

// Usage: declare buffers and semaphores, emit ops, finish(). verify() of core/lang/language.h
// judges the result; the builder itself refuses nothing.
class Builder {
 public:
  // An empty program of that name.
  explicit Builder(std::string name) { program_.name = std::move(name); }
  // Goes on building a program; statements are appended to its body.
  explicit Builder(Program program);

  // What is built so far.
  Program& program() { return program_; }
  const Program& program() const { return program_; }
  // The program, with Stmt::partner and Value::statement set. Regions that were opened must be
  // closed.
  Program finish();

  // The place of the statements and declarations that follow: a new one, or one of Program::places.
  void at(Loc loc, PlaceId caller = {});
  void at_place(PlaceId place) { place_ = place; }
  PlaceId place() const { return place_; }
  // The loop around the statements that follow, if there is one. enter_loop adds one inside it,
  // which leave_loop leaves.
  void at_loop(LoopId loop) { loop_ = loop; }
  LoopId loop() const { return loop_; }
  void enter_loop(std::string name, ValueId index);
  void leave_loop();

  // A constant. The same integer is one value.
  ValueId integer(std::int64_t value);
  ValueId real(double value);
  // Declares a buffer or a semaphore and returns its value. A name that is taken gets a number: the
  // second `a` is `a_2`.
  ValueId buffer(Buffer buffer);
  ValueId semaphore(Semaphore semaphore);
  // Another name for a buffer, with a number if it is taken.
  void rename(ValueId buffer, const std::string& name);
  // A literal text; equal texts are one.
  TextId text(std::string_view text);

  // Appends the op; returns its result (no_value if it has none). Folds scalar ops whose operands
  // are constant.
  ValueId emit(Op op, std::string_view name = {});

  // emit() of that op on scalars.
  ValueId add(ValueId a, ValueId b) { return emit(Add{a, b}); }
  ValueId sub(ValueId a, ValueId b) { return emit(Sub{a, b}); }
  ValueId mul(ValueId a, ValueId b) { return emit(Mul{a, b}); }
  ValueId min(ValueId a, ValueId b) { return emit(Min{a, b}); }
  ValueId max(ValueId a, ValueId b) { return emit(Max{a, b}); }
  ValueId select(ValueId c, ValueId a, ValueId b) { return emit(Select{c, a, b}); }

  // The whole of a buffer, window or view, or a semaphore that is not an array.
  Slice whole(ValueId ref);
  // One element of a buffer or semaphore array; every dimension dropped.
  Slice element(ValueId ref, std::span<const ValueId> index);
  // A scalar or real as an operand of a tile op.
  static Slice number(ValueId value) { return Slice{.base = value}; }

 private:
  // What is in the program by value and by name, so that nothing is looked for among all of it. Of
  // a program that is gone on with it is made when it is first asked.
  struct Index {
    std::unordered_map<std::int64_t, ValueId> integers;
    std::unordered_map<std::string, TextId> texts;
    std::unordered_set<std::string> names;             // of buffers and semaphores
    std::unordered_map<std::string, int> next_number;  // of a name that is taken
  };
  Index& index();
  std::string free_name(const std::string& wanted);

  Program program_;
  std::optional<Index> index_;
  PlaceId place_;
  LoopId loop_;
};

}  // namespace tessera
