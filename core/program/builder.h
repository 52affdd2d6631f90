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

class Builder {
 public:
  explicit Builder(std::string name) { program_.name = std::move(name); }
  // Goes on building a program; statements are appended to its body.
  explicit Builder(Program program);

  Program& program() { return program_; }
  const Program& program() const { return program_; }
  // Closes nothing: regions must be balanced. Sets partners and the statement of every value.
  Program finish();

  // The place that the statements and declarations from here on belong to.
  void at(Loc loc, std::int32_t caller = -1);
  void at_place(std::int32_t place) { place_ = place; }
  std::int32_t place() const { return place_; }
  // The loop of the source that the statements from here on stand in (into Program::loops), and one
  // more inside it.
  void at_loop(std::int32_t loop) { loop_ = loop; }
  std::int32_t loop() const { return loop_; }
  void enter_loop(std::string name, ValueId index);
  void leave_loop();

  ValueId integer(std::int64_t value);
  ValueId real(double value);
  ValueId buffer(Buffer buffer);  // returns its ref value; a name that is taken gets a number
  ValueId semaphore(Semaphore semaphore);
  void rename(ValueId buffer, const std::string& name);
  TextId text(std::string_view text);

  // Appends the op; returns its result (no_value if it has none). Folds scalar ops whose operands
  // are constant.
  ValueId emit(Op op, std::string_view name = {});

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
  std::int32_t place_ = -1;
  std::int32_t loop_ = -1;
};

}  // namespace tessera
