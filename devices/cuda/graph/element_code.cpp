#include "devices/cuda/graph/element_code.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/data/dtype_range.h"
#include "core/program/reshape.h"
#include "core/report/check.h"
#include "devices/cuda/lower/scalar_code.h"
#include "devices/cuda/lower/tile_expression.h"

namespace tessera::cuda {
namespace {

// In which type sums, differences and products of whole numbers wrap
// (interp/tiles/integer_range.h).
DType wrapping_type(const std::vector<CallOperand>& operands) {
  DType widest = is_float(operands[0].dtype) ? DType::i64 : operands[0].dtype;
  for (std::size_t i = 1; i < operands.size(); ++i)
    if (!operands[i].is_number()) widest = wider_integer(widest, operands[i].dtype);
  return widest;
}

std::string wrapped(DType type, const std::string& text) {
  return fmt::format("static_cast<i64>(static_cast<{}>({}))", storage_type(type), text);
}

// The type in which ops of integers alone compute (interp/tiles/integer_ops.h).
DType integer_type(const Op& op, const std::vector<CallOperand>& operands) {
  if (operands.size() == 2) return operands[1].dtype;
  const CallOperand &a = operands[1], &b = operands[2];
  if (a.is_number()) return b.dtype;
  const bool shifts =
      std::holds_alternative<TileShiftLeft>(op) || std::holds_alternative<TileShiftRight>(op);
  return shifts || b.is_number() ? a.dtype : wider_integer(a.dtype, b.dtype);
}

std::string binary_of_wholes(const Op& op, const std::vector<CallOperand>& operands,
                             const std::string& a, const std::string& b) {
  const auto in_range = [&](const char* sign) {
    return wrapped(wrapping_type(operands),
                   fmt::format("static_cast<u64>({}) {} static_cast<u64>({})", a, sign, b));
  };
  if (std::holds_alternative<TileAdd>(op)) return in_range("+");
  if (std::holds_alternative<TileSub>(op)) return in_range("-");
  if (std::holds_alternative<TileMul>(op)) return in_range("*");
  if (std::holds_alternative<TileDiv>(op)) return fmt::format("floor_div({}, {})", a, b);
  if (std::holds_alternative<TileMin>(op)) return fmt::format("least({}, {})", a, b);
  if (std::holds_alternative<TileMax>(op)) return fmt::format("most({}, {})", a, b);
  const auto truth = [&](const char* sign) {
    return fmt::format("static_cast<i64>({} {} {} ? 1 : 0)", a, sign, b);
  };
  if (std::holds_alternative<TileLt>(op)) return truth("<");
  if (std::holds_alternative<TileLe>(op)) return truth("<=");
  CHECK(std::holds_alternative<TileEq>(op));
  return truth("==");
}

}  // namespace

std::string element_code(const Op& op, const std::vector<CallOperand>& operands, CallText& call) {
  const CallOperand& to = operands[0];
  const auto is_whole = [](const CallOperand& operand) { return operand.is_whole(); };
  std::vector<CallOperand> sources;
  for (std::size_t i = 1; i < operands.size(); ++i)
    sources.push_back(repeated(operands[i], to.view));
  if (const auto* iota = std::get_if<TileIota>(&op)) return fmt::format("e[{}]", iota->dim);
  if (std::holds_alternative<OpaqueWrite>(op)) return "i64{0}";
  if (std::holds_alternative<Truncate>(op)) {
    if (!is_whole(sources[0])) return fmt::format("truncf({})", call.value(sources[0], false));
    return wrapped(to.dtype, call.value(sources[0], true));
  }
  if (std::holds_alternative<TileSelect>(op)) {
    const bool whole = is_whole(sources[1]) && is_whole(sources[2]);
    const std::string condition = call.value(sources[0], is_whole(sources[0]));
    const std::string a = call.value(sources[1], whole), b = call.value(sources[2], whole);
    return fmt::format("({} != 0 ? {} : {})", condition, a, b);
  }
  const bool is_function = sources.size() == 1 || std::holds_alternative<Pow>(op);
  const bool whole = computes_integers(op) ||
                     (!is_function && std::all_of(sources.begin(), sources.end(), is_whole));
  // Read in their order, so that one op has one text.
  std::vector<std::string> values;
  for (const CallOperand& source : sources) values.push_back(call.value(source, whole));
  // The texts of ops name their slices.
  const auto read = [&](const Slice& slice) {
    std::size_t number = 0;
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      if (&field<Slice>(op, f) == &slice) return values.at(number - 1);
      ++number;
    }
    CHECK(false);
  };
  if (computes_integers(op)) {
    const DType type = integer_type(op, operands);
    const auto text = whole_expression(op, storage_type(type), read);
    CHECK(text.has_value());
    return wrapped(type, *text);
  }
  if (whole) return binary_of_wholes(op, operands, values[0], values[1]);
  const auto text = tile_expression(op, read);
  CHECK(text.has_value());
  return fmt::format("static_cast<float>({})", *text);
}

std::string sum_code(DType dtype, const std::string& to, const std::string& from) {
  if (is_float(dtype)) return fmt::format("{0}.set(e, {0}.real(e) + {1}.real(e));", to, from);
  return fmt::format(
      "{0}.set(e, {2});", to, from,
      wrapped(dtype, fmt::format("static_cast<u64>({}.whole(e)) + static_cast<u64>({}.whole(e))",
                                 to, from)));
}

std::string reduction_code(const Op& op, const CallOperand& to, const CallOperand& from,
                           std::size_t dim, const std::string& out, const std::string& in,
                           const std::string& length) {
  const bool whole = is_integer(from.dtype);
  const bool sums = std::holds_alternative<RowSum>(op) || std::holds_alternative<ColSum>(op) ||
                    std::holds_alternative<TileReduceSum>(op);
  const bool is_least = std::holds_alternative<TileReduceMin>(op);
  std::string begin, next;
  if (sums) {  // -0 + x is x, also if x is -0
    begin = whole ? "0" : fmt::format("{} > 0 ? -0.0f : 0.0f", length);
    next = whole ? "static_cast<i64>(static_cast<u64>(sum) + static_cast<u64>({}))" : "sum + {}";
  } else if (is_least) {
    begin = whole ? "9223372036854775807ll" : "infinity()";
    next = whole ? "least(sum, {})" : "lesser(sum, {})";
  } else {
    begin = whole ? "-9223372036854775807ll - 1" : "-infinity()";
    next = whole ? "most(sum, {})" : "greater(sum, {})";
  }
  const std::string value = fmt::format("{}.{}(e)", in, whole ? "whole" : "real");
  const std::string result = whole ? wrapped(wrapping_type({to, from}), "sum") : "sum";
  return fmt::format(
      "  const i64 at = {0}.place(e);\n"
      "  {1} sum = {2};\n"
      "  for (e[{3}] = 0; e[{3}] < {4}; ++e[{3}]) sum = {5};\n"
      "  {0}.data[at] = {6}::of({7});",
      out, whole ? "i64" : "float", begin, dim, length, fmt::format(fmt::runtime(next), value),
      type_text(to.dtype), result);
}

}  // namespace tessera::cuda
