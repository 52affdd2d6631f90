// From the syntax tree to the program: names are resolved, functions inlined, compile-time
// conditions decided. Declarations and parameters are in instantiate.cpp; expressions, tile
// arithmetic, calls and statements in elaborate_*.cpp.
#pragma once
#include <deque>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/lang/ast.h"
#include "core/lang/language.h"
#include "core/lang/words.h"
#include "core/program/builder.h"
#include "core/program/refs.h"

namespace tessera {

struct Environment;

// What a name or an expression stands for.
struct Entity {
  enum class Kind : std::uint8_t {
    nothing,
    scalar,
    real,
    view,
    sem,
    range,
    record,
    closure,
    type,
    text
  };
  Kind kind = Kind::nothing;  // nothing: an error was reported where it arose
  ValueId value = no_value;   // scalar, real; lower of a range
  ValueId upper = no_value;   // range
  Slice slice;                // view (memory, or one number of it), sem
  DType type = DType::f32;
  std::string text;
  const Node* definition = nullptr;    // closure
  Environment* environment = nullptr;  // of a closure; the members of a record
};

// Names of one block; a closure keeps the one that it was defined in.
struct Environment {
  std::map<std::string, Entity, std::less<>> names;
  Environment* parent = nullptr;
  const Environment* fallback =
      nullptr;  // asked when the names around have none: a function's other results
  const Entity* find(std::string_view name) const;
};

class Elaborator {
 public:
  Elaborator(const Module& module, const std::vector<const Module*>& library, std::string name,
             const InstantiateOptions& launch);
  // Diagnostics when the kernel or its settings are wrong. one_call: what a single launch is, for
  // several.
  Expected<Program> kernel(const Node& kernel, const Settings& settings, const Program* one_call);

 private:
  // instantiate.cpp
  void bind_types(const Node& types, Settings& left);
  void bind_parameters(const Node& parameters, Settings& left);
  bool bind_real(const Node& parameter, Settings& left);
  void begin_calls(const Node& kernel, const Program& one_call);
  void end_calls();
  Entity count_of(const Node& name);
  void declare(const Node& declaration, bool scoped_to_function);
  void declare_all(const Node& declarations, bool scoped_to_function);
  void declare_buffer(const Node& node, bool scoped_to_function);
  void declare_semaphore(const Node& node, bool scoped_to_function);
  std::optional<DType> dtype(const Node& node);
  std::optional<Shape> shape(const Node& type, std::size_t first);

  // elaborate_expression.cpp
  Entity evaluate(const Node& node);
  Entity evaluate_here(const Node& node);
  Entity evaluate_name(const Node& node);
  Entity evaluate_binary(const Node& node, const Slice* to);
  Entity scalar_binary(const Node& node, const Entity& left, const Entity& right);
  // elaborate_real.cpp: arithmetic on numbers that are known now, in f64; nothing for all else.
  std::optional<double> known_number(const Entity& entity) const;
  Entity real_entity(double number);
  Entity number(double result, const Node& node);
  std::optional<Entity> real_binary(const Node& node, const Entity& left, const Entity& right);
  std::optional<Entity> real_function(const Node& call, const std::vector<Entity>& arguments);
  Entity evaluate_unary(const Node& node);
  Entity evaluate_conditional(const Node& node);
  Entity evaluate_index(const Node& node);
  Entity evaluate_member(const Node& node);
  Entity index(const Entity& base, const Node& node, std::size_t first_item);
  bool add_item(const Node& item, ValueId extent, Slice& slice, int dim);
  ValueId scalar(const Node& node);  // no_value after an error
  ValueId scalar(const Entity& entity, const Node& at);
  std::optional<std::int64_t> constant(const Node& node, std::string_view what);
  Entity range(const Node& node);  // a count n is 0 .. n
  bool is_one_number(const Entity& entity) const;
  Entity load(const Slice& element);
  std::string describe(const Entity& entity) const;
  Entity name_result(Entity entity, const std::string& name);

  // elaborate_tile.cpp: `to` is where the result goes, or null for a temporary
  Entity tile(const Node& node, const Slice* to);
  Entity tile_elementwise(std::size_t op, std::vector<Slice> operands, const Node& at,
                          const Slice* to);
  Entity tile_binary(const Node& node, const Entity& left, const Entity& right, const Slice* to);
  struct Factor;
  std::optional<Factor> factor(const Node& node);
  Entity tile_matmul(const Node& node);
  Entity cast(const Node& call, const Slice* to);
  void multiply_add(const Slice& acc, const Node& product);
  bool store(const Slice& target, const Node& value, const Node& at);
  bool is_tile(const Entity& entity) const;
  std::optional<Slice> operand(const Entity& entity, const Node& at);
  Slice temporary(DType dtype, const Shape& bound, const std::vector<ValueId>& size);

