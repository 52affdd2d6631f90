#include "interp/observe/relayed_observers.h"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <utility>

#include "core/host/host_memory.h"
#include "core/passes/at_once.h"
#include "core/program/op_values.h"
#include "interp/observe/event_words.h"

namespace tessera {
namespace {

// A run of fewer is over before a thread is worth its while.
constexpr std::int64_t fewest_events = 20'000;

std::vector<ValueId> values_of(const Program& program, StmtId statement) {
  std::vector<ValueId> values;
  const auto add = [&](ValueId id) {
    if (id == no_value) return;
    const Value& value = program.value(id);
    const bool is_number = value.kind == ValueKind::scalar || value.kind == ValueKind::real;
    if (is_number && !value.constant) values.push_back(id);
  };
  const Op& op = program.body[statement].op;
  each_value(op, add);
  if (pipeline_of(op))
    for (const ValueId v : outer_scalars_of(program, statement)) add(v);
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

}  // namespace

bool RelayedObservers::wants_run(const Program& expanded, const std::vector<Binding>& bindings,
                                 const RunOptions& options) {
  return std::all_of(observers_.begin(), observers_.end(), [&](Observer* observer) {
    return observer->wants_run(expanded, bindings, options);
  });
}

void RelayedObservers::begin(const Program& program, const RunOptions& options) {
  for (Observer* observer : observers_) observer->begin(program, options);
  program_ = &program;
  events_ = 0;
  named_.assign(program.body.size(), std::nullopt);
  has_thread_ = std::thread::hardware_concurrency() > 1;
}

bool RelayedObservers::judges_assertions() const {
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const Observer* observer) { return observer->judges_assertions(); });
}

bool RelayedObservers::sees_private() const {
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const Observer* observer) { return observer->sees_private(); });
}

bool RelayedObservers::is_any_full() const {
  return std::any_of(observers_.begin(), observers_.end(),
                     [](const Observer* observer) { return observer->is_full(); });
}

void RelayedObservers::tell(const Event& event) {
  for (Observer* observer : observers_)
    if (!event.is_asked || observer->judges_assertions()) observer->on(event);
}

const std::vector<ValueId>& RelayedObservers::named(StmtId statement) {
  std::optional<std::vector<ValueId>>& known = named_[statement];
  if (!known) known = values_of(*program_, statement);
  return *known;
}

void RelayedObservers::on(const Event& event) {
  if (!relay_ && !begin_relay(event)) return tell(event);
  // An op tells of each rectangle that it reaches, all in one step.
  const bool is_next = event.box == nullptr || event.is_asked || event.step != step_ ||
                       event.statement != statement_;
  const bool has_values = event.registers != nullptr && event.statement && is_next;
  std::vector<std::int64_t>& words = relay_->items();
  if (has_values) {
    step_ = event.step;
    statement_ = event.statement;
    const std::vector<ValueId>& values = named(event.statement);
    pack(words, event, values.size());
    for (const ValueId v : values) words.push_back(event.registers[v.index]);
  } else {
    pack(words, event);
  }
  relay_->added();
}

// Constants are in the registers of each core.
bool RelayedObservers::begin_relay(const Event& event) {
  if (!has_thread_ || ++events_ < fewest_events || event.registers == nullptr) return false;
  registers_.assign(event.registers, event.registers + program_->values.size());
  try {
    relay_.emplace([this](std::span<const std::int64_t> words) {
      take(words);
      is_full_ = is_any_full();
    });
  } catch (const std::system_error&) {
    has_thread_ = false;
  }
  return has_thread_;
}

void RelayedObservers::take(std::span<const std::int64_t> words) {
  UnpackedEvent unpacked;
  while (!words.empty()) {
    words = unpack(words, unpacked);
    for (std::size_t i = 0; i < unpacked.values.size(); ++i) {
      const ValueId value = (*named_[unpacked.event.statement])[i];
      registers_[static_cast<std::size_t>(value.index)] = unpacked.values[i];
    }
    if (unpacked.has_registers) unpacked.event.registers = registers_.data();
    tell(unpacked.event);
  }
}

// What the last events needed was not there: the observers do not know all of the run.
void RelayedObservers::end_without_memory(RunResult& result) {
  MemoryCap::use_reserve();
  result.end = RunEnd::memory;
}

void RelayedObservers::end(RunResult& result) {
  try {
    if (relay_) relay_->finish();
  } catch (const std::bad_alloc&) {
    end_without_memory(result);
  } catch (const std::length_error&) {
    end_without_memory(result);
  }
  relay_.reset();
  for (Observer* observer : observers_) observer->end(result);
}

}  // namespace tessera
