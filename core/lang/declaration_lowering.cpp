#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/lang/binders.h"
#include "core/lang/expression_lowering.h"
#include "core/lang/statement_lowering.h"

namespace tessera {
namespace {

constexpr std::int64_t max_semaphores = std::int64_t{1} << 20;

// Writes the dimensions to `order`; false after an error.
bool storage_order(Elaboration& e, const ast::StorageOrder& node, Buffer& buffer, bool& ok) {
  for (const ast::Expression& kid : node.dims) {
    const auto dim = constant(e, kid, "the storage order");
    if (!dim) return false;
    buffer.order.push_back(static_cast<int>(*dim));
  }
  std::vector<int> sorted = buffer.order;
  std::sort(sorted.begin(), sorted.end());
  for (std::size_t i = 0; i < sorted.size(); ++i) ok &= sorted[i] == static_cast<int>(i);
  if (!ok || sorted.size() != buffer.shape.size()) {
    e.fail(node.loc, fmt::format("the storage order names each of the {} dimensions once",
                                 buffer.shape.size()));
    ok = false;
  }
  return true;
}

// Writes the kind, and the id of a barrier, to `semaphore`; false after an error.
bool semaphore_kind(Elaboration& e, const ast::Expression& node, Semaphore& semaphore) {
  if (const ast::Call* barrier = call_of(node, "barrier", 1)) {
    semaphore.kind = SemKind::barrier;
    const auto id = constant(e, barrier->arguments[0], "the collective id of a barrier");
    semaphore.collective = id.value_or(0);
    return id.has_value();
  }
  const auto* word = node.as<ast::Name>();
  for (const SemKind kind : {SemKind::count, SemKind::bytes}) {
    if (word == nullptr || word->name != name(kind)) continue;
    semaphore.kind = kind;
    return true;
  }
  e.fail(node.loc(), "a semaphore is of kind count, bytes or barrier(id)");
  return false;
}

void declare_form(Elaboration& e, const ast::ConditionalDeclarations& node, bool is_local) {
  const auto condition = constant(e, node.condition, "the condition around declarations");
  if (condition) declare_all(e, *condition != 0 ? node.then : node.otherwise, is_local);
}

void declare_form(Elaboration& e, const ast::MeshDeclaration& node, bool is_local) {
  if (is_local)
    e.fail(node.loc, "a mesh is declared by a kernel");
  else
    declare_mesh(e, node);
}

void declare_form(Elaboration& e, const ast::BufferDeclaration& node, bool is_local) {
  if (is_local && node.role != Role::scratch) {
    e.fail(node.loc, "a function has no operands of its own; it takes memory as parameters");
    return;
  }
  const auto type = element_type(e, node.type.dtype);
  const auto extents = known_shape(e, node.type.extents, node.type.loc);
  const auto where = memory_space(e, node.space);
  Buffer buffer;
  bool ok = type && extents && where;
  if (type && extents) {
    buffer.dtype = *type;
    buffer.shape = *extents;
  }
  buffer.role = node.role;
  buffer.space = where.value_or(Space::hbm);
  if (node.order && !storage_order(e, *node.order, buffer, ok)) return;
  if (!ok) {
    e.names.set_unknown(node.name);
    return;
  }
  e.at(node.loc);
  buffer.name = node.name;
  buffer.scoped = is_local || node.is_scoped;
  buffer.may_be_unread = node.may_be_unread;
  const ValueId ref = e.builder.buffer(std::move(buffer));
  e.bind(node.name, view_entity(e.builder.whole(ref)), node.loc);
  if (is_local) e.allocate(ref);
}

void declare_form(Elaboration& e, const ast::SemaphoreDeclaration& node, bool is_local) {
  Semaphore semaphore;
  const auto extents = known_shape(e, node.extents, node.loc);
  bool ok = extents.has_value();
  if (ok) semaphore.shape = *extents;
  if (ok && elements(semaphore.shape) > max_semaphores) {
    e.fail(node.loc, fmt::format("expected an array of at most 2^20 semaphores, found {}",
                                 elements(semaphore.shape)));
    ok = false;
  }
  ok &= semaphore_kind(e, node.kind, semaphore);
  if (!ok) {
    e.names.set_unknown(node.name);
    return;
  }
  e.at(node.loc);
  semaphore.monotone = node.is_monotone;
  semaphore.scoped = is_local || node.is_scoped;
  semaphore.name = node.name;
  const bool is_barrier = semaphore.kind == SemKind::barrier;
  const std::int64_t id = semaphore.collective;
  const ValueId sem = e.builder.semaphore(std::move(semaphore));
  if (is_barrier) e.barriers.try_emplace(id, sem);
  e.bind(node.name, {.kind = Entity::Kind::sem, .slice = e.builder.whole(sem)}, node.loc);
  if (is_local) e.allocate(sem);
}

}  // namespace

void declare_all(Elaboration& e, const std::vector<ast::Declaration>& declarations, bool is_local) {
  for (const ast::Declaration& node : declarations) declare(e, node, is_local);
}

void declare(Elaboration& e, const ast::Declaration& node, bool is_local) {
  std::visit([&](const auto& form) { declare_form(e, form, is_local); }, node.form);
}

}  // namespace tessera
