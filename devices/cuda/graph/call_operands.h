// Operands of a task graph action, as its kernel call receives them: numbers, and rectangles of
// memory with strides.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "analysis/task_graph/task_graph.h"
#include "core/program/program.h"
#include "interp/memory/view.h"

namespace tessera::cuda {

enum class OperandKind : std::uint8_t { memory, number, loaded };

// Operand of one slice.
// memory: `view` has sizes and strides of the kept dimensions; `offset` is the byte offset of the
// first element.
// number: f32 or i64, with its bits in `bits`.
// loaded: f32 or i64; `memory` is the memory without a buffer into which an earlier call loaded it.
struct CallOperand {
  OperandKind kind = OperandKind::memory;
  DType dtype = DType::f32;
  graph::MemoryId memory{};
  std::int64_t offset = 0, bits = 0;
  TileView view{};
  Box box{};

  bool is_number() const { return kind != OperandKind::memory; }
  bool is_whole() const { return is_integer(dtype); }  // true if computed with as an integer
};

// Returns the operand for a rectangle of a memory. The memory must have a buffer.
CallOperand operand_of(const graph::TaskGraph& graph, graph::MemoryId memory, const Box& box);
// Returns the operands for the slices of the action's op, in the order of its fields. The action
// must not be a copy.
std::vector<CallOperand> operands_of(const graph::TaskGraph& graph, const graph::Action& action);
// Returns the operand for a number that the op reads: `loaded` if an earlier call loads it, else
// `number`.
CallOperand number_operand(const graph::TaskGraph& graph, const graph::Action& action,
                           ValueId value);
// Returns the value of a scalar of the op: a constant, or the recorded value of its core in the
// planned run, which must exist. Reals are the bits of an f32.
std::int64_t scalar_of(const graph::TaskGraph& graph, const graph::Action& action, ValueId value);

// Broadcasts the operand to the rank and sizes of `size`; its own rank must not be larger. New
// dimensions come first. A dimension that is new or that has another size gets stride 0. Numbers
// are returned unchanged.
CallOperand repeated(CallOperand operand, const TileView& size);
// overlap: true if the operands share elements; false for numbers. is_same_view: true if each index
// selects the same element in both.
bool overlap(const CallOperand& a, const CallOperand& b);
bool is_same_view(const CallOperand& a, const CallOperand& b);

}  // namespace tessera::cuda
