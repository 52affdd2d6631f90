// Memory and semaphores that expressions name: rectangles, elements, their numbers and bytes.
#pragma once
#include <optional>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class Expressions;

class PlaceLowering {
 public:
  PlaceLowering(Draft& draft, Names& names, Expressions& expressions);

  // As an expression's value, but one number of scalar memory stays a place.
  Entity place(const ast::Expression& node);
  // A rectangle of memory; one number of scalar memory counts too, as a place.
  std::optional<Slice> memory(const ast::Expression& node);
  // A single one.
  std::optional<Slice> semaphore(const ast::Expression& node);
  // Dimensions of a slice's shape, of which each step-th element is meant.
  struct Step {
    int dim = 0;
    std::int64_t step = 1;
  };
  // The part of memory or of semaphores that the items choose. steps: those that items have, or
  // null where none may have one.
  Entity index(const Entity& base, const ast::Index& node, std::vector<Step>* steps = nullptr);
  // Scalar memory without dimensions, or what is left of it: its name means the number in it.
  bool is_one_number(const Entity& entity) const;
  // The number there.
  Entity load(const Slice& element);
  // As a ref of its own, if it is not one already.
  Slice whole_ref(const Slice& slice);
  // How many bytes a rectangle has.
  ValueId bytes(const Slice& slice);

 private:
  bool add_item(const ast::Item& item, ValueId extent, Slice& slice, std::size_t d,
                std::vector<Step>* steps);
  bool add_stepped(const ast::Stepped& item, Slice& slice, std::size_t d, std::vector<Step>* steps);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  Expressions& expressions_;
};

}  // namespace tessera
