#include "devices/cuda/lower/lower.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/program/refs.h"
#include "devices/cuda/lower/contraction.h"
#include "devices/cuda/lower/epilogue_code.h"
#include "devices/cuda/lower/in_order.h"
#include "devices/cuda/lower/prepare_code.h"
#include "devices/cuda/lower/scalar_code.h"
#include "devices/cuda/lower/tile_config.h"
#include "devices/cuda/lower/wgmma_code.h"

namespace tessera::cuda {
namespace {

// A tile may begin before this and end after it.
constexpr std::int64_t most_extent = (std::int64_t{1} << 31) - (1 << 16);

class Lowering {
 public:
  Lowering(const Program& program, const Contraction& c, const TileConfig& t)
      : program_(program), c_(c), t_(t), names_(program, {t.m, t.n, t.k}) {}

  Expected<LoweredKernel> run() {
    order_loops();
    const std::string program = functions();
    if (!problem_.empty()) {
      return Diag{ErrorCode::unsupported,
                  program_.loc(program_.body[static_cast<std::size_t>(c_.open)].place),
                  problem_,
                  {}};
    }
    LoweredKernel kernel;
    kernel.entry = "tessera_" + program_.name;
    kernel.threads = t_.threads();
    kernel.array_elements = array_elements(program_);
    const TensorCorePlan plan = launch_plan();
    kernel.result_rows = plan.result.extent[1];
    kernel.arguments = arguments(plan);
    kernel.plan = plan;
    if (t_.operand_bytes() == 1) kernel.sum_error = fp8_sum_error;
    kernel.summary = summary();
    kernel.source = fmt::format(
        "// {}\n#include \"devices/cuda/templates/contract.cuh\"\n#include "
        "\"devices/cuda/templates/elementwise.cuh\"\n\n"
        "namespace tessera::cuda {{\n\n{}\nstruct Program {{\n{}{}}};\n\n}}  // namespace "
        "tessera::cuda\n\n"
        "extern \"C\" __global__ void __launch_bounds__(tessera::cuda::C::threads, 1){}\n"
        "{}(const __grid_constant__ tessera::cuda::Program::Args p) {{\n"
        "  tessera::cuda::contract<tessera::cuda::C, tessera::cuda::Program>(p);\n}}\n",
        kernel.summary, config(), args_struct(kernel.arguments), program,
        plan.cluster > 1 ? " __cluster_dims__(tessera::cuda::C::cluster, 1, 1)" : "", kernel.entry);
    return kernel;
  }

 private:
  void fail(std::string reason) {
    if (problem_.empty()) problem_ = std::move(reason);
  }

  const Stmt* definition(ValueId v) const {
    const std::int32_t at = program_.value(v).statement;
    return at < 0 ? nullptr : &program_.body[static_cast<std::size_t>(at)];
  }
  // The value is computed from `index`.
  bool depends(ValueId value, ValueId index) const {
    if (value == index) return true;
    if (value == no_value || program_.value(value).constant ||
        program_.value(value).kind == ValueKind::ref)
      return false;
    const Stmt* s = definition(value);
    if (!s || std::holds_alternative<Grid>(s->op)) return false;
    const std::vector<ValueId> operands = operands_of(s->op);
    return std::any_of(operands.begin(), operands.end(),
                       [&](ValueId v) { return depends(v, index); });
  }
  bool moves_with(const WindowUse& window, ValueId index) const {
    const Slice& source = window.op->source;
    return std::any_of(source.start.begin(), source.start.begin() + source.rank,
                       [&](ValueId v) { return depends(v, index); });
  }

  // The loop of the rows: the last that the left operand moves with; of the columns: the last that
  // only the right one moves with. The others are outer.
  void order_loops() {
    for (const GridLoop& loop : c_.loops) {
      for (const GridLoop& other : c_.loops) {
        if (depends(loop.upper, other.index))
          fail("a parallel grid dimension whose bound depends on another one");
      }
      const bool left = moves_with(c_.left.window, loop.index),
                 right = moves_with(c_.right.window, loop.index);
      if (left)
        rows_ = &loop;
      else if (right)
        columns_ = &loop;
    }
    for (const GridLoop& loop : c_.loops) {
      if (&loop != rows_ && &loop != columns_) outer_.push_back(&loop);
    }
    if (outer_.size() > 1)
      fail("more than one parallel grid dimension beside those of the rows and the columns");
  }

  // Numbers of a tile that others are computed from: not of a step, no constants.
  void tile_values(ValueId value, std::set<ValueId>& fields) const {
    if (value == no_value || program_.value(value).constant ||
        program_.value(value).kind == ValueKind::ref)
      return;
    if (c_.steps && value == c_.steps->index) return;
    if (!c_.steps || !depends(value, c_.steps->index)) {
      fields.insert(value);
      return;
    }
    const Stmt* s = definition(value);
    for (const ValueId operand : operands_of(s->op)) tile_values(operand, fields);
  }