  // elaborate_call.cpp
  Entity call(const Node& node, const Slice* to = nullptr);
  Entity call_function(const Node& function, const Node& call);
  Entity call_closure(const Entity& closure, const Node& call, std::size_t first_argument);
  Entity call_op(const Op& prototype, const Node& call);
  bool bind_argument(const Node& parameter, const Node& argument, Environment* into);
  Slice whole_ref(const Slice& slice);  // as a ref of its own, if it is not one already
  const Node* find_function(std::string_view name) const;
  Entity unknown_function(const Node& call);
  struct Calls;
  void follow_calls(const Node& node, Calls& calls) const;
  void check_calls(const Node& kernel);

  // elaborate_words.cpp: nullopt for what is no word of the language
  std::optional<Entity> call_builtin(const Node& call, const Slice* to);
  std::optional<Entity> array_word(const Node& call);
  Entity concat(const Node& call);
  Entity new_array(const std::string& name, std::int64_t length);
  Entity barrier(const Node& call);

  // elaborate_tile_words.cpp
  std::optional<Entity> tile_word(const Node& call, const Slice* to);
  Entity elementwise(std::size_t tile_op, const Node& call, const Slice* to);
  Entity scaled(const Node& call, const Slice* to);
  Entity indices(const Node& call, const Slice* to);
  Entity reshape(const Node& call, const Slice* to);

  // elaborate_statement.cpp
  void block(const Node& block);
  void statement(const Node& node);
  void require(const Node& node);
  void add_values(const Node& condition, std::vector<std::string>& values) const;
  void define(const Node& node);
  Entity define_array(const Node& definition);
  void assign(const Node& node);
  void branch(const Node& node);
  void returns(const Node& node);
  void free_scoped(std::size_t from);

  // elaborate_loop.cpp
  // Of a loop or a grid: lower to upper; with a step (else no_value), begin + index * step.
  struct Steps {
    ValueId lower, upper, begin, step;
  };
  std::optional<Steps> loop_steps(const Node& variable, bool is_grid);
  static std::string index_name(const Node& variable, const Steps& steps);
  Entity loop_variable(const Node& variable, ValueId index, const Steps& steps);
  void loop(const Node& node);
  void pipeline(const Node& node);
  void grid(const Node& variable);
  void window(const Node& node);

  // elaborate_memory.cpp
  void start(const Node& node);
  void copy(const Node& node);
  void wait(const Node& node);
  void signal(const Node& node);
  void operate(const Node& node);
  ValueId bytes(const Slice& slice);
  std::optional<Slice> semaphore(const Node& node);
  std::optional<Slice> memory(const Node& node);
  Entity place(const Node& node);  // as evaluate, but one number of scalar memory stays a place

  void at(const Node& node);
  Entity fail(const Node& node, std::string message, ErrorCode code = ErrorCode::invalid_value);
  void bind(const std::string& name, Entity entity, const Node& node);
  Entity scalar_entity(ValueId value) const {
    return {.kind = Entity::Kind::scalar, .value = value};
  }
  Environment* environment(Environment* parent) {
    return &environments_.emplace_back(Environment{{}, parent, nullptr});
  }

  // Opens a block for names, and what it allocated is freed where it ends.
  class Block;

  std::vector<const Module*> modules_;  // whose functions are called: the first that has the name
  const InstantiateOptions launch_;
  Builder builder_;
  Diags diags_;
  std::deque<Environment> environments_;
  Environment* scope_ = environment(nullptr);
  std::int32_t caller_ = -1;  // the place of the call being inlined
  int depth_ = 0;             // of nested calls
  std::int64_t calls_ = 0;
  int levels_ = 0;                // of nested expressions, through calls
  std::string_view constant_;     // what is evaluated must be known now: what it is for
  std::vector<ValueId> of_call_;  // semaphores that each of several launches begins with
  std::vector<ValueId> scoped_;   // allocated and not yet freed, innermost last
  struct LoopIndex {
    ValueId index, lower, upper;
  };
  std::map<ValueId, LoopIndex> grid_;  // by the variable of a loop or a grid
  std::map<std::int64_t, ValueId> barriers_;
  ValueId copied_ = no_value;  // the semaphore of `copy`
  Entity result_;              // of the function being inlined
};

}  // namespace tessera
