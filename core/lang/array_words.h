// Arrays of integers in scalar memory: the words and the definitions that make them.
#pragma once
#include <optional>
#include <string>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class Expressions;
class PlaceLowering;
class ScopedMemory;
class TileLowering;

class ArrayWords {
 public:
  ArrayWords(Draft& draft, Names& names, ScopedMemory& scoped, Expressions& expressions,
             PlaceLowering& places, TileLowering& tiles);

  // prefix_sum, iota and repeat; nullopt for what is no such word, or is the op of that name.
  std::optional<Entity> call(const ast::Call& node);
  // concat(a, b, ...): scalars and arrays, one after the other.
  Entity concat(const ast::Call& node, std::vector<Entity> arguments);
  // name(i in n) = value
  Entity define(const ast::Definition& node);

 private:
  Entity new_array(const std::string& name, std::int64_t length);
  // Called by its word until a definition names it.
  Entity unnamed_array(const std::string& word, std::int64_t length);
  Entity prefix_sum(const ast::Call& node);
  std::optional<Entity> iota(const ast::Call& node);
  std::optional<Entity> repeat(const ast::Call& node);
  std::optional<std::int64_t> add_part(const ast::Expression& node, Entity part,
                                       std::vector<Entity>& parts);
  void copy_part(const Entity& part, const Entity& array, std::int64_t from);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  ScopedMemory& scoped_;
  Expressions& expressions_;
  PlaceLowering& places_;
  TileLowering& tiles_;
};

}  // namespace tessera
