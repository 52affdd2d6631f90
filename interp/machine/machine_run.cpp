// Execution of a run, with or without pauses.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <iterator>
#include <new>
#include <set>
#include <stdexcept>
#include <utility>

#include "core/program/refs.h"
#include "interp/findings/capacity.h"
#include "interp/machine/control_flow.h"
#include "interp/machine/machine.h"
#include "interp/schedule/strategies.h"
#include "interp/tiles/tile_math.h"

namespace tessera {
namespace {

// Generates the library's code for products before time is measured.
void prepare_products(const Program& program) {
  std::set<std::array<std::int64_t, 5>> seen;
  for (const Stmt& statement : program.body) {
    const auto* op = std::get_if<Matmul>(&statement.op);
    if (op == nullptr) continue;
    const DType acc = ref_info(program, op->acc.base).dtype,
                operand = ref_info(program, op->a.base).dtype;
    const Shape a = static_shape(program, op->a), b = static_shape(program, op->b);
    const std::size_t row = a.size() - 2, column = a.size() - 1;
    const std::int64_t m = a[op->transpose_a != 0 ? column : row],
                       k = a[op->transpose_a != 0 ? row : column],
                       n = b[op->transpose_b != 0 ? row : column];
    // For such large products the time of the first call is negligible.
    if (std::max({m * k, k * n, m * n}) > 1 << 22) continue;
    if (seen.insert({static_cast<int>(acc), static_cast<int>(operand), m, k, n}).second)
      math::prepare(acc, operand, m, k, n);
  }
}

}  // namespace

void Machine::begin() {
  for (Observer* observer : options_.observers) observer->begin(program_, options_);
  if (auto excess = launch_excess(program_, options_.machine.profile))
    findings_.push_back(*std::move(excess));
  if (options_.max_steps == 0 || !findings_.empty()) stopped_ = true;
  if (!stopped_ && options_.math == Math::library) prepare_products(program_);
}

bool Machine::advance(ExitChecks checks, std::int64_t steps, Pausing* pausing) {
  pause_at_ = steps;
  pausing_ = pausing;
  is_paused_ = false;
  next_look_ = step_;
  const auto begin = std::chrono::steady_clock::now();
  try {
    if (!stopped_ && !is_begun_) {
      is_begun_ = true;
      for (const CoreIndex s : topology_.core_ids())
        settle(core_state(s).core, core_state(s).core.run(0, false));
    }
    loop();
    if (!is_paused_ && !stopped_ && options_.checks.enabled && !is_checked_at_end_) {
      is_checked_at_end_ = true;
      std::vector<Finding> found = checks(*this);
      findings_.insert(findings_.end(), std::make_move_iterator(found.begin()),
                       std::make_move_iterator(found.end()));
    }
  } catch (const std::bad_alloc&) {
    end_without_memory();
  } catch (const std::length_error&) {
    end_without_memory();
  }
  stats_.wall_seconds +=
      std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return !is_paused_;
}

Expected<RunResult> Machine::run(ExitChecks checks) {
  begin();
  advance(checks, Turn::unlimited);
  return end();
}

Diags Machine::untrusted_end() const {
  if (left_out_.empty() || (!refused_ && findings_.empty())) return {};
  Diags diags;
  for (const StmtId s : left_out_control(program_, control_flow(program_)))
    diags.push_back(skipped_control(program_, s));
  if (!diags.empty())
    diags.back().notes.push_back(
        refused_ ? Note{refused_->loc,
                        fmt::format("the run without arithmetic fails here: {}", refused_->message)}
                 : Note{findings_.front().at.loc,
                        fmt::format("the run without arithmetic finds {}: {}",
                                    name(findings_.front().kind), findings_.front().message)});
  return diags;
}

Expected<RunResult> Machine::end() {
  if (Diags diags = untrusted_end(); !diags.empty()) return diags;
  if (refused_) return *refused_;
  RunResult result;
  stats_.steps = step_;
  for (const auto& s : core_states_) {
    stats_.ops += s->core.ops();
    stats_.dmas += s->core.copies();
    stats_.peak_vmem = std::max(stats_.peak_vmem, s->usage.peak_vmem);
    stats_.peak_smem = std::max(stats_.peak_smem, s->usage.peak_smem);
    stats_.peak_semaphores = std::max(stats_.peak_semaphores, s->usage.peak_semaphores);
  }
  result.stats = stats_;
  result.findings = std::move(findings_);
  result.is_complete = !stopped_ && blocked_.empty();
  for (const Semaphore& semaphore : program_.semaphores)
    result.has_automatic_barrier |= semaphore.kind == SemKind::barrier && semaphore.collective < 0;
  result.end = end_;
  if (observes_) result.trace_hash = hash_.value();
  result.schedule = to_string(schedule_);
  if (options_.record.schedule) {
    Schedule replay = replay_of_items(schedule_.order);
    replay.items = std::move(recorded_);
    result.schedule = to_string(replay);
  }
  if (options_.record.results && end_ == RunEnd::program) result.results = hash_results();
  return result;
}

}  // namespace tessera
