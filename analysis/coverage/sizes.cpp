#include "analysis/coverage/sizes.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "analysis/coverage/source_ops.h"
#include "interp/machine/control_flow.h"

namespace tessera {
namespace {

// With more devices, those that all access each other have no left and right.
constexpr int small_all_to_all = 4;

// One dimension of a window that moves along it.
struct Moving {
  std::string window;
  int dim = 0;
  Loc loc;
  std::int64_t extent = 0, block = 0;
  ValueId index = no_value;  // number of the block: it starts at this number times `block`

  std::string object() const { return fmt::format("{}.{}", window, dim); }
};

// Returns i if the value is i * block; else no_value.
ValueId number_of_block(const Program& structured, ValueId start, std::int64_t block) {
  const StmtId defined = start == no_value ? StmtId() : structured.value(start).statement;
  const auto* product = defined ? std::get_if<Mul>(&structured.body[defined].op) : nullptr;
  if (product == nullptr) return no_value;
  if (structured.constant(product->b) == block) return product->a;
  return structured.constant(product->a) == block ? product->b : no_value;
}

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
      const ValueId index = block ? number_of_block(structured, source.start[i], *block) : no_value;
      if (index == no_value || *block <= 1) continue;
      found.push_back({structured.value(structured.body[s].result).name, d, structured.loc(s),
                       buffer->shape[i], *block, index});
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
  // Windows without a partial block, by the number of the block and by the extents.
  std::map<std::tuple<std::int32_t, std::int64_t, std::int64_t>, std::vector<Moving>> whole;
  for (const Moving& moving : moving_dimensions(structured)) {
    sizes.insert(moving.block);
    if (moving.extent % moving.block == 0)
      whole[{moving.index.index, moving.extent, moving.block}].push_back(moving);
    else
      notes_of_windows_.seen.push_back(
          {.kind = Uncovered::remainder, .loc = moving.loc, .object = moving.object()});
  }
  for (const auto& [numbers, windows] : whole) {
    const auto [index, extent, block] = numbers;
    if (extent == 0) continue;
    std::string names;
    for (const Moving& moving : windows)
      names +=
          fmt::format("{}{} (dimension {})", names.empty() ? "" : ", ", moving.window, moving.dim);
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
  add_neighbours(notes);
}

void Sizes::add_neighbours(CoverageNotes& notes) const {
  bool is_remote = false, is_pair = true, is_among_all = true;
  int reach = 0;  // max distance, in the nearer direction
  for (int d = 0; d < devices_; ++d) {
    const std::set<int>& peers = peers_[static_cast<std::size_t>(d)];
    for (const int peer : peers)
      reach = std::max(reach, std::min(std::abs(peer - d), devices_ - std::abs(peer - d)));
    is_remote |= !peers.empty();
    is_pair &= peers.size() <= 1;
    is_among_all &= static_cast<int>(peers.size()) == devices_ - 1;
  }
  if (!is_remote) return;
  CoverageNote note{.kind = Uncovered::neighbours, .devices = 2 * reach + 1};
  if (is_pair) {
    note.message = devices_ == 2
                       ? "with 2 devices, the left and the right neighbour are the same device"
                       : "in rings of 2, the left and the right neighbour are the same device";
    if (devices_ > 2) note.devices = 0;
  } else if ((!is_among_all || devices_ <= small_all_to_all) && devices_ <= 2 * reach) {
    note.message =
        fmt::format("with {} devices, a distance of {} is the same to the left and to the right",
                    devices_, reach);
  }
  (note.message.empty() ? notes.seen : notes.missing).push_back(note);
}

}  // namespace tessera
