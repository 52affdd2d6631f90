#include "devices/cuda/lower/tile_functions.h"

#include <fmt/format.h>

#include "devices/cuda/lower/prepare_code.h"

namespace tessera::cuda {

void TileFunctions::fail(std::string reason) {
  if (problem_.empty()) problem_ = std::move(reason);
}

void TileFunctions::note(const ScalarCode& code) {
  if (scalar_problem_.empty()) scalar_problem_ = code.problem();
}

void TileFunctions::write(SourceTemplate& source) {
  source.set("prepare", prepare_code(program_, c_.open, names_, problem_));
  write_grid(source);
  const std::vector<ValueId> of_step = step_values();
  const std::set<ValueId> fields = tile_fields(of_step);
  write_tile(source, fields);
  ScalarCode step(program_, names_), rest(program_, names_);
  for (const ValueId v : fields) {
    step.know(v, "t." + names_.value(v));
    rest.know(v, "t." + names_.value(v));
  }
  write_step(source, step, of_step);
  write_alike(source);
  write_epilogue(source, rest);
}

// Number of tiles: outer loop, rows and columns.
void TileFunctions::write_grid(SourceTemplate& source) {
  ScalarCode code(program_, names_);
  std::vector<ValueId> bounds;
  for (const GridLoop& loop : c_.loops) bounds.push_back(loop.upper);
  source.set("grid_values", code.compute(bounds, 4));
  const auto count = [&](const GridLoop* loop) { return loop ? code.text(loop->upper) : "1"; };
  source.set("outer_count",
             order_.outer ? fmt::format("most(0, {})", code.text(order_.outer->upper)) : "1");
  source.set("row_count", count(order_.rows));
  source.set("column_count", count(order_.columns));
  note(code);
}

// Collects the scalars of a tile from which `value` is computed, without constants and scalars of a
// step.
void TileFunctions::collect_tile_values(ValueId value, std::set<ValueId>& fields) const {
  if (value == no_value || program_.value(value).constant ||
      program_.value(value).kind == ValueKind::ref)
    return;
  if (c_.steps && value == c_.steps->index) return;
  if (!c_.steps || !depends(program_, value, c_.steps->index)) {
    fields.insert(value);
    return;
  }
  for (const ValueId operand : operands_of(definition(program_, value)->op))
    collect_tile_values(operand, fields);
}

std::vector<ValueId> TileFunctions::step_values() const {
  std::vector<ValueId> wanted;
  for (const ProductOperand* operand : {&c_.left, &c_.right}) {
    const Slice& source = operand->window.op->source;
    wanted.insert(wanted.end(), source.start.begin(), source.start.begin() + source.rank);
  }
  for (const Condition& c : c_.active) wanted.push_back(c.value);
  if (t_.ragged_k) wanted.insert(wanted.end(), {c_.k_start, c_.k_size});
  std::erase_if(wanted, [&](ValueId v) { return program_.value(v).constant; });
  return wanted;
}

// Fields of struct Tile: scalars of a tile that the steps and the epilogue read.
std::set<ValueId> TileFunctions::tile_fields(const std::vector<ValueId>& of_step) {
  // A first draft of the epilogue determines its scalars; the final text needs their names.
  KernelNames draft_names = names_;
  ScalarCode draft(program_, draft_names);
  std::vector<ValueId> of_tile = epilogue_code(program_, c_, draft, draft_names).needs;
  const Slice& result = c_.result.op->source;
  of_tile.insert(of_tile.end(), result.start.begin(), result.start.begin() + result.rank);
  if (c_.steps) of_tile.insert(of_tile.end(), {c_.steps->lower, c_.steps->upper});
  std::set<ValueId> fields;
  for (const ValueId v : of_step) collect_tile_values(v, fields);
  for (const ValueId v : of_tile) {
    if (program_.value(v).constant) continue;
    if (c_.steps && depends(program_, v, c_.steps->index))
      fail("the epilogue depends on the number of the step");
    fields.insert(v);
  }
  return fields;
}

// Declarations of the loop indices at a point of the tile order.
std::string TileFunctions::loop_indices() {
  std::string text;
  const auto set = [&](const GridLoop* loop, const char* from) {
    if (loop != nullptr)
      text += fmt::format("    const i64 {} = point.{};\n", names_.value(loop->index), from);
  };
  set(order_.rows, "row");
  set(order_.columns, "column");
  set(order_.outer, "outer");
  return text;
}

void TileFunctions::write_tile(SourceTemplate& source, const std::set<ValueId>& fields) {
  source.set("loop_indices", loop_indices());
  ScalarCode code(program_, names_);
  for (const GridLoop& loop : c_.loops) code.know(loop.index, names_.value(loop.index));
  source.set("tile_values", code.compute({fields.begin(), fields.end()}, 4));
  std::string declarations, assignments;
  for (const ValueId v : fields) {
    const bool real = program_.value(v).kind == ValueKind::real;
    const std::string field = names_.value(v);
    declarations += fmt::format("    {} {};\n", real ? "float" : "i64", field);
    assignments += fmt::format("    t.{0} = {0};\n", field);
  }
  source.set("tile_fields", declarations);
  source.set("tile_assignments", assignments);
  note(code);
}

// Coordinates of an operand's window in memory order, with the shift along the contraction.
std::string TileFunctions::coordinates(ScalarCode& code, const OperandConfig& operand,
                                       const char* side) {
  std::string text;
  const Slice& source = operand.operand->window.op->source;
  for (int i = 0; i < operand.rank(); ++i) {
    const int dim = operand.memory_dims[static_cast<std::size_t>(i)];
    std::string at = code.text(source.start[static_cast<std::size_t>(dim)]);
    if (t_.ragged_k && dim == operand.operand->k_dim) at += " + " + code.text(c_.k_start);
    text += fmt::format("    step.{}[{}] = static_cast<int>({});\n", side, i, at);
  }
  return text;
}

void TileFunctions::write_step(SourceTemplate& source, ScalarCode& code,
                               const std::vector<ValueId>& of_step) {
  if (c_.steps) code.know(c_.steps->index, "s");
  source.set("step_values", code.compute(of_step, 4));
  source.set("steps_read_memory", code.reads_memory() ? "true" : "false");
  std::string active;
  for (const Condition& c : c_.active) {
    active += fmt::format("{}{} {} 0", active.empty() ? "" : " && ", code.text(c.value),
                          c.holds ? "!=" : "==");
  }
  std::string depth = std::to_string(t_.k);
  if (t_.ragged_k) {
    depth = fmt::format("static_cast<int>({})", code.text(c_.k_size));
    active += std::string(active.empty() ? "" : " && ") + "step.depth > 0";
  }
  source.set("depth", depth);
  source.set("active", active.empty() ? "true" : active);
  const std::string left = coordinates(code, t_.left, "left");
  source.set("coordinates", left + coordinates(code, t_.right, "right"));
  note(code);
}

// Compares only the scalars of the tile from which a step is computed. The caller compares the
// bounds of the steps.
void TileFunctions::write_alike(SourceTemplate& source) {
  std::vector<ValueId> compared;
  for (const Condition& c : c_.active) compared.push_back(c.value);
  if (t_.ragged_k) compared.insert(compared.end(), {c_.k_start, c_.k_size});
  const OperandConfig& shared = t_.hints.pairing == Pairing::rows ? t_.right : t_.left;
  const Slice& window = shared.operand->window.op->source;
  compared.insert(compared.end(), window.start.begin(), window.start.begin() + window.rank);
  std::set<ValueId> fields;
  for (const ValueId v : compared) collect_tile_values(v, fields);
  std::string text;
  for (const ValueId v : fields)
    text += fmt::format("{0}a.{1} == b.{1}", text.empty() ? "" : " && ", names_.value(v));
  source.set("alike", text.empty() ? "true" : text);
}

void TileFunctions::write_epilogue(SourceTemplate& source, ScalarCode& code) {
  EpilogueCode epilogue = epilogue_code(program_, c_, code, names_);
  exact_rows_ = epilogue.exact_rows;
  if (!epilogue.problem.empty()) fail(epilogue.problem);
  std::string result_at;
  for (std::size_t i = 0; i < t_.result_dims.size(); ++i) {
    const auto dim = static_cast<std::size_t>(t_.result_dims[i]);
    result_at += fmt::format("    at[{}] = static_cast<int>({});\n", i,
                             code.text(c_.result.op->source.start[dim]));
  }
  source.set("first_step", c_.steps ? code.text(c_.steps->lower) : "0");
  source.set("end_step", c_.steps ? code.text(c_.steps->upper) : "1");
  source.set("stored_rows", epilogue.rows);
  source.set("tile_rows", std::to_string(t_.result_rows()));
  source.set("result_at", result_at);
  source.set("value", epilogue.value);
  note(code);
}

}  // namespace tessera::cuda
