#include "analysis/timeline/timing_record.h"

#include <algorithm>
#include <utility>

#include "core/data/dtype_info.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

using Extents = std::pair<std::int64_t, std::int64_t>;

std::int64_t up(std::int64_t value, std::int64_t unit) {
  return unit <= 1 ? value : (value + unit - 1) / unit * unit;
}

// The last two dimensions that a box keeps, the inner one second.
Extents inner_extents(const Box& box) {
  Extents last{1, 1};
  for (int d = 0; d < box.rank; ++d) {
    if (box.keeps(d)) last = {last.second, box.size[Box::at(d)]};
  }
  return last;
}

TimingRecord::Origin origin(const Event& event) { return {event.statement, event.agent_step}; }

double speed(DType dtype, const MachineRates& rates) {
  if (dtype == DType::i8) return rates.i8_speed;
  if (dtype == DType::f32) return rates.f32_speed;
  if (is_fp8(dtype)) return rates.fp8_speed;
  return 1;
}

}  // namespace

TimingRecord::TimingRecord(const Program& program, const MachineProfile& profile,
                           const Topology& topology, const MachineRates& rates, Detail detail)
    : program_(program),
      profile_(profile),
      rates_(rates),
      detail_(detail),
      topology_(topology),
      cores_(static_cast<std::size_t>(topology.count())) {
  for (const Semaphore& semaphore : program.semaphores) {
    std::int32_t first = cells_per_core_;
    for (const SemaphoreId other : first_cell_.ids()) {
      if (semaphore.kind != SemKind::barrier) break;
      const Semaphore& candidate = program.semaphores[other];
      if (candidate.kind == SemKind::barrier && candidate.collective == semaphore.collective)
        first = std::min(first, first_cell_[other]);
    }
    first_cell_.add(first);
    if (first == cells_per_core_)
      cells_per_core_ += static_cast<std::int32_t>(elements(semaphore.shape));
  }
}

std::int32_t TimingRecord::cell(const Event& event) const {
  return event.core.index * cells_per_core_ + first_cell_[event.object.semaphore()] +
         static_cast<std::int32_t>(event.cell);
}

void TimingRecord::on(const Event& event) {
  event.agent.is_copy() ? on_copy(event) : on_core(event);
}

std::string TimingRecord::cell_name(std::int32_t cell) const {
  const std::int32_t own = cell % cells_per_core_;
  const SemaphoreId s = semaphore_of(own);
  return s ? cell_text(program_, s, own - first_cell_[s]) : "";
}

bool TimingRecord::counts_bytes(std::int32_t cell) const {
  const SemaphoreId s = semaphore_of(cell % cells_per_core_);
  return s && program_.semaphores[s].kind == SemKind::bytes;
}

// Returns the first semaphore with the cell of a core; none if there is no such cell.
SemaphoreId TimingRecord::semaphore_of(std::int32_t own_cell) const {
  for (const SemaphoreId s : first_cell_.ids()) {
    const std::int64_t place = own_cell - first_cell_[s];
    if (place >= 0 && place < elements(program_.semaphores[s].shape)) return s;
  }
  return {};
}

std::string TimingRecord::region_name(StmtId statement) const {
  const Op& op = program_.body[statement].op;
  const auto* region = std::get_if<Trace>(&op);
  return region ? program_.texts[region->message] : "";
}

void TimingRecord::step(Core& core, const Step& step, const Origin& origin) {
  core.steps.push_back(step);
  if (detail_ == Detail::drawing) core.origins.push_back(origin);
}

// Work between two synchronisations or copy starts is one step.
void TimingRecord::work(Core& core, const Piece& piece) {
  if (piece.seconds <= 0 && piece.unit != Unit::mark) return;
  if (core.steps.empty() || core.steps.back().act != Act::work) step(core, {}, piece.origin);
  core.steps.back().seconds += piece.seconds;
  if (detail_ == Detail::times) return;
  ++core.steps.back().amount;
  core.pieces.push_back(piece);
}

void TimingRecord::mark(const Event& event) {
  if (detail_ == Detail::times) return;
  const bool is_lifetime = event.kind == EventKind::alloc || event.kind == EventKind::release;
  if (is_lifetime && (event.object_kind != ObjectKind::buffer ||
                      program_.buffers[event.object.buffer()].space != Space::vmem))
    return;
  work(cores_[topology_.of(event.agent)],
       {Unit::mark, event.kind, origin(event), 0, is_lifetime ? event.object.buffer() : BufferId(),
        event.core});
}

