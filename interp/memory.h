// The memory of the simulated machine: one Storage for each buffer of a program on each device.
//
// Bytes lie in the buffer's storage order; boxes and indices are logical. A copy of a large
// rectangle into scratch is deferred: the destination aliases the source until one of the two
// changes. Nobody outside can tell. Storages know nothing of agents, events or findings; they
// answer questions and the machine reports.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "core/program.h"
#include "core/tensor.h"
#include "interp/shadow.h"
#include "interp/snapshot.h"
#include "interp/view.h"

namespace tessera {

enum class Checks : std::uint8_t {
  off,
  on
};  // off: every element counts as initialised, nothing is tracked

struct NeverWritten {
  Box first;                  // a largest rectangle from the first such element on
  std::int64_t elements = 0;  // how many in all
};

class Storage {
 public:
  // Scratch. It holds nothing until allocate().
  Storage(const Buffer& buffer, Checks checks);
  // An operand (initialised) or a result (not), in the tensor's own bytes, which lie in storage
  // order.
  Storage(const Buffer& buffer, Tensor& bound, Checks checks);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Buffer& buffer() const { return buffer_; }
  bool is_live() const { return live_; }
  std::int64_t bytes() const { return elements_ * size_of(buffer_.dtype); }
  Box whole() const;

  // Begins and ends the life of scratch; contents are undefined, and memory is taken when first
  // needed.
  void allocate(std::int32_t place);
  void release();

  // The first dimension in which the box leaves the shape (or has a negative size), or -1.
  // Everything below requires -1 and is_live().
  int outside(const Box& box) const;

  // Views for one op. Take those for reading before the one for writing. The tile ops
  // (interp/tile_ops.h) record what they initialise; whoever writes through the view by hand calls
  // initialise(box).
  TileView read(const Box& box);
  TileView write(const Box& box);   // every element will be overwritten; counts as stored
  TileView update(const Box& box);  // read, then overwritten; counts as stored
  void initialise(const Box& box);
  // Elements with a clear bit of `mask` (row-major over the box) stay undefined, for that reason.
  void initialise(const Box& box, const BitPlane& mask, Origin origin);

  // One element. store_integer is false, and nothing changes, when the type cannot hold the value.
  std::int64_t load_integer(const Box& box);
  float load_real(const Box& box);
  bool store_integer(const Box& box, std::int64_t value);
  void store_real(const Box& box, double value);

  // Copies. Source and destination have the same dtype and the same kept sizes.
  Snapshot snapshot(const Box& box);
  // The elements that were stored since their fresh(), for land_stored.
  Snapshot snapshot_stored(const Box& box);
  void land(const Box& box, const Snapshot& source, std::int32_t place);
  // box += source: in f32 or i64, rounded once to the dtype.
  void land_add(const Box& box, const Snapshot& source, std::int32_t place);
  // Writes the stored elements only. Returns the first of them that was written back before since
  // once().
  std::optional<Index> land_stored(const Box& box, const Snapshot& source, std::int32_t place);
  void once();  // forgets which elements were written back

  // Pipeline slots.
  void fresh(const Box& box, std::int32_t place);  // undefined, and nothing in it is stored
  void pad(const Box& slot,
           const Box& inside);  // zeros in slot outside inside; initialised, not stored

  // Initialisation. With checks off everything is initialised.
  bool is_initialised(const Box& box) const;
  Index first_uninitialised(const Box& box) const;    // requires that there is one
  Origin origin(const Index& index) const;            // of an undefined element
  std::optional<NeverWritten> never_written() const;  // of the whole buffer

 private:
  friend class Snapshot;
  struct Alias;
  struct Undefined {
    Box box;
    Origin origin;
  };

  bool is_checked() const { return checks_ == Checks::on; }
  std::byte* own_data();
  std::int64_t offset(const Box& box) const;
  TileView own_view(const Box& box);
  TileView alias_view(const Alias& alias, const Box& box) const;
  Alias* alias_around(const Box& box) const;
  void settle(const Box& box);     // aliases that meet box become bytes of our own
  void detach(const Box& box);     // whoever still reads box gets a copy
  void overwrite(const Box& box);  // detach, and drop or settle the aliases under box
  void poison(const Box& box);     // a known value into every undefined element
  void undefine(const Box& box, Origin origin);
  void drop(std::size_t alias);
  void add_dependent(Dependent& dependent);
  void remove_dependent(Dependent& dependent);
  Snapshot capture(const Box& box, const BitPlane* stored);

  const Buffer& buffer_;
  Checks checks_;
  bool bound_ = false;
  bool live_ = false;
  bool slot_ = false;  // fresh() was called: stores are tracked
  std::int64_t elements_ = 0;
  Index stride_{};                             // elements, by logical dimension
  std::array<std::int8_t, max_rank> order_{};  // logical dimensions, outermost in memory first
  std::byte* data_ = nullptr;
  std::unique_ptr<std::byte, void (*)(void*)> owned_;
  BitPlane init_, stored_, written_back_;
  std::vector<std::unique_ptr<Alias>> aliases_;  // disjoint rectangles of ours that live elsewhere
  std::vector<Dependent*> dependents_;           // who reads rectangles of ours
  std::vector<Undefined> undefined_;             // latest last
  std::int32_t allocated_at_ = -1;
};

}  // namespace tessera
