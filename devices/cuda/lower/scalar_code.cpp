#include "devices/cuda/lower/scalar_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/data/dtype_info.h"
#include "core/passes/simplify.h"
#include "core/program/refs.h"
#include "devices/cuda/lower/in_order.h"
#include "devices/cuda/lower/op_text.h"

namespace tessera::cuda {

std::string ScalarCode::divisor(ValueId value) {
  const auto known = program_.constant(value);
  return known ? names_.divisor(*known) : text(value);
}

std::vector<ValueId> operands_of(const Op& op) {
  std::vector<ValueId> values;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind == FieldKind::Value) {
      values.push_back(field<ValueId>(op, f));
    } else if (f.kind == FieldKind::Maybe) {
      values.push_back(field<Maybe>(op, f).id);
    } else if (f.kind == FieldKind::Slice) {
      const Slice& slice = field<Slice>(op, f);
      values.push_back(slice.base);
      for (int d = 0; d < slice.rank; ++d) {
        values.push_back(slice.start[static_cast<std::size_t>(d)]);
        values.push_back(slice.size[static_cast<std::size_t>(d)]);
      }
    }
  }
  std::erase(values, no_value);
  return values;
}

std::string_view storage_type(DType dtype) { return dtype_info(dtype).cuda; }

std::string float_text(float number) {
  if (std::isinf(number)) return number < 0 ? "(-3.4028235e+38f * 2)" : "(3.4028235e+38f * 2)";
  return fmt::format("{:#}f", number);
}

std::string ScalarCode::text(ValueId value) {
  const Value& v = program_.value(value);
  if (const auto known = known_.find(value); known != known_.end()) return known->second;
  if (v.constant && v.kind == ValueKind::scalar) return names_.number(v.integer);
  if (v.constant && v.kind == ValueKind::real) return float_text(static_cast<float>(v.real));
  return names_.value(value);
}

const Buffer* ScalarCode::buffer_of(const Slice& slice) const {
  if (program_.value(slice.base).kind != ValueKind::ref) return nullptr;
  return program_.buffer(ref_info(program_, slice.base).root);
}

// Row-major; a view adds its start.
std::string ScalarCode::address(const Slice& slice) {
  reads_memory_ = true;
  if (const Buffer* b = program_.buffer(slice.base)) {
    std::string offset;
    for (int d = 0; d < slice.rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const std::string start = text(slice.start[i]);
      offset =
          d == 0 ? start : fmt::format("({}) * {} + {}", offset, names_.number(b->shape[i]), start);
    }
    if (b->space != Space::smem)
      problem_ = fmt::format("scalar code reads `{}`, which is not scalar memory", b->name);
    const std::string base =
        b->role == Role::scratch ? "arrays + " + names_.array(*b) : names_.operand(*b);
    return offset.empty() || offset == "0" ? base : base + " + " + offset;
  }
  const Value& v = program_.value(slice.base);
  const auto* view = !v.statement ? nullptr : std::get_if<View>(&program_.body[v.statement].op);
  if (!view || kept(view->source).size() != 1 || slice.rank != 1) {
    problem_ = "a view of scalar memory with more than one dimension";
    return "0";
  }
  return InOrder{"{} + {}", address(view->source), text(slice.start[0])};
}

std::string ScalarCode::element(const Slice& slice) { return fmt::format("*({})", address(slice)); }

std::string ScalarCode::expression(const Op& op) {
  if (const auto* o = std::get_if<Load>(&op)) return element(o->src);
  if (const auto* o = std::get_if<LoadReal>(&op)) return element(o->src);
  if (const auto* o = std::get_if<SearchRight>(&op))
    return InOrder{"search_right({}, {}, {})", address(o->sorted), text(o->sorted.size[0]),
                   text(o->a)};
  const OpText* const format = op_text(op);
  if (format == nullptr) {
    problem_ = fmt::format("`{}` in scalar code has no CUDA form", info(op).mnemonic);
    return "0";
  }
  const bool divides = std::holds_alternative<Div>(op) || std::holds_alternative<Mod>(op) ||
                       std::holds_alternative<Tiles>(op);
  std::vector<std::string> operands;
  for (const FieldInfo& f : info(op).fields) {
    const ValueId value = field<ValueId>(op, f);
    operands.push_back(divides && !operands.empty() ? divisor(value) : text(value));
  }
  return written(format->whole, std::move(operands));
}

std::string ScalarCode::declaration(const Stmt& stmt, int indent) {
  const bool real = program_.value(stmt.result).kind == ValueKind::real;
  const std::string value = expression(stmt.op);
  return fmt::format("{:{}}const {} {} = {};\n", "", indent, real ? "float" : "i64",
                     names_.value(stmt.result), value);
}

void ScalarCode::needs(ValueId value, std::set<StmtId>& statements) const {
  const Value& v = program_.value(value);
  if (v.constant || !v.statement || known_.contains(value)) return;
  const Op& op = program_.body[v.statement].op;
  if (!statements.insert(v.statement).second) return;
  for (const ValueId operand : operands_of(op)) needs(operand, statements);
}

std::string ScalarCode::compute(const std::vector<ValueId>& wanted, int indent) {
  std::set<StmtId> statements;
  for (const ValueId value : wanted) needs(value, statements);
  std::string code;
  for (const StmtId at : statements) {
    const Stmt& stmt = program_.body[at];
    if (std::holds_alternative<View>(stmt.op)) continue;
    if (!is_pure(stmt.op)) {
      problem_ = fmt::format("the result of `{}` has no CUDA form here", info(stmt.op).mnemonic);
      continue;
    }
    code += declaration(stmt, indent);
    known_[stmt.result] = names_.value(stmt.result);
  }
  return code;
}

}  // namespace tessera::cuda
