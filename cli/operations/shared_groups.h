// What sharded-gmm and ep-gmm have in common: a grouped product whose groups are shared by devices.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "cli/operations/collective_reader.h"
#include "core/kernel/grouped_desc.h"

namespace tessera::cli {

// What is said of the operands: lhs [m, k] of each device or ring, and the matrices of all groups.
struct SharedGroups {
  SaidExtents said;
  CollectiveReader::Type& type;  // of lhs and rhs

  explicit SharedGroups(CollectiveReader& read);
};

// The product when all of it is said. Devices and rings have group sizes of their own, and the
// product the expected ones. What nobody says is an error of `read`.
GroupedDesc settle(CollectiveReader& read, const SharedGroups& shared);

// Group sizes: of --sizes, listed, or drawn once it is known of how many rows.
class SharedGroupSizes {
 public:
  // Sizes that are there say how many groups there are.
  SharedGroupSizes(CollectiveReader& read, Collective& collective, SharedGroups& shared, Per per);

  // And rows, where nothing else does: there may be more than they own.
  void settle_rows(SharedGroups& shared) const;
  // One for each of `count` devices or rings.
  const Collective::Tensors& tensors(Collective& collective, const GroupedDesc& product,
                                     std::size_t count);

 private:
  CollectiveReader& read_;
  Per per_;
  bool is_listed_ = false;
  const Collective::Tensors* tensors_ = nullptr;
  std::optional<std::int64_t> rows_;
};

// The axes of rhs as its file has them, stored transposed where --transpose-rhs says so.
std::vector<CollectiveReader::Axis> matrices_axes(CollectiveReader& read, SharedGroups& shared,
                                                  CollectiveReader::Axis groups);
Option group_sizes_option();

}  // namespace tessera::cli
