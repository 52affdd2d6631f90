#include "core/lang/declaration_lowering.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/lang/expressions.h"
#include "core/lang/mesh_lowering.h"
#include "core/lang/scoped_memory.h"
#include "core/lang/type_binder.h"

namespace tessera {
namespace {

constexpr std::int64_t max_semaphores = std::int64_t{1} << 20;

}  // namespace

DeclarationLowering::DeclarationLowering(Draft& draft, Names& names, ScopedMemory& scoped,
                                         TypeBinder& types, Expressions& expressions,
                                         MeshLowering& mesh)
    : draft_(draft),
      builder_(draft.builder()),
      names_(names),
      scoped_(scoped),
      types_(types),
      expressions_(expressions),
      mesh_(mesh) {}

void DeclarationLowering::declare_all(const std::vector<ast::Declaration>& declarations,
                                      bool is_local) {
  for (const ast::Declaration& node : declarations) declare(node, is_local);
}

void DeclarationLowering::declare(const ast::Declaration& node, bool is_local) {
  std::visit([&](const auto& form) { lower(form, is_local); }, node.form);
}

void DeclarationLowering::lower(const ast::ConditionalDeclarations& node, bool is_local) {
  const auto condition = expressions_.constant(node.condition, "the condition around declarations");
  if (condition) declare_all(*condition != 0 ? node.then : node.otherwise, is_local);
}

void DeclarationLowering::lower(const ast::MeshDeclaration& node, bool is_local) {
  if (is_local)
    draft_.fail(node.loc, "a mesh is declared by a kernel");
  else
    mesh_.declare(node);
}

// The dimensions in `order`; false after an error.
bool DeclarationLowering::storage_order(const ast::StorageOrder& node, Buffer& buffer, bool& ok) {
  for (const ast::Expression& kid : node.dims) {
    const auto dim = expressions_.constant(kid, "the storage order");
    if (!dim) return false;
    buffer.order.push_back(static_cast<int>(*dim));
  }
  std::vector<int> sorted = buffer.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ok &= sorted[i] == static_cast<int>(i);
  if (!ok || sorted.size() != buffer.shape.size()) {
    draft_.fail(node.loc, fmt::format("the storage order names each of the {} dimensions once",
                                      buffer.shape.size()));
    ok = false;
  }
  return true;
}

void DeclarationLowering::lower(const ast::BufferDeclaration& node, bool is_local) {
  if (is_local && node.role != Role::scratch) {
    draft_.fail(node.loc, "a function has no operands of its own; it takes memory as parameters");
    return;
  }
  const auto type = types_.dtype(node.type.dtype);
  const auto extents = types_.shape(node.type.extents, node.type.loc);
  const auto where = types_.space(node.space);
  Buffer buffer;
  bool ok = type && extents && where;
  if (type && extents) {
    buffer.dtype = *type;
    buffer.shape = *extents;
  }
  buffer.role = node.role;
  buffer.space = where.value_or(Space::hbm);
  if (node.order && !storage_order(*node.order, buffer, ok)) return;
  if (!ok) {
    names_.set_unknown(node.name);
    return;
  }
  draft_.at(node.loc);
  buffer.name = node.name;
  buffer.scoped = is_local || node.is_scoped;
  buffer.may_be_unread = node.may_be_unread;
  const ValueId ref = builder_.buffer(std::move(buffer));
  names_.bind(node.name, {.kind = Entity::Kind::view, .slice = builder_.whole(ref)}, node.loc);
  if (is_local) scoped_.allocate(ref);
}

// Writes the kind and a barrier's id to `semaphore`; false after an error.
bool DeclarationLowering::semaphore_kind(const ast::Expression& node, Semaphore& semaphore) {
  if (const ast::Call* barrier = call_of(node, "barrier", 1)) {
    semaphore.kind = SemKind::barrier;
    const auto id = expressions_.constant(barrier->arguments[0], "the collective id of a barrier");
    semaphore.collective = id.value_or(0);
    return id.has_value();
  }
  const auto* word = node.as<ast::Name>();
  for (const SemKind kind : {SemKind::count, SemKind::bytes}) {
    if (word == nullptr || word->name != name(kind)) continue;
    semaphore.kind = kind;
    return true;
  }
  draft_.fail(node.loc(), "a semaphore is of kind count, bytes or barrier(id)");
  return false;
}

void DeclarationLowering::lower(const ast::SemaphoreDeclaration& node, bool is_local) {
  Semaphore semaphore;
  const auto extents = types_.shape(node.extents, node.loc);
  bool ok = extents.has_value();
  if (ok) semaphore.shape = *extents;
  if (ok && elements(semaphore.shape) > max_semaphores) {
    draft_.fail(node.loc, fmt::format("an array of at most 2^20 semaphores is possible, found {}",
                                      elements(semaphore.shape)));
    ok = false;
  }
  ok &= semaphore_kind(node.kind, semaphore);
  if (!ok) {
    names_.set_unknown(node.name);
    return;
  }
  draft_.at(node.loc);
  semaphore.monotone = node.is_monotone;
  semaphore.scoped = is_local || node.is_scoped;
  semaphore.name = node.name;
  const bool is_barrier = semaphore.kind == SemKind::barrier;
  const std::int64_t id = semaphore.collective;
  const ValueId sem = builder_.semaphore(std::move(semaphore));
  if (is_barrier) barriers_.try_emplace(id, sem);
  names_.bind(node.name, {.kind = Entity::Kind::sem, .slice = builder_.whole(sem)}, node.loc);
  if (is_local) scoped_.allocate(sem);
}

ValueId DeclarationLowering::barrier(std::int64_t id) {
  ValueId& value = barriers_.try_emplace(id, no_value).first->second;
  if (value == no_value) {
    Semaphore semaphore;
    semaphore.name = fmt::format("barrier_{}", id);
    semaphore.kind = SemKind::barrier;
    semaphore.collective = id;
    value = builder_.semaphore(std::move(semaphore));
  }
  return value;
}

}  // namespace tessera