void TimingRecord::on_core(const Event& event) {
  Core& core = cores_[topology_.of(event.agent)];
  if (event.kind == EventKind::point || event.kind == EventKind::points_end ||
      event.kind == EventKind::choice)
    return;
  if (event.kind == EventKind::enter || event.kind == EventKind::leave) return mark(event);
  if (event.agent_step != core.last_step) {
    core.last_step = event.agent_step;
    core.rows_by_depth = 0;
    core.control += rates_.op_overhead;
    work(core, {.origin = origin(event), .seconds = rates_.op_overhead});
  }
  switch (event.kind) {
    case EventKind::read:
    case EventKind::write:
    case EventKind::update:
    case EventKind::accumulate:
      return tile(core, event);
    case EventKind::start: {
      const auto number = static_cast<std::size_t>(event.token);
      if (core.copies.size() <= number) core.copies.resize(number + 1, -1);
      core.copies[number] = static_cast<std::int32_t>(copies_.size());
      step(core, {Act::start, core.copies[number], 0, 0}, origin(event));
      Copy copy;
      copy.from = copy.to = topology_.of(event.agent);
      copy.statement = event.statement;
      copy.number = event.token;
      copy.is_remote = std::holds_alternative<StartRemote>(program_.body[event.statement].op);
      copies_.push_back(copy);
      return;
    }
    case EventKind::signal:
      step(core, {Act::signal, cell(event), event.amount, 0}, origin(event));
      return;
    case EventKind::wait:
      step(core, {Act::wait, cell(event), event.amount, 0}, origin(event));
      return;
    case EventKind::await:
      step(core, {Act::await, cell(event), event.amount, 0}, origin(event));
      return;
    case EventKind::alloc:
    case EventKind::release:
      return mark(event);
    default:
      return;
  }
}

// The time of a product depends on its accumulator, which has the last event. The time of other
// tile ops depends on their bytes.
void TimingRecord::tile(Core& core, const Event& event) {
  const Buffer& touched = program_.buffers[event.object.buffer()];
  if (touched.space == Space::smem) return;
  const Op& op = program_.body[event.statement].op;
  if (const auto* product = std::get_if<Matmul>(&op)) {
    if (event.kind == EventKind::read) {
      if (core.rows_by_depth == 0) core.rows_by_depth = static_cast<double>(event.box->elements());
      return;
    }
    const double seconds = product_seconds(core, *product, event, true);
    core.products += product_seconds(core, *product, event, false);
    core.matrix += seconds;
    return work(core, {.unit = Unit::matrix, .origin = origin(event), .seconds = seconds});
  }
  if (rates_.vmem_bandwidth <= 0) return;
  const double seconds =
      static_cast<double>(event.box->elements() * size_of(touched.dtype)) / rates_.vmem_bandwidth;
  core.vector += seconds;
  work(core, {.unit = Unit::vector, .origin = origin(event), .seconds = seconds});
}

// The matrix unit processes whole tiles of its size and whole groups of rows.
double TimingRecord::product_seconds(const Core& core, const Matmul& op, const Event& event,
                                     bool is_padded) const {
  const auto [rows, columns] = inner_extents(*event.box);
  if (rows <= 0 || columns <= 0 || profile_.matmul_flops <= 0) return 0;
  const std::int64_t products = event.box->elements() / (rows * columns);
  const auto depth = static_cast<std::int64_t>(core.rows_by_depth) / (rows * products);
  const Buffer* left = program_.buffer(op.a.base);
  const std::int64_t sublanes = is_padded ? profile_.sublanes : 1;
  const std::int64_t unit = is_padded ? profile_.matrix_unit : 1;
  const double flops =
      2.0 * static_cast<double>(products) * static_cast<double>(up(rows, sublanes)) *
      static_cast<double>(up(columns, unit)) * static_cast<double>(up(depth, unit));
  return flops / (profile_.matmul_flops * speed(left ? left->dtype : DType::bf16, rates_));
}

// Vector machines store arrays in tiles of (sublanes, lanes), and copies move whole tiles.
double TimingRecord::moved_bytes(const Buffer& buffer, const Box& box) const {
  auto [rows, columns] = inner_extents(box);
  if (rows <= 0 || columns <= 0) return 0;
  const auto others = static_cast<double>(box.elements()) / static_cast<double>(rows * columns);
  if (!buffer.order.empty() && buffer.order.back() != static_cast<int>(buffer.shape.size()) - 1)
    std::swap(rows, columns);
  return others * static_cast<double>(up(rows, profile_.sublanes)) *
         static_cast<double>(up(columns, profile_.lanes)) *
         static_cast<double>(size_of(buffer.dtype));
}

void TimingRecord::on_copy(const Event& event) {
  const Core& core = cores_[topology_.of(event.agent)];
  Copy& copy =
      copies_[static_cast<std::size_t>(core.copies[static_cast<std::size_t>(event.agent.dma)])];
  if (event.object_kind == ObjectKind::buffer) {
    const Buffer& touched = program_.buffers[event.object.buffer()];
    const double bytes = moved_bytes(touched, *event.box);
    copy.moved = std::max(copy.moved, bytes);
    // The events of each part of a partial copy have the whole rectangle.
    copy.is_reading = event.kind == EventKind::read;
    (copy.is_reading ? copy.source : copy.target) = event.object.buffer();
    std::int64_t& step = copy.is_reading ? copy.read_step : copy.written_step;
    if (step < 0) step = event.agent_step;
    if (!copy.is_reading) copy.to = event.core;
    if (step == event.agent_step && touched.space == Space::hbm) {
      (copy.is_reading ? copy.read : copy.written) += bytes;
      Traffic& traffic = traffic_[{topology_.device(event.core), event.object.buffer()}];
      (copy.is_reading ? traffic.read : traffic.written) +=
          static_cast<double>(event.box->elements() * size_of(touched.dtype));
    }
    return;
  }
  if (event.kind != EventKind::signal) return;
  const bool is_sent = copy.is_remote && copy.is_reading;
  (is_sent ? copy.sent : copy.arrived) = cell(event);
  (is_sent ? copy.sent_amount : copy.arrived_amount) += event.amount;
}

}  // namespace tessera
