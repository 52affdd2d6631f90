// Declarations of memory and semaphores.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/names.h"

namespace tessera {

class Expressions;
class MeshLowering;
class ScopedMemory;
class TypeBinder;

class DeclarationLowering {
 public:
  DeclarationLowering(Draft& draft, Names& names, ScopedMemory& scoped, TypeBinder& types,
                      Expressions& expressions, MeshLowering& mesh);

  // is_local: of a function or a block, at whose end it is freed.
  void declare(const ast::Declaration& declaration, bool is_local);
  void declare_all(const std::vector<ast::Declaration>& declarations, bool is_local);
  // The barrier semaphore of that collective id: declared, or made when it is first asked for.
  ValueId barrier(std::int64_t id);

 private:
  void lower(const ast::BufferDeclaration& node, bool is_local);
  void lower(const ast::SemaphoreDeclaration& node, bool is_local);
  void lower(const ast::ConditionalDeclarations& node, bool is_local);
  void lower(const ast::MeshDeclaration& node, bool is_local);
  bool storage_order(const ast::StorageOrder& node, Buffer& buffer, bool& ok);
  bool semaphore_kind(const ast::Expression& node, Semaphore& semaphore);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  ScopedMemory& scoped_;
  TypeBinder& types_;
  Expressions& expressions_;
  MeshLowering& mesh_;
  std::map<std::int64_t, ValueId> barriers_;  // by collective id
};

}  // namespace tessera
