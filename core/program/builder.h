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

  // The program built so far. Must not be used after finish().
  Program& program() { return program_; }
  const Program& program() const { return program_; }
  // Returns the program, with Stmt::partner and Value::statement set. All regions must be closed
  // (CHECK). Must be the last call, since it moves the program out of the builder.
  Program finish();

  // Set and return the place of the statements that follow, and of the declarations without one.
  // at() adds a new place; caller: the call from which it was inlined. at_place() uses an entry of
  // Program::places.
  void at(Loc loc, PlaceId caller = {});
  void at_place(PlaceId place) { place_ = place; }
  PlaceId place() const { return place_; }
  // Set and return the source loop around the statements that follow, without an op for it; none:
  // no loop. enter_loop() adds a loop inside the current one and makes it current; index: scalar
  // value of its index. leave_loop() makes the enclosing loop current again; requires a current
  // loop.
  void at_loop(LoopId loop) { loop_ = loop; }
  LoopId loop() const { return loop_; }
  void enter_loop(std::string name, ValueId index);
  void leave_loop();

  // Return a constant scalar or real. Equal integers share one value.
  ValueId integer(std::int64_t value);
  ValueId real(double value);
  // Declare a buffer or a semaphore and return its value, which is also stored in the declaration.
  // If the name is in use, a number is appended: the second `a` is `a_2`.
  ValueId buffer(Buffer buffer);
  ValueId semaphore(Semaphore semaphore);
  // Renames the buffer of that ref value, which must be a buffer and not a view or window; appends
  // a number if the name is in use, also by this buffer.
  void rename(ValueId buffer, const std::string& name);
  // Returns a literal text. Equal texts share one entry.
  TextId text(std::string_view text);

  // Appends the op and returns its result (no_value if it has none); name: name of the result in
  // the source. Folds scalar ops, see fold(): then appends nothing and returns a constant or an
  // operand.
  ValueId emit(Op op, std::string_view name = {});

  // Emit the op on scalars and return its result.
  ValueId add(ValueId a, ValueId b) { return emit(Add{a, b}); }
  ValueId sub(ValueId a, ValueId b) { return emit(Sub{a, b}); }
  ValueId mul(ValueId a, ValueId b) { return emit(Mul{a, b}); }
  ValueId min(ValueId a, ValueId b) { return emit(Min{a, b}); }
  ValueId max(ValueId a, ValueId b) { return emit(Max{a, b}); }
  ValueId select(ValueId c, ValueId a, ValueId b) { return emit(Select{c, a, b}); }

  // Returns a slice of a whole buffer, window, view or semaphore array, or a single semaphore.
  // `ref` must be one of these. May add constants.
  Slice whole(ValueId ref);
  // Returns a slice of one element of a buffer or semaphore array, with every dimension dropped.
  // index: one scalar for each dimension (unchecked).
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
