// Lowering of expressions for memory and semaphores: rectangles, elements, their numbers and bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// Like evaluate(), except that a number in scalar memory is returned as its place (kind `view`) and
// not loaded.
Entity place(Elaboration& e, const ast::Expression& node);
// Returns a rectangle of memory, or the place of a number in scalar memory; nullopt after an error,
// for example if the expression is not memory.
std::optional<Slice> memory(Elaboration& e, const ast::Expression& node);
// Returns a single semaphore; nullopt after an error, for example for an array of semaphores.
std::optional<Slice> semaphore(Elaboration& e, const ast::Expression& node);
// Step along one dimension of a slice's shape: only each step-th element is selected.
struct DimensionStep {
  int dim = 0;
  std::int64_t step = 1;
};
// Returns the part of memory or of a semaphore array that is selected by the items; kind `nothing`
// after an error.
// base: must be a view or a semaphore.
// steps: output: the steps of items, which the caller applies to the result; null: steps are
// errors.
Entity index_into(Elaboration& e, const Entity& base, const ast::Index& node,
                  std::vector<DimensionStep>* steps = nullptr);
// True for scalar memory without remaining dimensions; its name means the number in it.
bool is_one_number(const Elaboration& e, const Entity& entity);
// Emits the load of a number in scalar memory and returns its value: a real if the memory has
// floats, else a scalar.
Entity load(Elaboration& e, const Slice& element);
// Returns a slice that covers a whole ref: emits a `view` of the slice, unless it does already.
Slice whole_ref(Elaboration& e, const Slice& slice);
// Returns the number of bytes of a rectangle of memory as a scalar; emits the ops that compute it.
ValueId bytes(Elaboration& e, const Slice& slice);

}  // namespace tessera
