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
  const ast::Definition* definition = nullptr;  // closure
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
  Expected<Program> kernel(const ast::Kernel& kernel, const Settings& settings,
                           const Program* one_call);

 private:
  // instantiate.cpp
  void bind_types(const std::vector<ast::TypeParameter>& types, Settings& left);
  void bind_parameters(const std::vector<ast::Parameter>& parameters, Settings& left);
  bool bind_real(const ast::Parameter& parameter, Settings& left);
  std::optional<std::int64_t> integer_of(const ast::Parameter& parameter, Settings& left);
  void refuse_settings(const ast::Kernel& kernel, const Settings& left);
  void begin_calls(const ast::Kernel& kernel, const Program& one_call);
  void end_calls();
  Entity count_of(const ast::Name& name);
  void declare(const ast::Declaration& declaration, bool scoped_to_function);
  void declare(const ast::BufferDeclaration& node, bool scoped_to_function);
  void declare(const ast::SemaphoreDeclaration& node, bool scoped_to_function);
  void declare(const ast::ConditionalDeclarations& node, bool scoped_to_function);
  void declare_all(const std::vector<ast::Declaration>& declarations, bool scoped_to_function);
  bool storage_order(const ast::StorageOrder& node, Buffer& buffer, bool& ok);
  bool semaphore_kind(const ast::Expression& node, Semaphore& semaphore);
  void allocate(ValueId ref);
  std::optional<DType> dtype(const ast::Expression& node);
  std::optional<DType> accumulator_type(const ast::Call& node);
  std::optional<Space> space(const ast::Name& node);
  std::optional<Shape> shape(const std::vector<ast::Expression>& extents, const Loc& loc);

  // elaborate_expression.cpp
  Entity evaluate(const ast::Expression& node);
  Entity evaluate_here(const ast::Expression& node);
  Entity evaluate_form(const ast::Integer& node);
  Entity evaluate_form(const ast::Real& node);
  Entity evaluate_form(const ast::Text& node);
  Entity evaluate_form(const ast::Name& node);
  Entity evaluate_form(const ast::Call& node);
  Entity evaluate_form(const ast::MemberCall& node);
  Entity evaluate_form(const ast::NamedArgument& node);
  Entity evaluate_form(const ast::Index& node);
  Entity evaluate_form(const ast::Member& node);
  Entity evaluate_form(const ast::Negative& node);
  Entity evaluate_form(const ast::Not& node);
  Entity evaluate_form(const ast::Binary& node);
  Entity evaluate_form(const ast::Conditional& node);
  Entity evaluate_form(const ast::Range& node);
  Entity binary(const ast::Binary& node, const Slice* to);
  Entity scalar_binary(const ast::Binary& node, const Entity& left, const Entity& right);
  Entity index(const Entity& base, const ast::Index& node);
  bool add_item(const ast::Item& item, ValueId extent, Slice& slice, std::size_t dim);
  ValueId scalar(const ast::Expression& node);  // no_value after an error
  ValueId scalar(const Entity& entity, const Loc& loc);
  std::optional<std::int64_t> constant(const ast::Expression& node, std::string_view what);
  Entity range(const ast::Expression& node);  // a count n is 0 .. n
  bool is_one_number(const Entity& entity) const;
  Entity load(const Slice& element);
  std::string describe(const Entity& entity) const;
  Entity name_result(Entity entity, const std::string& name);

  // elaborate_real.cpp: arithmetic on numbers that are known now, in f64; nothing for all else.
  std::optional<double> known_number(const Entity& entity) const;
  Entity real_entity(double number);
  Entity number(double result, std::string_view word, const Loc& loc);
  std::optional<Entity> real_binary(const ast::Binary& node, const Entity& left,
                                    const Entity& right);
  std::optional<Entity> real_function(const ast::Call& call, const std::vector<Entity>& arguments);

  // elaborate_tile.cpp: `to` is where the result goes, or null for a temporary
  Entity tile(const ast::Expression& node, const Slice* to);
  Entity tile_elementwise(std::size_t op, std::vector<Slice> operands, const Loc& loc,
                          const Slice* to);
  Entity tile_binary(const ast::Binary& node, const Entity& left, const Entity& right,
                     const Slice* to);
  struct Factor;
  std::optional<Factor> factor(const ast::Expression& node);
  Entity tile_matmul(const ast::Binary& node);
  Entity cast(const ast::Call& call, const Slice* to);
  void multiply_add(const Slice& acc, const ast::Binary& product);
  bool store(const Slice& target, const ast::Expression& value, const Loc& loc);
  bool store_number(const Slice& target, const ast::Expression& value, const Loc& loc);
  bool redirect(const Slice& source, const Slice& target);
  bool is_tile(const Entity& entity) const;
  std::optional<Slice> operand(const Entity& entity, const Loc& loc);
  Slice temporary(DType dtype, const Shape& bound, const std::vector<ValueId>& size);

  // elaborate_call.cpp
  Entity call(const ast::Call& node, const Slice* to = nullptr);
  Entity call(const ast::MemberCall& node);
  Entity call_function(const ast::Function& function, const ast::Call& call);
  Entity call_body(const ast::Function& function);
  Entity call_closure(const Entity& closure, const std::vector<ast::Expression>& arguments,
                      const Loc& loc);
  Entity call_op(const Op& prototype, const ast::Call& call);
  bool set_field(Op& op, const FieldInfo& f, const ast::Expression& argument);
  bool may_call(const Loc& loc);
  class Inlined;
  std::optional<std::vector<const ast::Expression*>> arguments(const ast::Function& function,
                                                               const ast::Call& node);
  bool bind_argument(const ast::Parameter& parameter, const ast::Expression& argument,
                     Environment* into);
  bool bind_dtype(const ast::Parameter& parameter, DType given, const Loc& argument);
  bool bind_extents(const ast::Parameter& parameter, const Slice& given, const Loc& argument);
  Slice whole_ref(const Slice& slice);  // as a ref of its own, if it is not one already
  const ast::Function* find_function(std::string_view name) const;
  Entity unknown_function(const ast::Call& call);
  struct Calls;
  void check_calls(const ast::Kernel& kernel);

  // elaborate_words.cpp: nullopt for what is no word of the language
  std::optional<Entity> call_builtin(const ast::Call& call, const Slice* to);
  std::optional<Entity> array_word(const ast::Call& call);
  Entity concat(const ast::Call& call);
  Entity new_array(const std::string& name, std::int64_t length);
  Entity barrier(const ast::Call& call);

  // elaborate_tile_words.cpp
  std::optional<Entity> tile_word(const ast::Call& call, const Slice* to);
  Entity elementwise(std::size_t tile_op, const ast::Call& call, const Slice* to);
  Entity scaled(const ast::Call& call, const Slice* to);
  Entity indices(const ast::Call& call, const Slice* to);
  Entity reshape(const ast::Call& call, const Slice* to);

  // elaborate_statement.cpp
  void block(const ast::Block& block);
  void statement(const ast::ScopedDeclaration& node);
  void statement(const ast::CallStatement& node);
  void statement(const ast::TraceRegion& node);
  void statement(const ast::Require& node);
  void statement(const ast::Definition& node);
  void statement(const ast::Assignment& node);
  void statement(const ast::If& node);
  void statement(const ast::Return& node);
  void statement(const ast::ReturnNamed& node);
  bool refuse_return(const Loc& loc);
  void update_number(const Slice& slice, const ast::Assignment& node);
  void update_tile(const Slice& slice, const ast::Assignment& node);
  std::vector<std::string> known_values(const ast::Expression& condition) const;
  Entity define_array(const ast::Definition& definition);
  void free_scoped(std::size_t from);

  // elaborate_loop.cpp
  // Of a loop or a grid: lower to upper; with a step (else no_value), begin + index * step.
  struct Steps {
    ValueId lower, upper, begin, step;
  };
  std::optional<Steps> loop_steps(const ast::LoopVariable& variable, bool is_grid);
  static std::string index_name(const ast::LoopVariable& variable, const Steps& steps);
  Entity loop_variable(const ast::LoopVariable& variable, ValueId index, const Steps& steps);
  void grid(const ast::LoopVariable& variable);
  void statement(const ast::For& node);
  void statement(const ast::Pipeline& node);
  void statement(const ast::Grid& node);
  void statement(const ast::Window& node);
  bool add_attribute(const ast::WindowAttribute& attribute, Window& op);

  // elaborate_memory.cpp
  void statement(const ast::Start& node);
  void statement(const ast::StartRemote& node);
  void statement(const ast::Copy& node);
  void statement(const ast::Wait& node);
  void statement(const ast::WaitFor& node);
  void statement(const ast::Await& node);
  void statement(const ast::Signal& node);
  void statement(const ast::Operate& node);
  ValueId bytes(const Slice& slice);
  std::optional<Slice> semaphore(const ast::Expression& node);
  std::optional<Slice> memory(const ast::Expression& node);
  // As evaluate, but one number of scalar memory stays a place.
  Entity place(const ast::Expression& node);

  void at(const Loc& loc);
  Entity fail(const Loc& loc, std::string message, ErrorCode code = ErrorCode::invalid_value);
  void bind(const std::string& name, Entity entity, const Loc& loc);
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
