#include "core/passes/pipeline_writer.h"

#include <algorithm>

#include "core/passes/at_once.h"

namespace tessera {

PipelineWriter::PipelineWriter(Expander& expander, StmtId open, const ValueMap& map)
    : expander_(expander),
      builder_(expander.builder()),
      old_(expander.old()),
      around_(map),
      outer_loop_(builder_.loop()),
      scratch_(builder_) {
  parts_.open = open;
}

void PipelineWriter::write() {
  const std::size_t errors = expander_.diags().size();
  parts_ = pipeline_parts(old_, parts_.open, expander_.diags());
  if (expander_.diags().size() > errors) return;  // it cannot be written
  if (expander_.is_at_once() && can_move_at_once(old_, parts_)) return write_at_once();
  const std::size_t points = open_points();
  windows_.reserve(parts_.windows.size());
  for (const PipelineWindow& window : parts_.windows)
    windows_.emplace_back(expander_, scratch_, window, around_);
  allocate();
  ValueMap point = around_;
  Indices indices;
  if (parts_.ahead == 0) {
    loops(0, point, no_value, indices);
  } else {
    const ValueId part = builder_.emit(For{builder_.integer(0), builder_.integer(2), 0}, "part");
    loops(0, point, part, indices);
    builder_.emit(End{});
  }
  for (WindowWriter& w : windows_) w.drain();
  scratch_.release();
  close_points(points);
}

// Uses the loops of the grid unchanged. Blocks are fetched when their point is computed.
void PipelineWriter::write_at_once() {
  is_at_once_ = true;
  builder_.at_place(stmt(parts_.open).place);
  builder_.emit(pipeline_mark(parts_.open, builder_.text("pipeline")));
  const std::size_t points = open_points();
  for (PipelineWindow& w : parts_.windows) w.ahead = 0;
  windows_.reserve(parts_.windows.size());
  std::int64_t from = 0;  // index of the window's first number in the state
  for (const PipelineWindow& window : parts_.windows) {
    windows_.emplace_back(expander_, scratch_, window, around_);
    windows_.back().move_at_once(from);
    from += numbers_of(old_, window);
  }
  for (WindowWriter& w : windows_) w.allocate();
  ValueMap point = around_;
  Indices indices;
  loops(0, point, no_value, indices);
  for (WindowWriter& w : windows_) w.drain();
  scratch_.release();
  close_points(points);
  builder_.at_place(stmt(parts_.open).place);
  builder_.emit(End{});
}

// True for the innermost parallel dimension with synchronous moves: blocks are stored at the end of
// each of its iterations, so that a run shows the effects of each iteration separately.
bool PipelineWriter::is_end_of_point(std::size_t dim) const {
  const auto is_parallel = [&](std::size_t d) {
    return d < parts_.dimensions.size() &&
           std::get<Grid>(stmt(parts_.dimensions[d].at).op).parallel != 0;
  };
  return is_at_once_ && is_parallel(dim) && !is_parallel(dim + 1);
}

void PipelineWriter::close_points(std::size_t points) {
  for (std::size_t i = 0; i < points; ++i) {
    builder_.leave_loop();
    builder_.emit(End{});
  }
}

// With Expansion::per_point, writes the parallel dimensions as loops around a pipeline of the other
// dimensions. Returns the number of loops opened.
std::size_t PipelineWriter::open_points() {
  if (!expander_.is_per_point()) return 0;
  std::size_t points = 0;
  std::vector<PipelineDimension>& dimensions = parts_.dimensions;
  for (const PipelineDimension& d : dimensions) {
    const Stmt& s = stmt(d.at);
    const auto& grid = std::get<Grid>(s.op);
    if (grid.parallel == 0) break;  // nor are the dimensions after it
    expander_.write(d.from, d.at, around_);
    builder_.at_place(s.place);
    const ValueId lower = expander_.mapped(grid.lower, around_),
                  upper = expander_.mapped(grid.upper, around_);
    around_[s.result] = builder_.emit(For{lower, upper, 1}, name_of(d));
    builder_.enter_loop(name_of(d), around_[s.result]);
    parts_.grid_from = d.at + 1;
    ++points;
  }
  outer_loop_ = builder_.loop();
  dimensions.erase(dimensions.begin(), dimensions.begin() + static_cast<std::ptrdiff_t>(points));
  if (dimensions.empty()) {  // single step: no earlier step to fetch in
    for (PipelineWindow& w : parts_.windows) w.ahead = 0;
    parts_.ahead = 0;
  }
  return points;
}

void PipelineWriter::allocate() {
  for (WindowWriter& w : windows_) w.allocate();
  const int ahead = parts_.ahead;
  if (ahead == 0) return;
  builder_.at_place(stmt(parts_.open).place);
  const auto rank = static_cast<std::int64_t>(parts_.dimensions.size());
  queue_ = scratch_.new_array("queue", {(ahead + 1) * rank});
  counts_ = scratch_.new_array("steps", {2 + ahead});
  for (int i = 0; i < 2 + ahead; ++i) scratch_.store_number(counts_, i, builder_.integer(0));
}

// In part 0 the loops run over the grid. In part 1 the outermost loop runs once per queued
// point, and each other loop once. The scalar code between them then uses the last point of the
// grid, which is valid.
void PipelineWriter::loops(std::size_t dim, ValueMap& point, ValueId part, Indices& indices) {
  if (dim == parts_.dimensions.size()) return step(point, part, indices);
  const PipelineDimension& d = parts_.dimensions[dim];
  expander_.write(d.from, d.at, point);
  const Stmt& s = stmt(d.at);
  const auto& grid = std::get<Grid>(s.op);
  builder_.at_place(s.place);
  ValueId lower = expander_.mapped(grid.lower, point), upper = expander_.mapped(grid.upper, point);
  ValueId last = no_value;
  if (part != no_value) {
    const ValueId queued = scratch_.load_number(counts_, 0);
    const ValueId again =
        dim == 0 ? builder_.sub(queued, scratch_.load_number(counts_, 1)) : builder_.integer(1);
    lower = builder_.select(part, builder_.integer(0), lower);
    upper = builder_.select(part, again, upper);
    last = newest(dim, queued);
  }
  const ValueId index = builder_.emit(For{lower, upper, grid.parallel}, name_of(d));
  point[s.result] = part == no_value ? index : builder_.select(part, last, index);
  indices.push_back(index);
  builder_.enter_loop(name_of(d), point[s.result]);
  loops(dim + 1, point, part, indices);
  if (is_end_of_point(dim))
    for (WindowWriter& w : windows_) w.close();
  builder_.leave_loop();
  builder_.emit(End{});
}

// Returns the index of the point queued last, in that dimension.
ValueId PipelineWriter::newest(std::size_t dim, ValueId queued) {
  const auto rank = static_cast<std::int64_t>(parts_.dimensions.size());
  const ValueId slot = builder_.emit(
      Mod{builder_.sub(queued, builder_.integer(1)), builder_.integer(parts_.ahead + 1)});
  return scratch_.load(queue_, builder_.add(builder_.mul(slot, builder_.integer(rank)),
                                            builder_.integer(static_cast<std::int64_t>(dim))));
}

// Assigns the statements that follow to the point with these indices.
void PipelineWriter::at_point(const Indices& indices) {
  builder_.at_loop(outer_loop_);
  for (std::size_t d = 0; d < parts_.dimensions.size(); ++d)
    builder_.enter_loop(name_of(parts_.dimensions[d]), indices[d]);
}

// Returns the position in the queue of one dimension of the point with that number.
ValueId PipelineWriter::place_of(ValueId number, std::size_t dim) {
  const ValueId slots = builder_.integer(parts_.ahead + 1),
                rank = builder_.integer(static_cast<std::int64_t>(parts_.dimensions.size()));
  return builder_.add(builder_.mul(builder_.emit(Mod{number, slots}), rank),
                      builder_.integer(static_cast<std::int64_t>(dim)));
}

PipelineWriter::Indices PipelineWriter::point_at(ValueId number) {
  Indices result;
  for (std::size_t d = 0; d < parts_.dimensions.size(); ++d)
    result.push_back(scratch_.load(queue_, place_of(number, d), name_of(parts_.dimensions[d])));
  return result;
}

void PipelineWriter::queue_point(const Indices& indices) {
  at_point(indices);
  const ValueId before = scratch_.load_number(counts_, 0, "queued");
  for (std::size_t d = 0; d < indices.size(); ++d)
    scratch_.store(queue_, place_of(before, d), indices[d]);
  scratch_.store_number(counts_, 0, builder_.add(before, builder_.integer(1)));
  fetch(evaluate(indices), parts_.ahead);
}

// Fetches the windows with a smaller `ahead`, for the queued points that are now within reach.
void PipelineWriter::fetch_lesser(ValueId queued, ValueId computed) {
  for (int lesser = 1; lesser < parts_.ahead; ++lesser) {
    if (!is_any_fetched(lesser)) continue;
    const ValueId upto = builder_.min(builder_.add(computed, builder_.integer(lesser + 1)), queued);
    const ValueId number =
        builder_.emit(For{scratch_.load_number(counts_, 1 + lesser), upto, 0}, "number");
    const Indices ahead = point_at(number);
    at_point(ahead);
    fetch(evaluate(ahead), lesser);
    builder_.at_loop(outer_loop_);
    builder_.emit(End{});
    scratch_.store_number(counts_, 1 + lesser, upto);
  }
}

void PipelineWriter::step(const ValueMap& producer, ValueId part, const Indices& indices) {
  const LoopId around = builder_.loop();
  if (part == no_value) {
    ValueMap map = producer;
    last_scalars(map);
    return consume(map);
  }
  builder_.emit(If{builder_.emit(Not{part})});
  queue_point(indices);
  builder_.emit(End{});
  builder_.at_loop(outer_loop_);  // the queue ops belong to no point
  const ValueId queued = scratch_.load_number(counts_, 0, "queued"),
                computed = scratch_.load_number(counts_, 1, "computed");
  const ValueId full =
      builder_.emit(Eq{builder_.sub(queued, computed), builder_.integer(parts_.ahead + 1)});
  builder_.emit(If{builder_.emit(Or{part, full})});
  fetch_lesser(queued, computed);
  scratch_.store_number(counts_, 1, builder_.add(computed, builder_.integer(1)));
  const Indices behind = point_at(computed);
  at_point(behind);
  consume(evaluate(behind));
  builder_.at_loop(around);
  builder_.emit(End{});
}

// Writes the scalar code between the windows.
void PipelineWriter::scalars(StmtId from, StmtId to, ValueMap& map) {
  for (StmtId i = from; i < to; ++i)
    if (!std::holds_alternative<Window>(stmt(i).op)) expander_.write_one(i, map);
}

// Writes the scalar code after the last dimension.
void PipelineWriter::last_scalars(ValueMap& map) {
  const auto& dimensions = parts_.dimensions;
  scalars(dimensions.empty() ? parts_.grid_from : dimensions.back().at + 1, parts_.body_from, map);
}

ValueMap PipelineWriter::evaluate(const Indices& indices) {
  ValueMap map = around_;
  for (std::size_t d = 0; d < parts_.dimensions.size(); ++d) {
    const PipelineDimension& dimension = parts_.dimensions[d];
    scalars(dimension.from, dimension.at, map);
    map[stmt(dimension.at).result] = indices[d];
  }
  last_scalars(map);
  return map;
}

void PipelineWriter::fetch(const ValueMap& point, int ahead) {
  for (WindowWriter& w : windows_)
    if (w.is_fetched_ahead(ahead)) w.fetch(point);
}

bool PipelineWriter::is_any_fetched(int ahead) const {
  return std::any_of(windows_.begin(), windows_.end(),
                     [&](const WindowWriter& w) { return w.is_fetched_ahead(ahead); });
}

void PipelineWriter::consume(const ValueMap& point) {
  for (WindowWriter& w : windows_) w.use(point);
  ValueMap map = point;
  expander_.write(parts_.body_from, parts_.close, map);
}

}  // namespace tessera
