// What the command lines of the collectives have in common: operands of each device or ring, from
// files or made, and the options that say their extents.
#pragma once
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/args/host_memory.h"
#include "cli/args/options.h"
#include "cli/args/said_extents.h"
#include "cli/operations/collective.h"
#include "core/data/dtype.h"
#include "core/kernel/tiling.h"
#include "kernels/inputs/fill.h"

namespace tessera::cli {

// Where the copies of a collective go.
enum class Peers : std::uint8_t { neighbours, all };

// Reads what the commands share, one problem after the other.
class CollectiveReader {
 public:
  explicit CollectiveReader(const Arguments& arguments) : arguments_(arguments) {}

  // The options of every collective: devices, rings, fill, run; and a profile that has the routes.
  void begin(Collective& collective, Peers peers = Peers::neighbours);
  const Tensor& rings() const { return rings_; }
  std::int64_t length() const { return rings_.dim(1); }
  std::size_t devices() const { return static_cast<std::size_t>(rings_.elements()); }
  // The extent given by an option or an operand's file: `lowest` to max_extent.
  Extent& extent(std::string_view option, std::int64_t lowest = 0);
  // Its value; an error where nobody says it.
  std::int64_t value(const Extent& extent);
  // The share of it that each place of a ring has.
  std::int64_t shared(std::string_view option, std::int64_t extent);
  std::int64_t integer(std::string_view option, std::int64_t fallback, std::int64_t lowest = 0);
  // The same bounds: max_extent is the largest count of rows, columns or groups.
  std::optional<std::int64_t> optional(std::string_view option, std::int64_t lowest = 0);
  DType type(std::string_view option, DType fallback);
  // The same of an operand, which its file may say as well.
  using Type = Agreed<DType>;
  Type& operand_type(std::string_view option);
  std::size_t choice(std::string_view option, std::span<const std::string_view> words);
  bool has(std::string_view option) const { return arguments_.has(option); }
  std::string_view text(std::string_view option) const { return arguments_.text(option); }
  std::uint64_t seed();

  // --tiling, if given: three positive sides.
  std::optional<Tiling> tiling();
  // An axis of an operand: an extent, or that of all `shares` places together.
  struct Axis {
    Extent* extent;
    std::int64_t shares = 1;
  };
  // The file of --OPERAND, if it is given: it says its extents and its type, or `type` says which
  // it must be. What fill() then gives is what it holds.
  void file(Collective& collective, std::string_view operand, const std::vector<Axis>& axes,
            Type& type, DType fallback, Per per = Per::device);
  bool has_file(std::string_view operand) const { return loaded_.contains(operand); }
  // What a file holds, or null.
  const Collective::Tensors* held(Collective& collective, std::string_view operand,
                                  Per per = Per::device);
  // Keeps operands that are made otherwise, under a name.
  const Collective::Tensors& keep(Collective& collective, std::string_view operand,
                                  Collective::Tensors tensors, Per per = Per::device);

  // The numbers of rows that a file's tensors are: integers of at least 0.
  std::vector<std::vector<std::int64_t>> counts(std::string_view operand,
                                                const Collective::Tensors& tensors);

  // --group-sizes, of `rows` rows: a list, or a distribution by a seed of its own.
  std::vector<std::int64_t> group_sizes(std::int64_t groups, std::int64_t rows,
                                        std::uint64_t stream);

  // The experts of the tokens of one device, i32 [tokens, top_k]; reports sizes for which none can
  // be drawn.
  Tensor experts(std::int64_t tokens, std::int64_t top_k, std::int64_t groups, std::size_t device);

  // One tensor for each device or ring: those of the operand's file, else by the fill; sums have
  // `terms` products.
  const Collective::Tensors& fill(Collective& collective, std::string_view operand, DType type,
                                  const Shape& shape, FillRole role, std::int64_t terms,
                                  Per per = Per::device);
  void complain(std::string text) { diags_.push_back(error(std::move(text))); }
  bool ok() const { return diags_.empty(); }
  Diags diags() const { return diags_; }

 private:
  const Arguments& arguments_;
  std::size_t count(Per per) const {
    return per == Per::device ? devices() : static_cast<std::size_t>(rings_.dim(0));
  }

  Tensor rings_;
  std::deque<Extent> extents_;
  std::deque<Type> types_;
  std::map<std::string, Collective::Tensors, std::less<>> loaded_;
  std::uint64_t stream_ = 0;
  std::vector<TensorSize> filled_;  // operands without a file, so far
  bool has_bad_file_ = false;  // which would have said extents
  Diags diags_;
};

// The row of an operand that files may give: "[m, k] of each device".
Option operand_option(std::string_view operand, std::string_view meaning, Per per = Per::device);
// --m, --k, ... of one command, then those of all; devices without neighbours have no --rings.
Options collective_options(Options own, Peers peers = Peers::neighbours);

}  // namespace tessera::cli
