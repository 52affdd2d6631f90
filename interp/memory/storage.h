// The memory of the simulated machine: one Storage for each buffer of a program on each device.
//
// Bytes lie in the buffer's storage order; boxes and indices are logical. A copy of a large
// rectangle into scratch is deferred: the destination aliases the source until one of the two
// changes or their bytes must lie together. Nobody outside can tell. Storages know nothing of
// agents, events or findings; they answer questions and the machine reports.
//
// Idle scratch and idle operands (interp/machine/idle.h) have no bytes: views of it have no data,
// copies from or to it carry none, and only what is initialised, stored and written back is kept.
#pragma once
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "core/data/tensor.h"
#include "core/program/program.h"
#include "interp/memory/initialisation.h"
#include "interp/memory/layout.h"
#include "interp/memory/shadow.h"
#include "interp/memory/snapshot.h"
#include "interp/memory/view.h"

namespace tessera {

enum class Checks : std::uint8_t {
  off,
  on
};  // off: every element counts as initialised, nothing is tracked

// What scratch holds before it is written. plain: anything, for every undefined element is poisoned
// before it is read; zeroed: zeros, where checks, which would see to that, are left out; kept:
// zeros, and what write() promises to overwrite may stay, where tile ops are left out; idle: it
// never holds anything.
enum class Contents : std::uint8_t { plain, zeroed, kept, idle };

struct NeverWritten {
  Box first;                  // a largest rectangle from the first such element on
  std::int64_t elements = 0;  // how many in all
};

// For a copy of a storage as it is.
struct Forked {};
inline constexpr Forked forked;

class Storage final : public Initialisation {
 public:
  // Scratch. It holds nothing until allocate().
  Storage(const Buffer& buffer, Checks checks, Contents contents = Contents::zeroed);
  // An operand (initialised) or a result (not), in the tensor's own bytes, which lie in storage
  // order.
  Storage(const Buffer& buffer, Tensor& bound, Checks checks, Contents contents = Contents::zeroed);
  // Scratch of a loop worker (interp/machine/loop_workers.h): it begins as that of its core, which
  // does not change meanwhile, and knows which elements were stored since.
  Storage(Forked, Storage& from);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Buffer& buffer() const { return buffer_; }
  bool is_live() const { return live_; }
  bool is_idle() const { return contents_ == Contents::idle; }
  std::int64_t bytes() const { return layout_.elements * size_of(buffer_.dtype); }
  Box whole() const { return layout_.whole(); }

  // Begins and ends the lifetime of scratch; contents are undefined, and memory is taken when first
  // needed.
  void allocate(PlaceId place);
  void release();

  // Layout::outside(). Everything below requires -1, and is_live() unless the box is empty.
  int outside(const Box& box) const { return layout_.outside(box); }

  // Views for one op. Take those for reading before the one for writing. The tile ops
  // (interp/tiles/tile_ops.h) record what they initialise; whoever writes through the view by hand
  // calls initialise(box).
  TileView read(const Box& box);
  TileView write(const Box& box);   // every element will be overwritten; counts as stored
  TileView update(const Box& box);  // read, then overwritten; counts as stored
  void initialise(const Box& box) override;
  void initialise(const Box& box, const BitPlane& mask, Origin origin) override;

  // One element. store_integer is false, and nothing changes, when the type cannot hold the value.
  std::int64_t load_integer(const Box& box);
  float load_real(const Box& box);
  bool store_integer(const Box& box, std::int64_t value);
  void store_real(const Box& box, double value);

  // The elements of live i64 memory in order, when all are initialised and nobody else's bytes are
  // among them; else null. The address holds until release().
  std::int64_t* cells();

  // Where the numbers of live memory begin that no copy is deferred of, whatever is defined of it;
  // else null. The address holds until release().
  std::byte* numbers();
  const Layout& layout() const { return layout_; }
  bool is_initialised_at(std::int64_t offset) const { return init_.get(offset); }
  void initialise_at(std::int64_t offset) {
    if (init_.get(offset)) return;
    init_.put(offset, true);
    is_changed_ = true;
  }

  // Copies. Source and destination have the same dtype and the same kept sizes.
  // carries: its bytes, not only what is initialised; never from idle scratch.
  Snapshot snapshot(const Box& box, bool carries = true);
  // The elements that were stored since their fresh(), for land_stored.
  Snapshot snapshot_stored(const Box& box, bool carries = true);
  void land(const Box& box, const Snapshot& source, PlaceId place);
  // box += source: in f32 or i64, rounded once to the dtype.
  void land_add(const Box& box, const Snapshot& source, PlaceId place);
  // Writes the stored elements only. Returns the first of them that was written back before since
  // once().
  std::optional<Index> land_stored(const Box& box, const Snapshot& source, PlaceId place,
                                   std::int32_t core, std::int64_t since = newest);
  // Until end_once() or another once() for the same slot, the write-backs that this core starts may
  // write no element twice. Write-backs started earlier belong to the once() before, also if they
  // land later. If several once() are open, only the newest counts.
  void once(std::int32_t core, BufferId slot = {});
  void end_once(std::int32_t core, BufferId slot);
  std::int64_t start_write_back(std::int32_t core);            // `since` for land_stored()
  void end_write_back(std::int32_t core, std::int64_t since);  // when all of it has landed

