// Untraced scalars: accesses of a core that are not steps (untraced_scalars.h).
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "interp/machine/machine.h"

namespace tessera {
namespace {

// Max number of unreported rectangles per buffer.
constexpr std::size_t max_reported = 1024;

// Row-major position of the element; none outside the buffer. Scalar memory is stored row-major.
std::optional<std::int64_t> position(const Layout& layout, const Instruction& i,
                                     const std::int64_t* registers) {
  const std::array<std::int32_t, max_indices> index = {i.a, i.b, i.c};
  std::int64_t at = 0;
  for (std::size_t d = 0; d < static_cast<std::size_t>(layout.rank); ++d) {
    const std::int64_t here = registers[index[d]];
    if (static_cast<std::uint64_t>(here) >= static_cast<std::uint64_t>(layout.shape[d]))
      return std::nullopt;
    at += here * layout.stride[d];
  }
  return at;
}

}  // namespace

void Core::find_numbers(BufferId buffer) {
  Numbers& numbers = numbers_[buffer];
  numbers.storage = machine_.core_state(index_).storages[buffer].get();
  numbers.data = numbers.storage->numbers();
}

// False if the op's exec() has to do the load and report the finding, if there is one.
bool Core::load_number(const Instruction& i) {
  const BufferId buffer(i.aux);
  const Numbers& numbers = numbers_[buffer];
  if (numbers.data == nullptr) return false;
  const auto at = position(numbers.storage->layout(), i, registers_.entries().data());
  if (!at || !numbers.storage->is_initialised_at(*at)) return false;
  const DType dtype = numbers.storage->buffer().dtype;
  registers_[ValueId(i.dst)] = load_integer(numbers.data + *at * size_of(dtype), dtype);
  const auto pc = static_cast<std::size_t>(&i - code_.instructions.data());
  if (code_.is_told[buffer]) note_told(code_.statement[pc], buffer, *at);
  return true;
}

bool Core::store_number(const Instruction& i) {
  const Numbers& numbers = numbers_[BufferId(i.aux)];
  if (numbers.data == nullptr) return false;
  const auto at = position(numbers.storage->layout(), i, registers_.entries().data());
  const DType dtype = numbers.storage->buffer().dtype;
  if (!at || !store_integer(numbers.data + *at * size_of(dtype), dtype, registers_[ValueId(i.dst)]))
    return false;
  numbers.storage->initialise_at(*at);
  return true;
}

void Core::note_told(StmtId statement, BufferId buffer, std::int64_t position) {
  Numbers& numbers = numbers_[buffer];
  if (position >= numbers.first && position <= numbers.last) return;
  if (numbers.first >= 0 && position == numbers.last + 1) {
    ++numbers.last;
    return;
  }
  if (numbers.first < 0) {
    to_tell_.push_back(buffer);
    numbers.statement = statement;
  } else {
    const Box whole = numbers.storage->whole();
    for (const Box& box : rectangles(whole, numbers.first, numbers.last + 1)) numbers.told.add(box);
  }
  numbers.first = numbers.last = position;
  if (numbers.told.size() > max_reported) tell_loads();
}

// True if loads before the event may be reported after it. Iterations do not read data of other
// iterations. Only the core itself waits for a local copy, and the copy itself accesses only the
// memory that it names.
bool Core::is_beside_loads(StmtId statement, EventKind kind) const {
  if (kind == EventKind::point || kind == EventKind::points_end) return true;
  if (kind != EventKind::start) return false;
  const auto* copy = std::get_if<Start>(&machine_.program().body[statement].op);
  if (copy == nullptr) return false;
  const auto is_told = [&](const Slice& slice) {
    const BufferId buffer = machine_.program().value(slice.base).buffer;
    return std::find(to_tell_.begin(), to_tell_.end(), buffer) != to_tell_.end();
  };
  return !is_told(copy->src) && !is_told(copy->dst);
}

// Reports pending loads, as part of the previous step.
void Core::tell_loads() {
  for (const BufferId buffer : std::exchange(to_tell_, {})) {
    Numbers& numbers = numbers_[buffer];
    const Box whole = numbers.storage->whole();
    for (const Box& box : rectangles(whole, numbers.first, numbers.last + 1)) numbers.told.add(box);
    numbers.first = numbers.last = -1;
    for (const Box& box : numbers.told.take()) {
      Event event{.kind = EventKind::read,
                  .object_kind = ObjectKind::buffer,
                  .agent = id_,
                  .index = events_++,
                  .agent_step = std::max<std::int64_t>(steps_ - 1, 0),
                  .statement = numbers.statement,
                  .core = index_,
                  .object = buffer,
                  .box = &box};
      machine_.emit(event);
    }
  }
}

}  // namespace tessera
