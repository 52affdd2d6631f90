// Context for lowering a kernel's syntax tree to a program. Lowering functions take this context
// and a node. They resolve names, inline functions and evaluate known conditions.
#pragma once
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/lang/entity.h"
#include "core/lang/language.h"
#include "core/lang/line_map.h"
#include "core/lang/names.h"
#include "core/program/builder.h"
#include "core/report/diag.h"

namespace tessera {

// Counter of a loop or of a grid dimension; lower <= index < upper.
struct LoopCounter {
  ValueId index, lower, upper;
};

// Axis of the mesh, with the coordinate of this device.
struct LoweredAxis {
  std::string name;
  ValueId size, stride, here;
};

// Kernel that is being lowered: the program so far, names in scope and errors.
struct Elaboration {
  // modules: the kernel's module, then the libraries. Must outlive this object; `launch` is copied.
  Elaboration(const std::string& kernel, std::vector<const Module*> modules,
              const InstantiateOptions& launch);

  Program& program() { return builder.program(); }
  const Program& program() const { return builder.program(); }

  // Sets the place of the following ops: `loc`, or the origin given by the last `# line` directive
  // before it.
  void at(const Loc& loc);
  // Reports the message with the chain of inlined calls. Returns an entity of kind `nothing`.
  Entity fail(const Loc& loc, std::string message, ErrorCode code = ErrorCode::invalid_value);
  // Returns the kind of the entity, for messages: "an integer".
  std::string describe(const Entity& entity) const;

  // Defines a name in the innermost block. Reports an error at `loc`, and defines nothing, if it is
  // already defined in this or an enclosing block. A name marked by set_unknown() stays unknown,
  // without an error.
  void bind(const std::string& name, Entity entity, const Loc& loc);
  // Gives a value, temporary or array that was just created this name, for messages and prints; no
  // effect on other entities. Returns the entity, which is no longer unnamed.
  Entity name_result(Entity entity, const std::string& name);

  // Emits the allocation of memory or a semaphore, and adds it to `allocated`. free_from() emits
  // the frees of all in `allocated` except the first `count`, in reverse order, and removes them.
  void allocate(ValueId ref);
  void free_from(std::size_t count);

  const std::vector<const Module*> modules;
  const InstantiateOptions launch;
  Builder builder;
  Diags diags;
  Names names;
  std::vector<ValueId> allocated;  // not yet freed

  int levels = 0;              // nesting depth of expressions, across calls
  std::string_view known_for;  // use of an expression that must be known, for messages; empty: none
  int call_depth = 0;
  std::int64_t calls = 0;    // inlined calls so far
  PlaceId caller;            // call being inlined; none outside calls
  Entity* result = nullptr;  // result of the function being inlined; null outside functions

  std::map<ValueId, LoopCounter> loops;  // by loop variable
  Table<UnshapedId, UnshapedTile> unshaped;
  Table<NamedCopyId, NamedCopy> copies;
  ValueId copied = no_value;                 // semaphore for `copy`; none: not used yet
  std::vector<LoweredAxis> mesh;             // empty: no mesh declared
  std::map<std::int64_t, ValueId> barriers;  // by collective id

 private:
  const LineMap::Origin* origin(const Loc& loc) const;  // null: no `# line` applies
  // Returns the place of the innermost call in the origin, or `caller` if it has no calls.
  PlaceId called_by(const LineMap::Origin& origin);

  std::map<const Source*, const LineMap*> lines_;  // texts with `# line` directives
  // Cached results of called_by(): callers of places with an origin.
  std::map<std::pair<const LineMap::Origin*, PlaceId>, PlaceId> callers_;
};

// Block scope: names that are defined in it end with it, and memory that is allocated in it is
// freed by ops that the destructor emits. `e` must outlive it.
class BlockScope {
 public:
  explicit BlockScope(Elaboration& e)
      : e_(e), inside_(e.names, e.names.make(e.names.current())), count_(e.allocated.size()) {}
  ~BlockScope() { e_.free_from(count_); }
  BlockScope(const BlockScope&) = delete;
  BlockScope& operator=(const BlockScope&) = delete;

 private:
  Elaboration& e_;
  Names::Inside inside_;
  std::size_t count_;
};

}  // namespace tessera
