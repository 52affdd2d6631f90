#include "interp/findings/compile_rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <bit>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>

#include "core/program/refs.h"
#include "interp/findings/capacity.h"
#include "interp/findings/describe.h"

namespace tessera {
namespace {

constexpr std::int64_t line_elements = 1024;  // block size of a one-dimensional array

class Rules {
 public:
  Rules(const Program& program, const MachineProfile& profile)
      : program_(program), profile_(profile) {}

  std::vector<Remark> run() {
    for (const StmtId s : program_.body.ids()) {
      const Op& op = program_.body[s].op;
      if (const auto* window = std::get_if<Window>(&op)) check_window(s, *window);
      if (const auto* copy = std::get_if<Start>(&op)) check_copy(s, copy->src, copy->dst);
      if (const auto* copy = std::get_if<StartRemote>(&op)) check_copy(s, copy->src, copy->dst);
    }
    return std::move(notes_);
  }

 private:
  std::int64_t bits(const RefInfo& ref) const { return 8 * size_of(ref.dtype); }
  const std::string& name(const RefInfo& ref) const { return program_.buffer(ref.root)->name; }
  std::optional<std::int64_t> size(const Slice& slice, std::size_t dim) const {
    return program_.constant(slice.size[dim]);
  }

  void note(StmtId statement, const RefInfo& ref, std::string message) {
    const PlaceId place = program_.place_of(statement);
    const Loc loc = program_.loc(place);
    if (!known_.insert({loc.line, loc.column, ref.root}).second) return;
    Remark remark;
    remark.at = {.loc = loc, .message = std::move(message)};
    add_call_chain(program_, place, remark.notes);
    notes_.push_back(std::move(remark));
  }

  // Squeezed dimensions count as one element.
  void check_window(StmtId statement, const Window& window) {
    const Slice& slice = window.source;
    const RefInfo ref = ref_info(program_, slice.base);
    if (ref.space != Space::hbm) return;  // read in place
    const auto rank = static_cast<std::size_t>(slice.rank);
    std::vector<std::int64_t> block;
    for (std::size_t d = 0; d < rank; ++d) block.push_back(size(slice, d).value_or(ref.bound[d]));
    const auto fits = [&](std::size_t from_last, std::int64_t factor) {
      return rank < from_last || block[rank - from_last] == ref.bound[rank - from_last] ||
             block[rank - from_last] % factor == 0;
    };
    const auto of = [&] { return fmt::format("{} of {} {}", block, name(ref), ref.bound); };
    if (rank == 1) {
      const auto elements = static_cast<std::uint64_t>(block[0]);
      const bool is_power = std::has_single_bit(elements) && block[0] >= least_line(ref);
      if (!fits(1, line_elements) && !is_power)
        note(statement, ref,
             fmt::format("{} is not a block of an array of one dimension: expected all of it, a "
                         "multiple of {} elements, or a power of two from {} on",
                         of(), line_elements, least_line(ref)));
    } else if (!fits(1, profile_.lanes) || !fits(2, profile_.sublanes)) {
      note(statement, ref,
           fmt::format(
               "{} is not a block: expected multiples of ({}, {}) in the last two dimensions, "
               "or all of them",
               of(), profile_.sublanes, profile_.lanes));
    }
    check_starts(statement, slice, ref);
  }
  std::int64_t least_line(const RefInfo& ref) const { return profile_.lanes * 32 / bits(ref); }

  void check_copy(StmtId statement, const Slice& src, const Slice& dst) {
    for (const Slice* slice : {&src, &dst}) {
      const RefInfo ref = ref_info(program_, slice->base);
      if (ref.space != Space::hbm && ref.space != Space::vmem) continue;
      check_sizes(statement, *slice, ref);
      check_starts(statement, *slice, ref);
    }
  }

  // Returns the tile size of a DMA in a dimension that it does not move completely. 1: rows of
  // 32-bit elements may be moved individually.
  std::int64_t tile(const Slice& slice, const RefInfo& ref, std::size_t dim) const {
    const auto rank = static_cast<std::size_t>(slice.rank);
    if (size(slice, dim) == ref.bound[dim]) return 1;
    if (dim + 1 == rank) return rank == 1 ? line_elements : profile_.lanes;
    return dim + 2 == rank && bits(ref) < 32 ? profile_.sublanes : 1;
  }
  void check_sizes(StmtId statement, const Slice& slice, const RefInfo& ref) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d) {
      const std::int64_t factor = tile(slice, ref, d);
      if (is_multiple_of(slice.size[d], factor)) continue;
      const auto found = size(slice, d);
      note(statement, ref,
           fmt::format("a DMA moves whole tiles: expected a multiple of {}, or all {} elements, in "
                       "dimension {} of {}, found {}",
                       factor, ref.bound[d], d, name(ref),
                       found ? std::to_string(*found) : "a size that is not known to be one"));
    }
  }
  void check_starts(StmtId statement, const Slice& slice, const RefInfo& ref) {
    for (std::size_t d = 0; d < static_cast<std::size_t>(slice.rank); ++d)
      if (const std::int64_t factor = tile(slice, ref, d); !is_multiple_of(slice.start[d], factor))
        note(statement, ref,
             fmt::format("a DMA moves whole tiles, and the start in dimension {} of {} is not "
                         "known to be a multiple of {}",
                         d, name(ref), factor));
  }
  bool is_multiple_of(ValueId scalar, std::int64_t factor) const {
    return factor == 1 || is_multiple(program_, scalar, factor);
  }

  const Program& program_;
  const MachineProfile& profile_;
  std::set<std::tuple<int, int, ValueId>> known_;
  std::vector<Remark> notes_;
};

}  // namespace

std::vector<Remark> compile_notes(const Program& structured, const Program& expanded,
                                  const MachineProfile& profile) {
  if (profile.lanes == 0) return {};
  std::vector<Remark> notes = Rules(structured, profile).run();
  MachineProfile scoped;
  scoped.name = "a kernel without vmem_limit_bytes";
  scoped.vmem_bytes = profile.scoped_vmem;
  if (std::optional<Finding> excess = launch_excess(expanded, scoped))
    notes.push_back({.at = {.loc = excess->at.loc, .message = std::move(excess->message)},
                     .notes = std::move(excess->notes)});
  return notes;
}

}  // namespace tessera
