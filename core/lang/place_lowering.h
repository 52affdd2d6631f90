// Memory and semaphores that expressions name: rectangles, elements, their numbers and bytes.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/elaboration.h"

namespace tessera {

// As an expression's value, but one number of scalar memory stays a place.
Entity place(Elaboration& e, const ast::Expression& node);
// A rectangle of memory; one number of scalar memory counts too, as a place.
std::optional<Slice> memory(Elaboration& e, const ast::Expression& node);
// A single one.
std::optional<Slice> semaphore(Elaboration& e, const ast::Expression& node);
// Dimension of a slice's shape, of which each step-th element is meant.
struct DimensionStep {
  int dim = 0;
  std::int64_t step = 1;
};
// The part of memory or of semaphores that the items choose. steps: those that items have, or null
// where none may have one.
Entity index_into(Elaboration& e, const Entity& base, const ast::Index& node,
                  std::vector<DimensionStep>* steps = nullptr);
// Scalar memory without dimensions, or what is left of it: its name means the number in it.
bool is_one_number(const Elaboration& e, const Entity& entity);
// The number there.
Entity load(Elaboration& e, const Slice& element);
// As a ref of its own, if it is not one already.
Slice whole_ref(Elaboration& e, const Slice& slice);
// Number of bytes of a rectangle.
ValueId bytes(Elaboration& e, const Slice& slice);

}  // namespace tessera
