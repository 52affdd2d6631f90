#include "analysis/coverage/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "analysis/coverage/source_ops.h"
#include "interp/machine/control_flow.h"

namespace tessera {
namespace {

// One dimension of a window that moves along it.
struct Moving {
  std::string window;
  int dim = 0;
  Loc loc;
  std::int64_t extent = 0, block = 0;

  std::string object() const { return fmt::format("{}.{}", window, dim); }
};

std::vector<Moving> moving_dimensions(const Program& structured) {
  std::vector<Moving> found;
  for (const StmtId s : structured.body.ids()) {
    const auto* window = std::get_if<Window>(&structured.body[s].op);
    if (window == nullptr || !is_own(structured, s)) continue;
    const Slice& source = window->source;
    const Buffer* const buffer = structured.buffer(source.base);
    if (buffer == nullptr) continue;
    for (int d = 0; d < source.rank; ++d) {
      const auto i = static_cast<std::size_t>(d);
      const auto block = structured.constant(source.size[i]);
      if (!block || *block <= 1 || structured.constant(source.start[i])) continue;
      found.push_back({structured.value(structured.body[s].result).name, d, structured.loc(s),
                       buffer->shape[i], *block});
    }
  }
  return found;
}

bool has_zero(const Tensor& table) {
  const auto bytes = static_cast<std::int64_t>(size_of(table.dtype()));
  for (std::int64_t i = 0; i < table.elements(); ++i) {
    const std::byte* const at = table.data() + i * bytes;
    if (std::all_of(at, at + bytes, [](std::byte byte) { return byte == std::byte{0}; }))
      return true;
  }
  return false;
}

}  // namespace

void Sizes::see_windows(const Program& structured) {
  notes_of_windows_ = {};
  std::set<std::int64_t> sizes;
  // By extent and block: the windows without a partial block.
  std::map<std::pair<std::int64_t, std::int64_t>, std::vector<Moving>> whole;
  for (const Moving& moving : moving_dimensions(structured)) {
    sizes.insert(moving.block);
    if (moving.extent % moving.block == 0)
      whole[{moving.extent, moving.block}].push_back(moving);
    else
      notes_of_windows_.seen.push_back(
          {.kind = Uncovered::remainder, .loc = moving.loc, .object = moving.object()});
  }
  for (const auto& [extent_and_block, windows] : whole) {
    const auto [extent, block] = extent_and_block;
    std::string names;
    for (const Moving& moving : windows)
      names += fmt::format("{}{}", names.empty() ? "" : ", ", moving.window);
    notes_of_windows_.missing.push_back(
        {.kind = Uncovered::remainder,
         .loc = windows.front().loc,
         .message =
             fmt::format("no block of {} is partial: {} is a multiple of {}", names, extent, block),
         .object = windows.front().object()});
  }
  notes_of_windows_.blocks.assign(sizes.begin(), sizes.end());
}

void Sizes::see_operands(const Program& expanded, const std::vector<Binding>& bindings) {
  notes_of_tables_ = {};
  std::vector<std::pair<BufferId, bool>> tables;  // has a zero
  for (const BufferId b : expanded.buffers.ids()) {
    const Buffer& buffer = expanded.buffers[b];
    if (buffer.role != Role::in || buffer.space != Space::smem || !is_integer(buffer.dtype) ||
        elements(buffer.shape) == 0)
      continue;
    tables.emplace_back(
        b, std::any_of(bindings.begin(), bindings.end(), [&](const Binding& binding) {
          const auto bound = binding.find(buffer.name);
          return bound == binding.end() || bound->second == nullptr || has_zero(*bound->second);
        }));
  }
  if (tables.empty()) return;
  const ControlFlow control = control_flow(expanded);
  for (const auto& [b, is_zero] : tables) {
    const Buffer& buffer = expanded.buffers[b];
    if (!control.buffers[b]) continue;
    CoverageNote note{
        .kind = Uncovered::empty, .loc = expanded.loc(buffer.place), .object = buffer.name};
    if (is_zero) {
      notes_of_tables_.seen.push_back(note);
      continue;
    }
    note.message = fmt::format("no element of `{}` is 0", buffer.name);
    notes_of_tables_.missing.push_back(note);
  }
}

void Sizes::add_notes(CoverageNotes& notes) const {
  for (const CoverageNotes* of : {&notes_of_windows_, &notes_of_tables_}) {
    notes.missing.insert(notes.missing.end(), of->missing.begin(), of->missing.end());
    notes.seen.insert(notes.seen.end(), of->seen.begin(), of->seen.end());
  }
  notes.blocks = notes_of_windows_.blocks;
  if (!is_remote_) return;
  if (devices_ == 2)
    notes.missing.push_back({Uncovered::neighbours,
                             {},
                             "with 2 devices, the left and the right neighbour are the same device",
                             3});
  else
    notes.seen.push_back({Uncovered::neighbours});
}

}  // namespace tessera
