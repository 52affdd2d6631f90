// What an action of a task graph works on, as a call of its kernel is told: numbers, and rectangles
// of memory with their strides.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "core/program/program.h"
#include "interp/memory/view.h"

namespace tessera::cuda {

enum class OperandKind : std::uint8_t { memory, number, loaded };

// Of one slice. memory: `view` has sizes and strides of its kept dimensions, `offset` is that of
// the first element, in bytes. Numbers are f32 or i64 and have their bits, or the memory without a
// buffer that they were loaded into.
struct CallOperand {
  OperandKind kind = OperandKind::memory;
  DType dtype = DType::f32;
  graph::MemoryId memory{};
  std::int64_t offset = 0, bits = 0;
  TileView view{};
  Box box{};

  bool is_number() const { return kind != OperandKind::memory; }
  bool is_whole() const { return is_integer(dtype); }  // computed with as a whole number
};

// A rectangle of a memory with a buffer.
CallOperand operand_of(const graph::TaskGraph& graph, graph::MemoryId memory, const Box& box);
// Those of an op's slices, in the order of its fields.
std::vector<CallOperand> operands_of(const graph::TaskGraph& graph, const graph::Action& action);
// A number that the op takes.
CallOperand number_operand(const graph::TaskGraph& graph, const graph::Action& action,
                           ValueId value);
// A scalar of the op: a constant, or what its core had in the run.
std::int64_t scalar_of(const graph::TaskGraph& graph, const graph::Action& action, ValueId value);

// The operand as one of `rank` dimensions that is repeated where it has one element and `size` has
// more.
CallOperand repeated(CallOperand operand, const TileView& size);
// Elements of one that are elements of the other; and whether they are those of the same indices.
bool overlap(const CallOperand& a, const CallOperand& b);
bool is_same_view(const CallOperand& a, const CallOperand& b);

}  // namespace tessera::cuda
