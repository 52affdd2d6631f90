// The context in which a kernel's syntax tree is lowered to a program. The functions that lower it
// take this context and the node: names are resolved, functions inlined, known conditions decided.
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

// The counter of a loop or of a grid dimension, which goes from lower to upper.
struct LoopCounter {
  ValueId index, lower, upper;
};

// An axis of the mesh, and the coordinate of this device on it.
struct LoweredAxis {
  std::string name;
  ValueId size, stride, here;
};

// A kernel that is being lowered: the program so far, the names in scope, the errors found.
struct Elaboration {
  // modules: the kernel's module, then the libraries. They must outlive this object.
  Elaboration(const std::string& kernel, std::vector<const Module*> modules,
              const InstantiateOptions& launch);

  Program& program() { return builder.program(); }
  const Program& program() const { return builder.program(); }

  // Sets the place of the ops emitted from here on: loc, or the origin that a `# line` above it
  // names.
  void at(const Loc& loc);
  // Reports the message with the calls that are being inlined; returns nothing.
  Entity fail(const Loc& loc, std::string message, ErrorCode code = ErrorCode::invalid_value);
  // The kind of the entity, for messages: "an integer".
  std::string describe(const Entity& entity) const;

  // Defines a name. Fails if it is defined here or around.
  void bind(const std::string& name, Entity entity, const Loc& loc);
  // Calls the value by the source's name if nothing named it before.
  Entity name_result(Entity entity, const std::string& name);

  // Memory or a semaphore that lives until free_from(), which frees all but the first `count`, last
  // first.
  void allocate(ValueId ref);
  void free_from(std::size_t count);

  const std::vector<const Module*> modules;
  const InstantiateOptions launch;
  Builder builder;
  Diags diags;
  Names names;
  std::vector<ValueId> allocated;  // and not yet freed

  int levels = 0;              // of nested expressions, through calls
  std::string_view known_for;  // use of an expression whose value must be known; empty: none
  int call_depth = 0;
  std::int64_t calls = 0;    // inlined so far
  PlaceId caller;            // the call being inlined; none outside of all calls
  Entity* result = nullptr;  // of the function being inlined; null outside of functions

  std::map<ValueId, LoopCounter> loops;  // by the loop's variable
  Table<UnshapedId, UnshapedTile> unshaped;
  Table<NamedCopyId, NamedCopy> copies;
  ValueId copied = no_value;                 // the semaphore of `copy`; none: not used yet
  std::vector<LoweredAxis> mesh;             // empty: no mesh is declared
  std::map<std::int64_t, ValueId> barriers;  // by collective id

 private:
  const LineMap::Origin* origin(const Loc& loc) const;
  PlaceId called_by(const LineMap::Origin& origin);

  std::map<const Source*, const LineMap*> lines_;  // of texts that have `# line`s
  // The caller of a place that a `# line` names, if it was made.
  std::map<std::pair<const LineMap::Origin*, PlaceId>, PlaceId> callers_;
};

// Names defined while it lives end with it; memory allocated meanwhile is freed.
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