  std::vector<ValueId> step_values() const {
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

  // "coordinate": a window's start in the memory's order; `shift` is added along the contraction.
  std::string coordinates(ScalarCode& code, const OperandConfig& operand, const char* side) {
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

  std::string functions() {
    std::string prepare = prepare_code(program_, c_.open, names_, problem_);

    ScalarCode grid_code(program_, names_);
    std::vector<ValueId> bounds;
    for (const GridLoop& loop : c_.loops) bounds.push_back(loop.upper);
    std::string grid = grid_code.compute(bounds, 4);
    std::string outer_count;
    for (const GridLoop* loop : outer_) {
      outer_count += fmt::format("{}most(0, {})", outer_count.empty() ? "" : " * ",
                                 grid_code.text(loop->upper));
    }
    const auto count = [&](const GridLoop* loop) {
      return loop ? grid_code.text(loop->upper) : std::string("1");
    };
    grid += std::string(InOrder{
        "    return {{static_cast<int>({}), static_cast<int>({}), static_cast<int>({})}};\n",
        outer_count.empty() ? "1" : outer_count, count(rows_), count(columns_)});

    // The numbers of a tile: found first, then written with everything that reads them.
    KernelNames unused = names_;
    ScalarCode draft(program_, unused);
    EpilogueCode epilogue = epilogue_code(program_, c_, draft, unused);
    std::set<ValueId> fields;
    const std::vector<ValueId> of_step = step_values();
    for (const ValueId v : of_step) tile_values(v, fields);
    std::vector<ValueId> of_tile = epilogue.needs;
    const Slice& result = c_.result.op->source;
    of_tile.insert(of_tile.end(), result.start.begin(), result.start.begin() + result.rank);
    if (c_.steps) of_tile.insert(of_tile.end(), {c_.steps->lower, c_.steps->upper});
    for (const ValueId v : of_tile) {
      if (program_.value(v).constant) continue;
      if (c_.steps && depends(v, c_.steps->index))
        fail("the epilogue depends on the number of the step");
      fields.insert(v);
    }
    std::string field_list, tile = point_code();
    ScalarCode tile_code(program_, names_);
    for (const GridLoop& loop : c_.loops) tile_code.know(loop.index, names_.value(loop.index));
    tile += tile_code.compute(std::vector<ValueId>(fields.begin(), fields.end()), 4);
    tile += "    Tile t;\n";
    ScalarCode step_code(program_, names_), rest(program_, names_);
    for (const ValueId v : fields) {
      const bool real = program_.value(v).kind == ValueKind::real;
      const std::string field = names_.value(v);
      field_list += fmt::format("    {} {};\n", real ? "float" : "i64", field);
      tile += fmt::format("    t.{0} = {0};\n", field);
      for (ScalarCode* code : {&step_code, &rest}) code->know(v, "t." + field);
    }
    tile += "    return t;\n";
    if (c_.steps) step_code.know(c_.steps->index, "s");
    std::string step = step_code.compute(of_step, 4) + "    Step step;\n";
    std::string active;
    for (const Condition& c : c_.active) {
      active += fmt::format("{}{} {} 0", active.empty() ? "" : " && ", step_code.text(c.value),
                            c.holds ? "!=" : "==");
    }
    std::string depth = fmt::format("{}", t_.k);
    if (t_.ragged_k) {
      depth = fmt::format("static_cast<int>({})", step_code.text(c_.k_size));
      active += std::string(active.empty() ? "" : " && ") + "step.depth > 0";
    }
    step += fmt::format("    step.depth = {};\n    step.active = {};\n", depth,
                        active.empty() ? "true" : active);
    step += coordinates(step_code, t_.left, "left");
    step += coordinates(step_code, t_.right, "right");
    step += "    return step;\n";

    epilogue = epilogue_code(program_, c_, rest, names_);
    exact_rows_ = epilogue.exact_rows;
    if (!epilogue.problem.empty()) fail(epilogue.problem);
    std::string result_at;
    for (std::size_t i = 0; i < t_.result_dims.size(); ++i) {
      result_at +=
          fmt::format("    at[{}] = static_cast<int>({});\n", i,
                      rest.text(result.start[static_cast<std::size_t>(t_.result_dims[i])]));
    }
    const std::string lower = c_.steps ? rest.text(c_.steps->lower) : "0",
                      upper = c_.steps ? rest.text(c_.steps->upper) : "1";
    for (const ScalarCode* code : {&grid_code, &tile_code, &step_code, &rest}) {
      if (!code->problem().empty()) fail(code->problem());
    }
    const std::string arrays = "const Args& p, const i64* arrays";
    return fmt::format(
        "  struct Tile {{\n{}  }};\n"
        "  struct Step {{\n    bool active;\n    int depth;\n    int left[C::left_rank], "
        "right[C::right_rank];\n  }};\n\n"
        "  static TESSERA_DEVICE bool prepare(const Args& p, i64* arrays) {{\n{}  }}\n"
        "  static TESSERA_DEVICE TileGrid grid({}) {{\n{}  }}\n"
        "  static TESSERA_DEVICE Tile tile({}, const TilePoint& point) {{\n{}  }}\n"
        "  static TESSERA_DEVICE i64 step_begin({}, const Tile& t) {{ return {}; }}\n"
        "  static TESSERA_DEVICE i64 step_end({}, const Tile& t) {{ return {}; }}\n"
        "  static TESSERA_DEVICE Step step({}, const Tile& t, i64 s) {{\n{}  }}\n"
        "  static TESSERA_DEVICE Rows rows(const Args& p, const Tile& t) {{\n"
        "    i64 begin = 0, end = 0;\n{}"
        "    return {{static_cast<int>(most(begin, 0)), static_cast<int>(least(end, {}))}};\n  }}\n"
        "  static TESSERA_DEVICE void result_at(const Args& p, const Tile& t, int "
        "(&at)[C::result_rank]) {{\n{}  }}\n"
        "  static TESSERA_DEVICE float value(const Args& p, const Tile& t, int row, int column, "
        "float x) {{\n"
        "    float out = 0;\n{}    return out;\n  }}\n",
        field_list, prepare, arrays, grid, arrays, tile, arrays, lower, arrays, upper, arrays, step,
        epilogue.rows, t_.result_rows(), result_at, epilogue.value);
  }

  // The loops' indices at a point of the order.
  std::string point_code() {
    std::string text;
    const auto set = [&](const GridLoop* loop, const char* from) {
      text += fmt::format("    const i64 {} = point.{};\n", names_.value(loop->index), from);
    };
    if (rows_) set(rows_, "row");
    if (columns_) set(columns_, "column");
    if (outer_.size() == 1) set(outer_[0], "outer");
    return text;
  }

  std::string config() const {
    const auto operand = [&](const char* side, const OperandConfig& o) {
      return fmt::format(
          "  static constexpr bool {0}_k_major = {1};\n"
          "  static constexpr int {0}_rank = {2}, {0}_row_dim = {3}, {0}_k_dim = {4};\n",
          side, o.operand->k_major, o.rank(), o.position(o.operand->row_dim),
          o.position(o.operand->k_dim));
    };
    // A producer of a pair follows two tiles.
    const bool paired = t_.blocks_together() > 1;
    const MachineHints& h = t_.hints;
    const bool by_rows = h.pairing == Pairing::rows, by_columns = h.pairing == Pairing::columns;
    const std::string hints = fmt::format(
        "  static constexpr int band = {}, cluster = {};\n"
        "  static constexpr Pair pair = Pair::{};\n"
        "  static constexpr bool share_left = {}, share_right = {}, alternate = {}, dynamic = {};\n"
        "  static constexpr ptx::Evict left_evict = ptx::Evict::{}, right_evict = "
        "ptx::Evict::{};\n",
        h.band, t_.blocks_together(), name(h.pairing), by_columns, by_rows, h.alternate, h.dynamic,
        name(t_.swapped ? h.right : h.left), name(t_.swapped ? h.left : h.right));
    return fmt::format(
        "struct C {{\n"
        "  static constexpr int m = {}, n = {}, k = {}, stages = {}, consumers = {}, m_pieces = "
        "{}, threads = {};\n"
        "{}"
        "  static constexpr int producer_registers = {}, consumer_registers = {};\n"
        "  static constexpr int operand_bytes = {};\n"
        "  static constexpr bool swapped = {}, ragged_k = {}, exact_rows = {};\n{}{}"
        "  static constexpr int result_rank = {}, result_bytes = {};\n"
        "  static constexpr ResultType result = ResultType::{};\n}};\n",
        t_.m, t_.n, t_.k, t_.stages, t_.consumers, t_.m_pieces, t_.threads(), hints,
        paired ? 56 : 40, paired ? 224 : 232, t_.operand_bytes(), t_.swapped, t_.ragged_k,
        exact_rows_, operand("left", t_.left), operand("right", t_.right), t_.result_dims.size(),
        size_of(t_.result), name(t_.result));
  }

  std::vector<ArgField> arguments(const TensorCorePlan& plan) const {
    std::vector<ArgField> fields = {
        {"TensorMap", "left", FromLaunch::left_map},
        {"TensorMap", "right", FromLaunch::right_map},
        {"TensorMap", "result_map", FromLaunch::result_map},
        {"void*", "result", OperandAddress{plan.result.buffer}},
        {"i64", "result_rows", plan.result.extent[1]},
        {"i64", "result_columns", plan.result.extent[0]},
        {"i64", "result_pitch", FromLaunch::result_pitch},
        {"i64", "contraction", plan.contraction},
        {"i64*", "arrays", FromLaunch::arrays},
        {"i64", "array_elements", array_elements(program_)},
        {"i64*", "error", FromLaunch::error},
        {"u32*", "taken", FromLaunch::taken},
    };
    append_program_fields(fields, program_, {Role::in}, names_.numbers());
    return fields;
  }

  TensorCorePlan launch_plan() const {
    const auto map = [&](const Buffer& buffer, const std::vector<int>& dims) {
      MapPlan plan;
      plan.buffer = static_cast<int>(&buffer - program_.buffers.data());
      plan.element_bytes = size_of(buffer.dtype);
      for (const int d : dims) plan.extent.push_back(buffer.shape[static_cast<std::size_t>(d)]);
      plan.box.assign(dims.size(), 1);
      return plan;
    };
    const auto operand = [&](const OperandConfig& o, std::int64_t rows) {
      MapPlan plan = map(*o.operand->window.buffer, o.memory_dims);
      plan.box[0] = 128 / t_.operand_bytes();
      plan.box[static_cast<std::size_t>(
          o.position(o.operand->k_major ? o.operand->row_dim : o.operand->k_dim))] =
          o.operand->k_major ? rows : t_.k;
      return plan;
    };
    TensorCorePlan plan;
    plan.wgmma = wgmma_code(
        {t_.left.dtype(), t_.right.dtype(), t_.left.operand->k_major, t_.right.operand->k_major},
        t_.n);
    plan.cluster = t_.blocks_together();
    plan.shared_bytes = t_.shared_bytes;
    plan.by_element.assign(names_.operands().begin(), names_.operands().end());
    plan.left = operand(t_.left, 64);
    const bool halves = t_.hints.pairing == Pairing::rows && t_.right.operand->k_major;
    plan.right = operand(t_.right, t_.n / (halves ? t_.blocks_together() : 1));
    plan.ragged_contraction = t_.ragged_k;
    plan.contraction =
        plan.left.extent[static_cast<std::size_t>(t_.left.position(t_.left.operand->k_dim))];
    plan.result = map(*c_.result.buffer, t_.result_dims);
    plan.result.box[0] = 128 / size_of(t_.result);
    plan.result.box[1] = t_.swapped ? t_.n : 64;
    return plan;
  }

  std::string summary() const {
    const auto layout = [](const OperandConfig& o) {
      return o.operand->k_major ? "along k" : "across k";
    };
    std::string how = hints_text(t_.hints);
    if (!how.empty()) how = ", " + how;
    return fmt::format(
        "{}: sm_90a, tiles {} x {} x {}{}, {} stages, {} consumer{}{}, operands {} and {}, {} . {} "
        "-> {}",
        program_.name, t_.result_rows(), t_.result_columns(), t_.k, t_.swapped ? " swapped" : "",
        t_.stages, t_.consumers, t_.consumers == 1 ? "" : "s", how, layout(t_.left),
        layout(t_.right), name(t_.left.dtype()), name(t_.right.dtype()), name(t_.result));
  }

  const Program& program_;
  const Contraction& c_;
  const TileConfig& t_;
  KernelNames names_;
  std::string problem_;
  bool exact_rows_ = false;
  const GridLoop *rows_ = nullptr, *columns_ = nullptr;
  std::vector<const GridLoop*> outer_;
};

}  // namespace

Expected<LoweredKernel> lower(const Program& program, const MachineHints& hints) {
  const Expected<Contraction> contraction = recognise(program);
  if (!contraction) return contraction.diags();
  const Expected<TileConfig> config = tile_config(*contraction, hints);
  if (!config) return config.diags();
  Expected<LoweredKernel> kernel = Lowering(program, *contraction, *config).run();
  if (!kernel) return kernel;
  const TensorCorePlan& plan = *kernel->tensor_core();
  for (const MapPlan* map : {&plan.left, &plan.right, &plan.result}) {
    for (const std::int64_t extent : map->extent) {
      if (extent <= most_extent) continue;
      const Buffer& buffer = program.buffers[static_cast<std::size_t>(map->buffer)];
      return error(ErrorCode::unsupported,
                   fmt::format("`{}` has {} elements along a dimension; the copy engine's "
                               "coordinates are 32 bits",
                               buffer.name, extent));
    }
  }
  return kernel;
}

}  // namespace tessera::cuda
