#include "devices/cuda/graph/call_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/data/dtype_range.h"
#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "core/report/check.h"
#include "devices/cuda/lower/element_code.h"
#include "devices/cuda/lower/source_template.h"

namespace tessera::cuda {
namespace {

std::string element_of(const std::string& view, bool whole) {
  return fmt::format("{}.{}(e)", view, whole ? "whole" : "real");
}

// Expression for the op's result at the indices `e`. operands: slices of the op.
std::string value_code(const Op& op, const std::vector<CallOperand>& operands, CallText& call) {
  if (const auto* iota = std::get_if<TileIota>(&op)) return fmt::format("e[{}]", iota->dim);
  if (std::holds_alternative<OpaqueWrite>(op)) return "i64{0}";
  ElementTypes types;
  for (const CallOperand& operand : operands) types.push_back({operand.dtype, operand.is_number()});
  const auto text = element_code(op, types, [&](std::size_t i, bool whole) {
    return call.value(repeated(operands[i], operands[0].view), whole);
  });
  CHECK(text.has_value());
  return *text;
}

}  // namespace

std::string refusal_of_call(const Op& op) {
  switch (class_of(op)) {
    case OpClass::tile:
    case OpClass::lifetime:
    case OpClass::copy:
      return "";
    case OpClass::cells:
      if (std::holds_alternative<Load>(op) || std::holds_alternative<LoadReal>(op) ||
          std::holds_alternative<Store>(op))
        return "";
      break;
    default:
      break;
  }
  return fmt::format("`{}` of numbers that tiles use has no CUDA form", info(op).mnemonic);
}

void CallWriter::put(const CallText& call, const std::string& what, SubtaskWords& subtask) {
  ++subtask.calls;
  subtask.words.push_back(functions_.number(call.body(), what));
  subtask.words.push_back(static_cast<std::int64_t>(call.words().size()));
  subtask.words.insert(subtask.words.end(), call.words().begin(), call.words().end());
}

// Copies each operand that overlaps the result, operands[0], before the op: threads would overwrite
// it while others read it. may_be_same: each thread reads only elements that it writes itself, so
// an operand with the same view as the result is not copied.
void CallWriter::apart(Operands& operands, bool may_be_same, SubtaskWords& subtask) {
  std::int64_t bytes = 0;
  for (std::size_t i = 1; i < operands.size(); ++i) {
    CallOperand& operand = operands[i];
    if (!overlap(operand, operands[0])) continue;
    if (may_be_same && is_same_view(repeated(operand, operands[0].view), operands[0])) continue;
    CallOperand copied = operand;
    copied.memory = {};
    copied.view = compact(nullptr, operand.view);
    const std::int64_t size = operand.view.elements() * size_of(operand.dtype);
    copied.offset = own_.copies(bytes + size) + bytes;
    bytes += (size + 7) / 8 * 8;
    move(copied, operand, false, subtask);
    operand = copied;
  }
}

// Copies or adds the elements of `from` in order. Both sides have the same number of elements.
void CallWriter::move(const CallOperand& to, const CallOperand& from, bool adds,
                      SubtaskWords& subtask) {
  CallOperand target = to, source = from;
  if (!adds) target.dtype = source.dtype = moved_type(to.dtype);
  CallText call(own_, target.view);
  const bool same = target.view.rank == source.view.rank && target.view.size == source.view.size;
  const std::string out = call.view(target), in = call.view(source);
  if (same) {
    if (!adds)
      call.each(fmt::format("{0}.data[{0}.place(e)] = {1}.data[{1}.place(e)];", out, in));
    else
      call.each(fmt::format("{}.set(e, {});", out,
                            *element_code(TileAdd{}, {{to.dtype}, {to.dtype}, {to.dtype}},
                                          [&](std::size_t i, bool whole) {
                                            return element_of(i == 1 ? out : in, whole);
                                          })));
  } else {
    const std::string sizes =
        call.numbers({source.view.size.begin(), source.view.size.begin() + source.view.rank});
    call.line(fmt::format("in_order<{}, {}, {}, {}>(c.words, {}, {}, {});", type_text(target.dtype),
                          target.view.rank, source.view.rank, adds, out, sizes, in));
  }
  put(call, fmt::format("{} {}", adds ? "adds" : "moves", name(target.dtype)), subtask);
}

void CallWriter::add_piece(const graph::Action& copy, const graph::CopyRegion& region,
                           SubtaskWords& subtask) {
  move(operand_of(graph_, copy.to().memory, region.dst),
       operand_of(graph_, copy.from().memory, region.src), copy.adds, subtask);
}

Expected<void> CallWriter::add(graph::ActionId id, SubtaskWords& subtask) {
  const graph::Action& action = graph_.actions[id];
  if (action.is_copy) {
    for (const graph::CopyRegion& region : graph::copy_regions(graph_, id))
      add_piece(action, region, subtask);
    return {};
  }
  const Op& op = graph_.program.body[action.statement].op;
  if (std::string why = refusal_of_call(op); !why.empty())
    return Diag{ErrorCode::unsupported, graph_.program.loc(action.statement), std::move(why), {}};
  if (std::holds_alternative<Fresh>(op) || std::holds_alternative<OpaqueRead>(op)) return {};
  const Operands operands = operands_of(graph_, action);
  if (const auto* o = std::get_if<Matmul>(&op)) {
    matmul(*o, operands, subtask);
  } else if (const auto* e = std::get_if<Every>(&op)) {
    every(*e, operands, subtask);
  } else if (std::holds_alternative<Pad>(op)) {
    pad(operands, subtask);
  } else if (std::holds_alternative<Regroup>(op)) {
    Operands moved = operands;
    apart(moved, false, subtask);
    move(moved[0], moved[1], false, subtask);
  } else if (std::holds_alternative<Bitcast>(op)) {
    bitcast(operands, subtask);
  } else if (std::holds_alternative<Scaled>(op)) {
    scale(operands, subtask);
  } else if (std::holds_alternative<Load>(op) || std::holds_alternative<LoadReal>(op)) {
    load(action, operands, subtask);
  } else if (const auto* s = std::get_if<Store>(&op)) {
    const CallOperand number = number_operand(graph_, action, s->value);
    if (number.kind == OperandKind::loaded && number.is_whole() &&
        !holds_all(operands[0].dtype, s->value))
      return Diag{ErrorCode::unsupported,
                  graph_.program.loc(action.statement),
                  "an integer that is loaded when the kernel runs is stored to a type that might "
                  "not hold it, which a CUDA kernel does not check",
                  {}};
    cast(operands[0], number, "store", subtask);
  } else if (reshape_of(op) == Reshape::permuted) {
    permute(op, operands, subtask);
  } else if (reshape_of(op) == Reshape::reduced) {
    reduce(op, operands, subtask);
  } else {
    elementwise(op, operands, subtask);
  }
  return {};
}

// Loads one element. The rank of its rectangle has no effect.
void CallWriter::load(const graph::Action& action, const Operands& operands,
                      SubtaskWords& subtask) {
  if (!action.loads) return;
  const Op& op = graph_.program.body[action.statement].op;
  CallOperand number, element = operands[0];
  number.memory = action.loads;
  number.dtype = std::holds_alternative<LoadReal>(op) ? DType::f32 : DType::i64;
  element.view.rank = 0;
  cast(number, element, std::string(info(op).mnemonic), subtask);
}

// True if the type can represent every value that the load may return.
bool CallWriter::holds_all(DType type, ValueId loaded) const {
  const StmtId at = graph_.program.value(loaded).statement;
  const auto* load = at ? std::get_if<Load>(&graph_.program.body[at].op) : nullptr;
  if (!is_integer(type)) return true;
  return load != nullptr &&
         wider_integer(type, ref_info(graph_.program, load->src.base).dtype) == type;
}

void CallWriter::cast(const CallOperand& to, const CallOperand& from, const std::string& what,
                      SubtaskWords& subtask) {
  CallText call(own_, to.view);
  const std::string out = call.view(to);
  if (!from.is_number() && from.dtype == to.dtype) {
    const std::string in = call.view(repeated(from, to.view));
    call.each(fmt::format("{0}.data[{0}.place(e)] = {1}.data[{1}.place(e)];", out, in));
  } else {
    call.each(
        fmt::format("{}.set(e, {});", out, call.value(repeated(from, to.view), from.is_whole())));
  }
  put(call, what, subtask);
}

void CallWriter::elementwise(const Op& op, Operands operands, SubtaskWords& subtask) {
  apart(operands, true, subtask);
  const CallOperand& to = operands[0];
  if (std::holds_alternative<Cast>(op)) return cast(to, operands[1], "cast", subtask);
  CallText call(own_, to.view);
  const std::string out = call.view(to);
  const std::string value = value_code(op, operands, call);
  call.each(fmt::format("{}.set(e, {});", out, value));
  put(call, std::string(info(op).mnemonic), subtask);
}

// Permutes the dimensions of the source into the order of the result.
void CallWriter::permute(const Op& op, Operands operands, SubtaskWords& subtask) {
  apart(operands, false, subtask);
  CallOperand turned = operands[1];
  const std::vector<int> order = permutation(op, turned.view.rank);
  for (std::size_t d = 0; d < order.size(); ++d) {
    const auto from = static_cast<std::size_t>(order[d]);
    turned.view.size[d] = operands[1].view.size[from];
    turned.view.stride[d] = operands[1].view.stride[from];
  }
  cast(operands[0], turned, std::string(info(op).mnemonic), subtask);
}

// Reduces a line of the source to each element of the target.
void CallWriter::reduce(const Op& op, Operands operands, SubtaskWords& subtask) {
  apart(operands, false, subtask);
  const CallOperand &to = operands[0], &from = operands[1];
  const auto dim = static_cast<std::size_t>(*reduced_dimension(op));
  CallText call(own_, to.view);
  const std::string out = call.view(to), in = call.view(from);
  const std::string length = call.number(from.view.size[dim]);
  const FoldCode fold =
      fold_code(op, to.dtype, from.dtype, length, element_of(in, is_integer(from.dtype)));
  call.line(fill(R"(for_each<@rank@>(c.words, [&](i64* e) {
  const i64 at = @out@.place(e);
  @type@ sum = @begin@;
  for (e[@dim@] = 0; e[@dim@] < @length@; ++e[@dim@]) sum = @next@;
  @out@.data[at] = @to@::of(@result@);
});)",
                 {{"rank", std::to_string(call.rank())},
                  {"out", out},
                  {"type", fold.type},
                  {"begin", fold.begin},
                  {"dim", std::to_string(dim)},
                  {"length", length},
                  {"next", fold.next},
                  {"to", type_text(to.dtype)},
                  {"result", fold.result}}));
  put(call, std::string(info(op).mnemonic), subtask);
}

