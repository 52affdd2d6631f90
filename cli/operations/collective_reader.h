// The common part of the commands of collectives: operands of each device or ring, from files or
// filled, by the headers of their kernels.
#pragma once
#include <cstdint>
#include <deque>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "cli/args/kernel_header.h"
#include "cli/args/operation_reader.h"
#include "cli/operations/collective.h"
#include "core/data/shape_limits.h"

namespace tessera::cli {

// Where the copies of a collective go.
enum class Peers : std::uint8_t { neighbours, all };

// An operand of a command.
struct OperandRow {
  std::string_view option;     // without its dashes
  std::string_view operand{};  // name in the kernel's header; empty: the option
  Per per = Per::device;
};

// Reads the options that commands share, and binds the operands of a kernel.
class CollectiveReader : public OperationReader {
 public:
  using Tensors = Collective::Tensors;
  Collective collective;

  // Reads the options of every collective: devices, rings, fill, run; and a profile that has the
  // routes. Requires ok() before anything else.
  explicit CollectiveReader(const Arguments& arguments, Peers peers = Peers::neighbours);
  // Stays valid as long as the collective's operands.
  const Tensor& rings() const { return *rings_; }
  std::int64_t length() const { return rings().dim(1); }
  std::size_t devices() const { return static_cast<std::size_t>(rings().elements()); }
  // At most max_extent, the largest count of rows, columns or groups.
  std::optional<std::int64_t> optional(std::string_view option, std::int64_t lowest = 0) {
    return OperationReader::optional(option, lowest, max_extent);
  }
  DType type(std::string_view option, DType fallback) {
    return OperationReader::type(option, stored_types()).value_or(fallback);
  }

  // Reads the files of operands of a kernel: they give extents and types as options do. Axes and
  // types are those of the kernel's header.
  // type: of operands whose type is a parameter, if neither --dtype nor a file gives it.
  // shared: a parameter that is a place's share of its option; k_shard always is.
  void bind(std::string_view kernel, const std::vector<OperandRow>& operands, DType type,
            std::string_view shared = {});
  // The extent of an option, which files of operands may give as well.
  Extent& extent(std::string_view option);
  // Its value; reports an extent without one, and returns 0.
  std::int64_t value(std::string_view option);
  // The share of it that each place of a ring has; reports one that is not whole.
  std::int64_t shared(std::string_view option);
  // Sets an extent that has no value.
  void otherwise(std::string_view option, std::optional<std::int64_t> value);
  // Reports all extents of bound operands that have no value or are not shared equally, and
  // settles the element type.
  void settle();
  // The element type of the operands; after settle().
  DType dtype() const { return collective.dtype; }
  // Sets the shape that is reported: these extents.
  void describe(std::initializer_list<std::string_view> extents);
  // Sets the operations of all devices or rings: a product of these extents for each.
  void count_flops(std::initializer_list<std::string_view> extents, Per per = Per::device);
  // Sets the types that are reported for a product.
  void describe_types(DType out, std::string_view more = {});

  // One tensor for each device or ring: those of the operand's file, else by the fill; sums have
  // `terms` products. Requires settle().
  const Tensors& fill(std::string_view option, std::int64_t terms);
  const Tensors& fill(std::string_view operand, DType type, const Shape& shape, std::int64_t terms,
                      Per per = Per::device);
  // The tensors of a file, or null.
  const Tensors* held(std::string_view operand, Per per = Per::device);
  // Stores operands under a name that --out can save.
  const Tensors& keep(std::string_view operand, Tensors tensors, Per per = Per::device);

  // The numbers of rows that a file's tensors are: integers of at least 0.
  std::vector<std::vector<std::int64_t>> counts(std::string_view operand, const Tensors& tensors);

  // --group-sizes, of `rows` rows: a list, or a distribution by a seed of its own.
  std::vector<std::int64_t> group_sizes(std::int64_t groups, std::int64_t rows,
                                        std::uint64_t stream);

  // The experts of the tokens of one device, i32 [tokens, top_k]; reports sizes for which none can
  // be drawn.
  Tensor experts(std::int64_t tokens, std::int64_t top_k, std::int64_t groups, std::size_t device);

 private:
  struct Bound {
    HeaderOperand header;
    Per per;
  };

  std::size_t count(Per per) const {
    return per == Per::device ? devices() : static_cast<std::size_t>(rings().dim(0));
  }
  // The file of --OPERAND, if it is given.
  void file(std::string_view operand, const std::vector<Axis>& axes, Agreed<DType>& type,
            DType fallback, Per per);

  const Tensor* rings_ = nullptr;
  std::deque<Extent> extents_;
  std::optional<Agreed<DType>> type_;  // --dtype
  std::vector<std::pair<std::string_view, Bound>> bound_;
  std::map<std::string, Tensors, std::less<>> loaded_;
  std::uint64_t stream_ = 0;
  bool has_bad_file_ = false;  // which would have said extents
};

// The row of an operand that files may give: "[m, k] of each device".
Option operand_option(std::string_view operand, std::string_view meaning, Per per = Per::device);
// --m, --k, ... of one command, then those of all; devices without neighbours have no --rings.
Options collective_options(Options own, Peers peers = Peers::neighbours);

}  // namespace tessera::cli
