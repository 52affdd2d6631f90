#include "debugger/session/write_stream.h"

#include <algorithm>
#include <span>

#include "core/report/try.h"
#include "interp/findings/exit_checks.h"
#include "interp/machine/loop_indices.h"
#include "interp/observe/content_hash.h"

namespace tessera {
namespace {

bool writes(EventKind kind) {
  return kind == EventKind::write || kind == EventKind::accumulate || kind == EventKind::update;
}

std::uint64_t word(std::int64_t number) { return static_cast<std::uint64_t>(number); }

void mix(ContentHash& hash, const Box& box) {
  for (int d = 0; d < box.rank; ++d) {
    hash.mix(word(box.start[Box::at(d)]));
    hash.mix(word(box.size[Box::at(d)]));
  }
}

// Adds the rectangles of a start: source and destination.
void mix_slices(ContentHash& hash, const Program& program, const Event& event) {
  const Op& op = program.body[event.statement].op;
  for (const FieldInfo& f : info(op).fields) {
    if (f.kind != FieldKind::Slice) continue;
    const Slice& slice = field<Slice>(op, f);
    Box box{.rank = slice.rank};
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      box.start[d] = event.registers[slice.start[d].index];
      box.size[d] = event.registers[slice.size[d].index];
    }
    mix(hash, box);
  }
}

std::uint64_t what_of(const Program& program, const Event& event) {
  ContentHash hash;
  hash.mix(static_cast<std::uint64_t>(event.kind) | static_cast<std::uint64_t>(event.object_kind)
                                                        << 8);
  hash.mix(word(event.statement.index));
  hash.mix(word(event.core.index));
  hash.mix(word(event.object.index));
  hash.mix(word(event.amount));
  hash.mix(word(event.cell));
  if (event.box != nullptr) mix(hash, *event.box);
  if (event.kind == EventKind::start && event.registers != nullptr && event.statement)
    mix_slices(hash, program, event);
  return hash.value();
}

std::uint64_t loops_of(const Program& program, const Event& event) {
  LoopValues values;
  if (event.registers != nullptr)
    read_loops(program, event.statement, event.registers, values);
  else if (event.loops != nullptr)
    values = *event.loops;
  ContentHash hash;
  for (const std::int64_t value : values) hash.mix(word(value));
  return hash.value();
}

}  // namespace

Expected<std::unique_ptr<WriteStream>> WriteStream::open(KeptRun& run) {
  std::unique_ptr<WriteStream> stream(new WriteStream(run));
  run.options.record.schedule = false;
  stream->machine_ = TRY(launched(run.program, run.bindings(), run.options));
  stream->machine_->begin();
  if (const auto problem = stream->machine_->problem()) return *problem;
  return stream;
}

bool WriteStream::advance(std::int64_t steps) {
  const bool is_over = machine_->advance(exit_findings, machine_->steps() + steps, this);
  settle_values();
  return !is_over;
}

bool WriteStream::before_step() {
  settle_values();
  if (machine_->steps() != moved_) return false;  // called again after a pause
  ++moved_;
  ContentHash hash;
  const AgentId mover = machine_->mover();
  hash.mix(word(mover.device) << 32 | word(mover.core) << 16 | (word(mover.worker) & 0xFFFF));
  hash.mix(word(mover.dma));
  hash.mix(word(machine_->mover_statement().index));
  movers.push_back(hash.value());
  return false;
}

void WriteStream::on(const Event& event) {
  // The schedule decides the next iteration of a parallel loop.
  if (event.kind == EventKind::point) return;
  // The schedule decides the parts of a partial copy.
  if (event.agent.is_copy() && run_.options.copies.granularity == CopyGranularity::partial) return;
  StreamEvent one{.step = std::max<std::int64_t>(event.step - 1, 0),
                  .agent = event.agent,
                  .statement = event.statement,
                  .loops = loops_of(run_.program, event),
                  .what = what_of(run_.program, event)};
  if (event.object_kind == ObjectKind::buffer && writes(event.kind) && event.box != nullptr) {
    const Buffer& buffer = run_.program.buffers[event.object.buffer()];
    one.is_write = true;
    one.owner = machine_->topology().owner(event.core, buffer.space);
    one.buffer = event.object.buffer();
    one.box = *event.box;
  }
  told.push_back(one);
}

void WriteStream::settle_values() {
  for (std::size_t i = settled_ <= told.size() ? settled_ : 0; i < told.size(); ++i) {
    StreamEvent& one = told[i];
    if (!one.is_write) continue;
    Storage& storage = *machine_->core_state(one.owner).storages[one.buffer];
    one.is_write = storage.is_live() && !storage.is_idle() && !one.box.empty();
    if (one.is_write) one.value = value_of(storage, one.box);
  }
  settled_ = told.size();
}

// Ignores the bytes of undefined elements, which may be arbitrary.
std::uint64_t WriteStream::value_of(Storage& storage, const Box& box) {
  const TileView view = storage.read(box);
  const std::int64_t elements = box.elements();
  const auto size = static_cast<std::size_t>(size_of(view.dtype));
  bytes_.resize(static_cast<std::size_t>(elements) * size);
  copy_elements(compact(bytes_.data(), view), view);
  if (storage.is_initialised(box)) return bytes_hash(bytes_);
  ContentHash hash;
  for (std::int64_t i = 0; i < elements; ++i) {
    const bool is_defined = storage.is_initialised(element(box, index_in(box, i)));
    hash.mix(is_defined);
    if (is_defined)
      hash.mix(bytes_hash(std::span(bytes_).subspan(static_cast<std::size_t>(i) * size, size)));
  }
  return hash.value();
}

}  // namespace tessera