// Each element of the scale applies to a block of the source. Block sizes are the sizes of the
// source divided by the sizes of the scale.
void CallWriter::scale(Operands operands, SubtaskWords& subtask) {
  apart(operands, false, subtask);
  const CallOperand &to = operands[0], &scale = operands[2];
  const CallOperand from = repeated(operands[1], to.view);
  CallText call(own_, to.view);
  const std::string out = call.view(to), in = call.value(from, false), by = call.view(scale);
  std::vector<std::int64_t> sides;
  for (int d = 0; d < to.view.rank; ++d) {
    const std::int64_t blocks = scale.view.size[Box::at(d)];
    sides.push_back(blocks == 0 ? 1 : std::max<std::int64_t>(1, to.view.size[Box::at(d)] / blocks));
  }
  const std::string sides_text = call.numbers(sides);
  call.each(
      fmt::format("i64 s[{0} + 1];\nfor (int d = 0; d < {0}; ++d) s[d] = e[d] / {1}[d];\n"
                  "{2}.set(e, {3} * {4}.real(s));",
                  call.rank(), sides_text, out, in, by));
  put(call, "scaled", subtask);
}

void CallWriter::bitcast(Operands operands, SubtaskWords& subtask) {
  apart(operands, false, subtask);
  CallOperand to = operands[0], from = operands[1];
  const std::int64_t to_width = size_of(to.dtype), from_width = size_of(from.dtype);
  if (to_width == from_width) return move(to, from, false, subtask);
  const bool widens = to_width > from_width;
  const CallOperand &wide = widens ? to : from, &narrow = widens ? from : to;
  int dim = 0;
  while (to.view.size[Box::at(dim)] == from.view.size[Box::at(dim)]) ++dim;
  CallText call(own_, wide.view);
  CallOperand w = wide, n = narrow;
  w.dtype = moved_type(w.dtype);
  n.dtype = moved_type(n.dtype);
  const std::string w_text = call.view(w), n_text = call.view(n);
  call.line(fmt::format("bits_of_parts<{}, {}, {}, {}>(c.words, {}, {}, {});", type_text(w.dtype),
                        type_text(n.dtype), wide.view.rank, widens, w_text, n_text, dim));
  put(call, "bitcast", subtask);
}

