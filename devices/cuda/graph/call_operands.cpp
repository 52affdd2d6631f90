#include "devices/cuda/graph/call_operands.h"

#include <algorithm>
#include <bit>

#include "core/program/refs.h"
#include "core/report/check.h"
#include "interp/memory/layout.h"

namespace tessera::cuda {
namespace {

// Value of a constant: an integer, or the bits of an f32.
std::int64_t bits_of(const Value& constant) {
  if (constant.kind == ValueKind::scalar) return constant.integer;
  return std::bit_cast<std::int32_t>(static_cast<float>(constant.real));
}

}  // namespace

std::int64_t scalar_of(const graph::TaskGraph& graph, const graph::Action& action, ValueId value) {
  const Value& v = graph.program.value(value);
  if (v.constant) return bits_of(v);
  const auto found = std::find_if(action.scalars.begin(), action.scalars.end(),
                                  [&](const auto& scalar) { return scalar.first == value; });
  CHECK(found != action.scalars.end());
  return found->second;
}

CallOperand number_operand(const graph::TaskGraph& graph, const graph::Action& action,
                           ValueId value) {
  const Value& v = graph.program.value(value);
  CallOperand operand;
  operand.dtype = v.kind == ValueKind::real ? DType::f32 : DType::i64;
  for (const auto& [number, memory] : action.loaded_scalars) {
    if (number != value) continue;
    operand.kind = OperandKind::loaded;
    operand.memory = memory;
    return operand;
  }
  operand.kind = OperandKind::number;
  operand.bits = scalar_of(graph, action, value);
  return operand;
}

CallOperand operand_of(const graph::TaskGraph& graph, graph::MemoryId memory, const Box& box) {
  const Buffer& buffer = graph.program.buffers[graph.memories[memory].buffer];
  const Layout layout(buffer);
  CallOperand operand;
  operand.dtype = buffer.dtype;
  operand.memory = memory;
  operand.box = box;
  operand.view = layout.view(box, buffer.dtype);
  if (!box.empty()) operand.offset = layout.offset(box.start) * size_of(buffer.dtype);
  return operand;
}

std::vector<CallOperand> operands_of(const graph::TaskGraph& graph, const graph::Action& action) {
  const Op& op = graph.program.body[action.statement].op;
  std::vector<CallOperand> operands;
  std::size_t next = 0;  // index into action.memories
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind != FieldKind::Slice) continue;
    const Slice& slice = field<Slice>(op, f);
    if (is_number(graph.program, slice)) {
      operands.push_back(number_operand(graph, action, slice.base));
      continue;
    }
    Box box;
    box.rank = slice.rank;
    box.dropped = slice.dropped;
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      box.start[d] = scalar_of(graph, action, slice.start[d]);
      box.size[d] = scalar_of(graph, action, slice.size[d]);
    }
    operands.push_back(operand_of(graph, action.memories[next++], box));
  }
  return operands;
}

CallOperand repeated(CallOperand operand, const TileView& size) {
  if (operand.is_number()) return operand;
  TileView& view = operand.view;
  TileView wide = view;
  const int added = size.rank - view.rank;
  CHECK(added >= 0);
  for (int d = 0; d < size.rank; ++d) {
    const bool has_it = d >= added;
    const auto at = Box::at(d);
    wide.size[at] = size.size[at];
    wide.stride[at] = has_it && view.size[Box::at(d - added)] == size.size[at]
                          ? view.stride[Box::at(d - added)]
                          : 0;
  }
  wide.rank = size.rank;
  view = wide;
  return operand;
}

bool overlap(const CallOperand& a, const CallOperand& b) {
  return !a.is_number() && !b.is_number() && a.memory == b.memory && intersects(a.box, b.box);
}

bool is_same_view(const CallOperand& a, const CallOperand& b) {
  if (a.memory != b.memory || a.offset != b.offset || a.view.rank != b.view.rank) return false;
  for (int d = 0; d < a.view.rank; ++d) {
    const auto at = Box::at(d);
    if (a.view.size[at] != b.view.size[at]) return false;
    if (a.view.size[at] != 1 && a.view.stride[at] != b.view.stride[at]) return false;
  }
  return true;
}

}  // namespace tessera::cuda