  // Pipeline slots.
  void fresh(const Box& box, PlaceId place);  // undefined, and nothing in it is stored
  void pad(const Box& slot,
           const Box& inside);  // zeros in slot outside inside; initialised, not stored

  // Initialisation. With checks off everything is initialised.
  bool is_initialised(const Box& box) const;
  bool is_undefined(const Box& box) const;  // all of it
  Index first_uninitialised(const Box& box) const override;
  Origin origin(const Index& index) const override;
  std::optional<NeverWritten> never_written() const;  // of the whole buffer

  // Elements of a fork that will have been stored.
  void note_change(const Box& box);
  // What was stored in a fork is undefined from here on.
  void lose(const Storage& fork, PlaceId place);

  // The end of the machine: nobody will read what lies elsewhere.
  void drop_aliases();

  // As it is now, and as it was (interp/memory/image.h); not of a fork. Images of it share what did
  // not change between them. Going back has three steps, each for all storages of a machine: that
  // nothing lies elsewhere, what each has, and what lies elsewhere then. Nobody depends on it
  // meanwhile.
  struct Image;
  using SharedImage = std::shared_ptr<const Image>;
  SharedImage save(const HeldBytes& held);
  void restore(const SharedImage& image);
  void restore_aliases(const Image& image);
  // Its bytes are its own, and nobody else's lie in it.
  void stand_alone();

  // For snapshots and aliases: the bytes behind a box, which must not be aliased, as they are now.
  void add_dependent(Dependent& dependent);
  void remove_dependent(Dependent& dependent);
  std::byte* base() { return data_; }  // null: there are none

  static constexpr std::int64_t newest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t unjudged = -1;  // a write-back outside any once()

 private:
  enum class Elements : std::uint8_t { all, stored };
  struct Alias;
  struct Undefined {
    Box box;
    Origin origin;
  };

  bool is_checked() const { return checks_ == Checks::on; }
  void note_bytes() { is_changed_ = has_new_bytes_ = true; }
  std::byte* own_data();
  TileView own_view(const Box& box);
  TileView resolve(const Box& box);  // own bytes, or those of the alias that covers the box
  std::byte* element_address(const Box& box);
  Alias* alias_around(const Box& box) const;
  void settle(const Box& box);     // aliases that meet the box become bytes of our own
  void detach(const Box& box);     // whoever still reads the box gets a copy
  void overwrite(const Box& box);  // detach, and drop or settle the aliases under the box
  void drop(const Alias& alias);
  bool may_alias() const;
  std::vector<const Alias*> aliases_under(const Box& box) const;
  void add_alias(const Box& box, const Snapshot::Body& source);
  void put(const Box& box, const Snapshot::Body& source);
  Snapshot capture(const Box& box, Elements which, bool carries);
  void depend(Snapshot::Body& body, const Alias* alias);

  bool all(const BitPlane& plane, const Box& box) const;
  void assign(BitPlane& plane, const Box& box, bool value);
  BitPlane gather(const BitPlane& plane, const Box& box) const;  // row-major over the box
  void reset_planes(bool initialised);
  void mark_stored(const Box& box);
  void poison(const Box& box);  // a known value into every undefined element
  void undefine(const Box& box, Origin origin);
  void zero(const Box& box);
  struct WrittenBack {
    BitPlane plane;            // storage order
    std::int64_t pending = 0;  // write-backs that were started and have not landed
    BufferId slot{};           // with which it ends
    bool is_over = false;
  };
  using WrittenBacks = std::map<std::pair<std::int32_t, std::int64_t>, WrittenBack>;
  WrittenBacks::iterator newest_once(std::int32_t core);
  std::optional<Index> mark_written_back(const Box& box, std::int32_t core, std::int64_t since);

  const Buffer& buffer_;
  Layout layout_;
  Checks checks_;
  Contents contents_;
  bool bound_ = false;
  bool live_ = false;
  bool slot_ = false;     // fresh() was called: stores are tracked
  bool is_fork_ = false;  // of scratch that there was: changes are tracked
  std::byte* data_ = nullptr;
  std::unique_ptr<std::byte, void (*)(void*)> owned_;
  BitPlane init_, stored_, changed_;  // storage order
  // By core and by how often it had called once(); those that are not over, or wait for copies.
  WrittenBacks written_back_;
  std::vector<std::unique_ptr<Alias>>
      aliases_;                         // disjoint rectangles of ours whose bytes are elsewhere
  std::vector<Dependent*> dependents_;  // who reads rectangles of ours
  std::vector<Undefined> undefined_;    // why; the latest is last
  PlaceId allocated_at_;
  SharedImage image_;          // the last that was made or put back
  bool is_changed_ = true;     // since that
  bool has_new_bytes_ = true;  // its bytes may have changed since
  bool gives_cells_ = false;   // and may at any time
};

}  // namespace tessera