void CallWriter::every(const Every& op, Operands operands, SubtaskWords& subtask) {
  apart(operands, false, subtask);
  CallOperand part = operands[1];
  const auto d = static_cast<std::size_t>(op.dim);
  part.view.stride[d] *= op.step;
  part.view.size[d] = operands[0].view.size[d];
  move(operands[0], part, false, subtask);
}

void CallWriter::matmul(const Matmul& op, Operands operands, SubtaskWords& subtask) {
  apart(operands, false, subtask);
  const CallOperand &acc = operands[0], &a = operands[1], &b = operands[2];
  CallText call(own_, acc.view);
  const std::string acc_text = call.view(acc), a_text = call.view(a), b_text = call.view(b);
  const int rank = acc.view.rank;
  const std::string terms =
      call.number(a.view.size[Box::at(op.transpose_a != 0 ? rank - 2 : rank - 1)]);
  call.line(fmt::format("matmul<{}, {}, {}, {}>(c.words, {}, {}, {}, {}, {}, {});",
                        type_text(acc.dtype), type_text(a.dtype), type_text(b.dtype), rank, terms,
                        acc_text, a_text, b_text, op.transpose_a != 0, op.transpose_b != 0));
  put(call, "matmul", subtask);
}

// Zeroes the elements of the slot that are outside `inside`, a rectangle of the same memory.
void CallWriter::pad(Operands operands, SubtaskWords& subtask) {
  const CallOperand &slot = operands[0], &inside = operands[1];
  CallOperand moved = slot;
  moved.dtype = moved_type(slot.dtype);
  CallText call(own_, moved.view);
  const std::string out = call.view(moved);
  std::vector<std::int64_t> begin, end;
  for (int d = 0; d < slot.box.rank; ++d) {
    if (!slot.box.keeps(d)) continue;
    begin.push_back(inside.box.start[Box::at(d)] - slot.box.start[Box::at(d)]);
    end.push_back(inside.box.end(d) - slot.box.start[Box::at(d)]);
  }
  const std::string from = call.numbers(begin), to = call.numbers(end);
  call.line(fmt::format("pad<{}, {}>(c.words, {}, {}, {});", type_text(moved.dtype), call.rank(),
                        out, from, to));
  put(call, "pad", subtask);
}

}  // namespace tessera::cuda
