#include "core/passes/expand_pipeline.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/passes/simplify.h"

namespace tessera {

bool Expander::opens_loop(std::int32_t at) const {
  return std::holds_alternative<For>(old_.body[static_cast<std::size_t>(at)].op);
}

std::int32_t Expander::write_one(std::int32_t at, ValueMap& map) {
  const Stmt& s = old_.body[static_cast<std::size_t>(at)];
  builder_.at_place(s.place);
  if (std::holds_alternative<Pipeline>(s.op)) {
    PipelineWriter(*this, at, map).write();
    return s.partner + 1;
  }
  if (const auto* view = std::get_if<View>(&s.op)) {
    replaced_[s.result] = {mapped(view->source, map), true};
    return at + 1;
  }
  if (const auto* branch = std::get_if<If>(&s.op)) {
    if (const auto known = builder_.program().constant(mapped(branch->condition, map))) {
      const Stmt& middle = old_.body[static_cast<std::size_t>(s.partner)];
      const bool has_else = std::holds_alternative<Else>(middle.op);
      const std::int32_t end = has_else ? middle.partner : s.partner;
      if (*known != 0)
        write(at + 1, s.partner, map);
      else if (has_else)
        write(s.partner + 1, end, map);
      return end + 1;
    }
  }
  const std::string name = s.result == no_value ? "" : old_.value(s.result).name;
  const ValueId result = builder_.emit(mapped(s.op, map), name);
  if (s.result != no_value) map[s.result] = result;
  if (std::holds_alternative<For>(s.op)) builder_.enter_loop(name, result);
  if (std::holds_alternative<End>(s.op) && opens_loop(s.partner)) builder_.leave_loop();
  return at + 1;
}

PipelineWriter::PipelineWriter(Expander& expander, std::int32_t open, const ValueMap& map)
    : expander_(expander),
      builder_(expander.builder_),
      old_(expander.old_),
      open_(open),
      close_(old_.body[static_cast<std::size_t>(open)].partner),
      around_(map),
      outer_loop_(builder_.loop()),
      grid_from_(open + 1) {}

void PipelineWriter::write() {
  find_parts();
  const std::size_t errors = expander_.diags_.size();
  classify();
  refuse_early_uses();
  if (expander_.diags_.size() > errors) return;  // it cannot be written
  const std::size_t points = open_points();
  allocate();
  ValueMap point = around_;
  std::vector<ValueId> indices;
  if (ahead_ == 0) {
    loops(0, point, no_value, indices);
  } else {
    const ValueId part = builder_.emit(For{builder_.integer(0), builder_.integer(2), 0}, "part");
    loops(0, point, part, indices);
    builder_.emit(End{});
  }
  for (WindowState& w : windows_)
    if (w.is_output && !w.is_view) drain(w);
  release();
  for (std::size_t i = 0; i < points; ++i) {
    builder_.leave_loop();
    builder_.emit(End{});
  }
}

// Where each point is by itself, the parallel dimensions are loops around a pipeline of the others.
// How many were opened.
std::size_t PipelineWriter::open_points() {
  if (!expander_.how_.per_point) return 0;
  std::size_t points = 0;
  for (const Dimension& d : dimensions_) {
    const Stmt& s = old_.body[static_cast<std::size_t>(d.at)];
    const auto& grid = std::get<Grid>(s.op);
    if (grid.parallel == 0) break;  // those behind it are not either
    expander_.write(d.from, d.at, around_);
    builder_.at_place(s.place);
    const ValueId lower = expander_.mapped(grid.lower, around_),
                  upper = expander_.mapped(grid.upper, around_);
    const std::string& name = old_.value(s.result).name;
    around_[s.result] = builder_.emit(For{lower, upper, 1}, name);
    builder_.enter_loop(name, around_[s.result]);
    grid_from_ = d.at + 1;
    ++points;
  }
  outer_loop_ = builder_.loop();
  dimensions_.erase(dimensions_.begin(), dimensions_.begin() + static_cast<std::ptrdiff_t>(points));
  if (dimensions_.empty()) {  // one step: nothing can be fetched before it
    for (WindowState& w : windows_) w.ahead = 0;
    ahead_ = 0;
  }
  return points;
}

// Grid dimensions with the scalar code before each, then windows among scalar code, then the body.
void PipelineWriter::find_parts() {
  std::int32_t from = open_ + 1;
  body_from_ = from;
  for (std::int32_t i = open_ + 1; i < close_; ++i) {
    const Stmt& s = old_.body[static_cast<std::size_t>(i)];
    if (std::holds_alternative<Grid>(s.op)) {
      dimensions_.push_back({from, i});
      from = body_from_ = i + 1;
    } else if (std::holds_alternative<Window>(s.op)) {
      windows_.push_back({});
      windows_.back().at = i;
      body_from_ = i + 1;
    } else if (!is_pure(s.op)) {
      if (std::holds_alternative<Pipeline>(s.op)) i = s.partner;  // its windows are its own
    }
  }
}

// The memory that the windows' places are computed from, step by step.
std::set<ValueId> PipelineWriter::index_memory() const {
  std::set<ValueId> result;
  for (std::int32_t i = open_; i < body_from_; ++i) {
    const Stmt& s = old_.body[static_cast<std::size_t>(i)];
    if (std::holds_alternative<Window>(s.op)) continue;
    for (const FieldInfo& f : info(s.op).fields)
      if (f.kind == FieldKind::Slice) result.insert(field<Slice>(s.op, f).base);
  }
  return result;
}

void PipelineWriter::classify() {
  // A window is an output when something in the body writes to it, also through a view.
  std::map<ValueId, ValueId> window_of;
  for (const WindowState& w : windows_) {
    const ValueId ref = old_.body[static_cast<std::size_t>(w.at)].result;
    window_of[ref] = ref;
  }
  std::vector<ValueId> written;
  for (std::int32_t i = body_from_; i < close_; ++i) {
    const Stmt& s = old_.body[static_cast<std::size_t>(i)];
    if (const auto* view = std::get_if<View>(&s.op)) {
      if (const auto it = window_of.find(view->source.base); it != window_of.end())
        window_of[s.result] = it->second;
      continue;
    }
    const Slice* target = written_slice(s.op);
    if (const auto* inner = std::get_if<Window>(&s.op)) {
      // A nested pipeline's window on this one writes it when that window is written.
      if (const auto it = window_of.find(inner->source.base); it != window_of.end())
        window_of[s.result] = it->second;
      continue;
    }
    if (!target) continue;
    if (const auto it = window_of.find(target->base); it != window_of.end())
      written.push_back(it->second);
  }
  // What a later step reads may arrive by a wait in the body: then nothing is fetched before its
  // step.
  const auto body = std::span(old_.body).subspan(static_cast<std::size_t>(body_from_),
                                                 static_cast<std::size_t>(close_ - body_from_));
  const std::set<ValueId> indices = index_memory();
  const bool waits = std::any_of(body.begin(), body.end(), [&](const Stmt& s) {
    const Slice* target = written_slice(s.op);
    return std::holds_alternative<Wait>(s.op) || std::holds_alternative<Await>(s.op) ||
           std::holds_alternative<ReadSem>(s.op) || (target && indices.contains(target->base));
  });
  for (WindowState& w : windows_) {
    const Stmt& s = old_.body[static_cast<std::size_t>(w.at)];
    const auto& window = std::get<Window>(s.op);
    if (old_.value(window.source.base).statement > open_)
      expander_.diags_.push_back({ErrorCode::unsupported,
                                  old_.loc(s.place),
                                  "a window on a view that moves with the grid: expected a slice "
                                  "of what the view shows",
                                  {}});
    const RefInfo source = ref_info(old_, window.source.base);
    w.is_output = std::find(written.begin(), written.end(), s.result) != written.end();
    w.is_input = !w.is_output || window.update != 0;
    w.is_view = source.space != Space::hbm;
    w.dims = kept(window.source);
    for (int d : w.dims)
      w.block.push_back(*old_.constant(window.source.size[static_cast<std::size_t>(d)]));
    if (!w.is_view && !w.is_output && !waits) w.ahead = static_cast<int>(window.depth) - 1;
    ahead_ = std::max(ahead_, w.ahead);
  }
}

// The places of windows are computed for points whose blocks are not there yet, so the scalar code
// among the windows cannot use one of them.
void PipelineWriter::refuse_early_uses() {
  for (std::int32_t i = grid_from_; i < body_from_; ++i) {
    const Stmt& s = old_.body[static_cast<std::size_t>(i)];
    if (std::holds_alternative<Window>(s.op)) continue;  // on a window: classify
    for (const FieldInfo& f : info(s.op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const Value& base = old_.value(field<Slice>(s.op, f).base);
      const bool is_window =
          base.statement > open_ &&
          std::holds_alternative<Window>(old_.body[static_cast<std::size_t>(base.statement)].op);
      if (is_window)
        expander_.diags_.push_back(
            {ErrorCode::unsupported,
             old_.loc(s.place),
             fmt::format("`{}` is used among the windows of its pipeline; expected its use behind "
                         "the last window",
                         base.name),
             {}});
    }
  }
}

ValueId PipelineWriter::new_array(const std::string& name, Shape shape) {
  Buffer buffer;
  buffer.name = name;
  buffer.space = Space::smem;
  buffer.dtype = DType::i64;
  buffer.shape = std::move(shape);
  buffer.scoped = true;
  const ValueId ref = builder_.buffer(std::move(buffer));
  alloc(ref);
  builder_.emit(Iota{builder_.whole(ref)});  // any value will do, but it must have one
  return ref;
}

void PipelineWriter::alloc(ValueId ref) {
  builder_.emit(Alloc{builder_.whole(ref)});
  allocated_.push_back(ref);
}

void PipelineWriter::allocate() {
  for (WindowState& w : windows_) {
    if (w.is_view) continue;
    const Stmt& s = old_.body[static_cast<std::size_t>(w.at)];
    const auto& window = std::get<Window>(s.op);
    const RefInfo source = ref_info(old_, window.source.base);
    const std::string name = old_.value(s.result).name;
    at(w);
    Buffer slots;
    slots.name = name;
    slots.space = Space::vmem;
    slots.dtype = source.dtype;
    slots.scoped = true;
    slots.shape.push_back(window.depth);
    slots.shape.insert(slots.shape.end(), w.block.begin(), w.block.end());
    // A slot is stored as the operand is, so that a copy moves rows and not elements.
    const Buffer& root = *old_.buffer(source.root);
    const bool direct = window.source.base == source.root;
    if (direct && !root.order.empty()) {
      slots.order.push_back(0);
      for (int d : root.order) {
        const auto it = std::find(w.dims.begin(), w.dims.end(), d);
        if (it != w.dims.end()) slots.order.push_back(static_cast<int>(it - w.dims.begin()) + 1);
      }
      if (std::is_sorted(slots.order.begin(), slots.order.end())) slots.order.clear();
    }
    w.slots = builder_.buffer(std::move(slots));
    alloc(w.slots);
    const auto semaphore = [&](const char* suffix) {
      Semaphore sem;
      sem.name = name + suffix;
      sem.kind = SemKind::bytes;
      sem.shape = {window.depth};
      sem.scoped = true;
      const ValueId id = builder_.semaphore(std::move(sem));
      alloc(id);
      return id;
    };
    if (w.is_input) w.landed = semaphore("_landed");
    if (w.is_output) w.stored = semaphore("_stored");
    // fetched, used, opened; the start in use and the start fetched last, by dimension; the bytes
    // of each slot.
    const std::int64_t rank = window.source.rank;
    w.state = new_array(name + "_state", {3 + 2 * rank + window.depth});
    for (int i = 0; i < 3; ++i) store_number(w.state, i, builder_.integer(0));
    const bool rereads = window.update != 0 && window.depth == 1;
    // A point by itself opens a block once; what several points store is judged beside this.
    if (w.is_output && !rereads && root.role == Role::out && !expander_.how_.per_point)
      builder_.emit(Once{builder_.whole(expander_.mapped(source.root, around_))});
  }
  if (ahead_ == 0) return;
  builder_.at_place(old_.body[static_cast<std::size_t>(open_)].place);
  queue_ = new_array("queue", {(ahead_ + 1) * static_cast<std::int64_t>(dimensions_.size())});
  counts_ = new_array("steps", {2 + ahead_});
  for (int i = 0; i < 2 + ahead_; ++i) store_number(counts_, i, builder_.integer(0));
}

void PipelineWriter::release() {
  for (auto it = allocated_.rbegin(); it != allocated_.rend(); ++it)
    builder_.emit(Free{builder_.whole(*it)});
}

ValueId PipelineWriter::load(ValueId array, ValueId index, std::string_view name) {
  return builder_.emit(Load{builder_.element(array, {&index, 1})}, name);
}

void PipelineWriter::store(ValueId array, ValueId index, ValueId value) {
  builder_.emit(Store{builder_.element(array, {&index, 1}), value});
}

// In part 0 the loops are the grid's own. In part 1 the outermost runs once for each queued point,
// the others once; the scalar code between them then sees the last point of the grid, which is a
// real one.
void PipelineWriter::loops(std::size_t dim, ValueMap& point, ValueId part,
                           std::vector<ValueId>& indices) {
  if (dim == dimensions_.size()) return step(point, part, indices);
  const Dimension& d = dimensions_[dim];
  expander_.write(d.from, d.at, point);
  const Stmt& s = old_.body[static_cast<std::size_t>(d.at)];
  const auto& grid = std::get<Grid>(s.op);
  builder_.at_place(s.place);
  ValueId lower = expander_.mapped(grid.lower, point), upper = expander_.mapped(grid.upper, point);
  ValueId last = no_value;
  if (part != no_value) {
    const ValueId queued = load_number(counts_, 0);
    const ValueId again =
        dim == 0 ? builder_.sub(queued, load_number(counts_, 1)) : builder_.integer(1);
    lower = builder_.select(part, builder_.integer(0), lower);
    upper = builder_.select(part, again, upper);
    const auto rank = static_cast<std::int64_t>(dimensions_.size());
    const ValueId newest =
        builder_.emit(Mod{builder_.sub(queued, builder_.integer(1)), builder_.integer(ahead_ + 1)});
    last = load(queue_, builder_.add(builder_.mul(newest, builder_.integer(rank)),
                                     builder_.integer(static_cast<std::int64_t>(dim))));
  }
  const ValueId index = builder_.emit(For{lower, upper, grid.parallel}, old_.value(s.result).name);
  point[s.result] = part == no_value ? index : builder_.select(part, last, index);
  indices.push_back(index);
  builder_.enter_loop(old_.value(s.result).name, point[s.result]);
  loops(dim + 1, point, part, indices);
  builder_.leave_loop();
  builder_.emit(End{});
}

// What is written from here on is for the point of these indices.
void PipelineWriter::at_point(const std::vector<ValueId>& indices) {
  builder_.at_loop(outer_loop_);
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    const Stmt& grid = old_.body[static_cast<std::size_t>(dimensions_[d].at)];
    builder_.enter_loop(old_.value(grid.result).name, indices[d]);
  }
}

void PipelineWriter::step(const ValueMap& producer, ValueId part,
                          const std::vector<ValueId>& indices) {
  const std::int32_t around = builder_.loop();
  if (part == no_value) {
    ValueMap map = producer;
    scalars(dimensions_.empty() ? grid_from_ : dimensions_.back().at + 1, body_from_, map);
    return consume(map);
  }
  const auto rank = static_cast<std::int64_t>(dimensions_.size());
  const ValueId slots = builder_.integer(ahead_ + 1);
  const auto place_of = [&](ValueId number, std::int64_t d) {
    return builder_.add(builder_.mul(builder_.emit(Mod{number, slots}), builder_.integer(rank)),
                        builder_.integer(d));
  };
  const auto point_at = [&](ValueId number) {
    std::vector<ValueId> result;
    for (std::int64_t d = 0; d < rank; ++d)
      result.push_back(load(
          queue_, place_of(number, d),
          old_.value(
                  old_.body[static_cast<std::size_t>(dimensions_[static_cast<std::size_t>(d)].at)]
                      .result)
              .name));
    return result;
  };
  builder_.emit(If{builder_.emit(Not{part})});
  at_point(indices);
  const ValueId before = load_number(counts_, 0, "queued");
  for (std::int64_t d = 0; d < rank; ++d)
    store(queue_, place_of(before, d), indices[static_cast<std::size_t>(d)]);
  store_number(counts_, 0, builder_.add(before, builder_.integer(1)));
  {
    const ValueMap map = evaluate(indices, around_);
    for (WindowState& w : windows_)
      if (!w.is_view && !w.is_output && w.ahead == ahead_) fetch(w, map);
  }
  builder_.emit(End{});
  builder_.at_loop(outer_loop_);  // the queue belongs to no point
  const ValueId queued = load_number(counts_, 0, "queued"),
                computed = load_number(counts_, 1, "computed");
  const ValueId full = builder_.emit(Eq{builder_.sub(queued, computed), slots});
  builder_.emit(If{builder_.emit(Or{part, full})});
  for (int lesser = 1; lesser < ahead_; ++lesser) {
    const auto has = [&](const WindowState& w) {
      return !w.is_view && !w.is_output && w.ahead == lesser;
    };
    if (std::none_of(windows_.begin(), windows_.end(), has)) continue;
    const ValueId upto = builder_.min(builder_.add(computed, builder_.integer(lesser + 1)), queued);
    const ValueId number = builder_.emit(For{load_number(counts_, 1 + lesser), upto, 0}, "number");
    const std::vector<ValueId> ahead = point_at(number);
    at_point(ahead);
    const ValueMap map = evaluate(ahead, around_);
    for (WindowState& w : windows_)
      if (has(w)) fetch(w, map);
    builder_.at_loop(outer_loop_);
    builder_.emit(End{});
    store_number(counts_, 1 + lesser, upto);
  }
  store_number(counts_, 1, builder_.add(computed, builder_.integer(1)));
  const std::vector<ValueId> behind = point_at(computed);
  at_point(behind);
  consume(evaluate(behind, around_));
  builder_.at_loop(around);
  builder_.emit(End{});
}

// The scalar code between the windows.
void PipelineWriter::scalars(std::int32_t from, std::int32_t to, ValueMap& map) {
  for (std::int32_t i = from; i < to; ++i)
    if (!std::holds_alternative<Window>(old_.body[static_cast<std::size_t>(i)].op))
      expander_.write_one(i, map);
}

ValueMap PipelineWriter::evaluate(const std::vector<ValueId>& indices, const ValueMap& around) {
  ValueMap map = around;
  for (std::size_t d = 0; d < dimensions_.size(); ++d) {
    scalars(dimensions_[d].from, dimensions_[d].at, map);
    map[old_.body[static_cast<std::size_t>(dimensions_[d].at)].result] = indices[d];
  }
  scalars(dimensions_.empty() ? grid_from_ : dimensions_.back().at + 1, body_from_, map);
  return map;
}

void PipelineWriter::consume(const ValueMap& at_point) {
  for (WindowState& w : windows_) {
    at(w);
    if (w.is_view) {
      use_view(w, at_point);
    } else if (w.is_output) {
      use_output(w, at_point);
    } else {
      if (w.ahead == 0) fetch(w, at_point);
      use_input(w, at_point);
    }
  }
  body(at_point);
}

void PipelineWriter::body(ValueMap map) { expander_.write(body_from_, close_, map); }

}  // namespace tessera
