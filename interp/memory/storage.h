// Memory of the simulated machine: one Storage per buffer of a program and device.
//
// Bytes are in the buffer's storage order; boxes and indices are logical. A copy of a large
// rectangle into scratch is deferred: the destination aliases the source until either changes or
// its bytes must be contiguous. Callers cannot observe this. A Storage does not depend on agents,
// events or findings. It returns results, and the machine reports them. Functions that need bytes
// of scratch allocate them, and throw NoMemory if there is not enough memory.
//
// Idle scratch and idle operands (interp/machine/idle.h) have no bytes: their views have no data,
// and copies to or from them carry none. Only the initialised, stored and written-back elements are
// tracked.
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

// off: every element counts as initialised, and nothing is tracked.
enum class Checks : std::uint8_t { off, on };

// Contents of scratch before its first write. plain: arbitrary bytes, since each undefined element
// is poisoned before it is read. zeroed: zeros, for runs without checks, which do not poison. kept:
// zeros, and write() keeps the old bytes, for runs that skip tile ops. idle: no bytes.
enum class Contents : std::uint8_t { plain, zeroed, kept, idle };

struct NeverWritten {
  Box first;                  // a maximal rectangle that starts at the first such element
  std::int64_t elements = 0;  // in the whole buffer
};

// Selects the constructor that copies a storage.
struct Forked {};
inline constexpr Forked forked;

class Storage final : public Initialisation {
 public:
  // `buffer`, and the tensor `bound`, must outlive this object.
  // Scratch. Has no contents until allocate().
  Storage(const Buffer& buffer, Checks checks, Contents contents = Contents::zeroed);
  // An operand (initialised) or a result (not initialised). Uses the tensor's own bytes, which are
  // in storage order.
  Storage(const Buffer& buffer, Tensor& bound, Checks checks, Contents contents = Contents::zeroed);
  // Scratch of a loop worker (interp/machine/loop_workers.h). Starts as a copy of the core's
  // scratch, which does not change meanwhile. Tracks the elements stored since the fork.
  Storage(Forked, Storage& from);
  ~Storage();
  Storage(const Storage&) = delete;
  Storage& operator=(const Storage&) = delete;

  const Buffer& buffer() const { return buffer_; }
  bool is_live() const { return live_; }
  bool is_idle() const { return contents_ == Contents::idle; }
  std::int64_t bytes() const { return layout_.elements * size_of(buffer_.dtype); }  // also if idle
  Box whole() const { return layout_.whole(); }

  // Begin and end the lifetime of scratch. allocate() requires scratch that is not live. Its
  // contents are undefined, with origin `place`; memory is allocated at the first use.
  void allocate(PlaceId place);
  void release();

  // See Layout::outside(). All functions below require -1, and is_live() unless the box is empty.
  int outside(const Box& box) const { return layout_.outside(box); }

  // Views for one op. Get the views for reading before the view for writing. The tile ops
  // (interp/tiles/tile_ops.h) record the elements that they initialise; other code that writes
  // through a view must call initialise(box).
  TileView read(const Box& box);
  TileView write(const Box& box);   // all elements must then be overwritten; marks them as stored
  TileView update(const Box& box);  // for reading, then overwriting; marks the elements as stored
  void initialise(const Box& box) override;
  void initialise(const Box& box, const BitPlane& mask, Origin origin) override;

  // Accesses to one element; not for idle memory. An undefined element loads a fixed value of its
  // type. store_integer() returns false and changes nothing if the type cannot represent the value.
  std::int64_t load_integer(const Box& box);
  float load_real(const Box& box);
  bool store_integer(const Box& box, std::int64_t value);
  void store_real(const Box& box, double value);

  // Elements of live i64 memory, in storage order. Null unless all are initialised, none is
  // aliased, no copy depends on them, and the storage is not a fork. Valid until release() or
  // restore().
  std::int64_t* cells();

  // First element of live smem, initialised or not. Copies into smem are never deferred. Null for
  // other memory spaces, for forks and for idle memory. Valid until release() or restore().
  std::byte* numbers();
  const Layout& layout() const { return layout_; }
  bool is_initialised_at(std::int64_t offset) const { return init_.get(offset); }
  void initialise_at(std::int64_t offset) {
    if (init_.get(offset)) return;
    init_.put(offset, true);
    is_changed_ = true;
  }

  // Copies. Source and destination have the same dtype and the same kept sizes.
  // snapshot() captures the contents of a box, for land() or land_add() on any storage.
  // carries: true to capture the bytes, not only the initialisation. Ignored for idle scratch.
  Snapshot snapshot(const Box& box, bool carries = true);
  // Snapshot of the elements stored since their last fresh(), for land_stored(). Before the first
  // fresh(), all elements count as stored.
  Snapshot snapshot_stored(const Box& box, bool carries = true);
  // Writes a snapshot into the box; its undefined elements become undefined there. place: of the
  // copy, for Origin::via.
  void land(const Box& box, const Snapshot& source, PlaceId place);
  // box += source, computed in f32 or i64 and rounded once to the dtype. An element of the sum is
  // undefined if either addend is.
  void land_add(const Box& box, const Snapshot& source, PlaceId place);
  // Writes only the stored elements. Returns the first of them that had already been written back
  // since `since` (a once() of this core), or nullopt; always nullopt without checks or a once().
  std::optional<Index> land_stored(const Box& box, const Snapshot& source, PlaceId place,
                                   std::int32_t core, std::int64_t since = newest);
  // From this call until end_once(), or until another once() for the same slot, the write-backs
  // that this core starts may write each element only once. Write-backs started earlier belong to
  // the previous once(), even if they complete later. If several once() are open, only the newest
  // one is checked.
  void once(std::int32_t core, BufferId slot = {});
  void end_once(std::int32_t core, BufferId slot);
  std::int64_t start_write_back(std::int32_t core);            // `since` for land_stored()
  void end_write_back(std::int32_t core, std::int64_t since);  // when it has completed

  // Pipeline slots.
  void fresh(const Box& box, PlaceId place);  // makes the box undefined and not stored
  // Fills `slot` outside `inside`, which must be inside it or empty, with zeros; they count as
  // initialised, not as stored.
  void pad(const Box& slot, const Box& inside);

  // Initialisation. Without checks, everything is initialised.
  bool is_initialised(const Box& box) const;
  bool is_undefined(const Box& box) const;                   // true if no element is initialised
  Index first_uninitialised(const Box& box) const override;  // requires !is_initialised(box)
  Origin origin(const Index& index) const override;
  std::optional<NeverWritten> never_written() const;  // nullopt if all are initialised

  // Marks elements of a fork as stored, for lose(). No effect on other storages.
  void note_change(const Box& box);
  // Makes the elements that were stored in the fork undefined from now on.
  void lose(const Storage& fork, PlaceId place);

  // Drops all aliases without copying their bytes: when the machine ends, or before restore().
  void drop_aliases();

  // Saves and restores the state (interp/memory/image.h); not for forks. Successive images share
  // unchanged parts. Restoring has three steps, each executed for all storages of a machine before
  // the next step: drop_aliases(), restore(), restore_aliases(). Nothing may depend on the
  // storages meanwhile.
  struct Image;
  using SharedImage = std::shared_ptr<const Image>;
  SharedImage save(const HeldBytes& held);
  void restore(const SharedImage& image);
  void restore_aliases(const Image& image);
  // Copies the aliased bytes into this storage, and detaches all its dependents.
  void stand_alone();

  // Registers a snapshot or alias that depends on the current bytes of its root_box, and sets its
  // root. The box itself must not be aliased. remove_dependent() clears the root, without a copy of
  // the bytes.
  void add_dependent(Dependent& dependent);
  void remove_dependent(Dependent& dependent);
  std::byte* base() { return data_; }  // may be null

  static constexpr std::int64_t newest = std::numeric_limits<std::int64_t>::max();
  static constexpr std::int64_t unjudged = -1;  // outside any once()

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
  TileView resolve(const Box& box);  // own bytes, or the bytes of the alias that contains the box
  std::byte* element_address(const Box& box);
  Alias* alias_around(const Box& box) const;  // alias that contains the box, or null
  void settle(const Box& box);     // copies aliases that intersect the box into own bytes
  void detach(const Box& box);     // copies the box for its dependents
  void overwrite(const Box& box);  // detaches the box, and drops or copies its aliases
  void drop(const Alias& alias);
  bool may_alias() const;
  // Aliases that together contain the box; empty if it has own bytes or more than 8 aliases.
  std::vector<const Alias*> aliases_under(const Box& box) const;
  void add_alias(const Box& box, const Snapshot::Body& source);
  void put(const Box& box, const Snapshot::Body& source);
  Snapshot capture(const Box& box, Elements which, bool carries);
  // Registers the body, a view of its box, with its root: the root of the alias that contains the
  // box, or this storage if null.
  void depend(Snapshot::Body& body, const Alias* alias);

  bool all(const BitPlane& plane, const Box& box) const;
  void assign(BitPlane& plane, const Box& box, bool value);
  BitPlane gather(const BitPlane& plane, const Box& box) const;  // row-major over the box
  void reset_planes(bool initialised);
  void mark_stored(const Box& box);
  void poison(const Box& box);  // writes a fixed value to each undefined element
  void undefine(const Box& box, Origin origin);
  void zero(const Box& box);
  struct WrittenBack {
    BitPlane plane;            // storage order
    std::int64_t pending = 0;  // started and not yet completed
    BufferId slot{};           // end_once() of this slot closes it
    bool is_over = false;
  };
  using WrittenBacks = std::map<std::pair<std::int32_t, std::int64_t>, WrittenBack>;
  WrittenBacks::iterator newest_once(std::int32_t core);  // newest open one; end() if there is none
  // Returns the first element that was already marked; nullopt if there is none.
  std::optional<Index> mark_written_back(const Box& box, std::int32_t core, std::int64_t since);

  const Buffer& buffer_;
  Layout layout_;
  Checks checks_;
  Contents contents_;
  bool bound_ = false;
  bool live_ = false;
  bool slot_ = false;     // true after fresh(): stored_ is maintained
  bool is_fork_ = false;  // changed_ is maintained
  std::byte* data_ = nullptr;
  std::unique_ptr<std::byte, void (*)(void*)> owned_;
  BitPlane init_, stored_, changed_;  // storage order
  // Keys: core, and its number of earlier once() calls. Contains the open entries, and the closed
  // ones with pending write-backs.
  WrittenBacks written_back_;
  std::vector<std::unique_ptr<Alias>> aliases_;  // disjoint boxes
  std::vector<Dependent*> dependents_;           // snapshots and aliases of other storages
  std::vector<Undefined> undefined_;             // in order of time
  PlaceId allocated_at_;
  SharedImage image_;          // last image saved or restored
  bool is_changed_ = true;     // since image_
  bool has_new_bytes_ = true;  // bytes may have changed since image_
  bool gives_cells_ = false;   // a caller has cells() or numbers(), so bytes may change at any time
};

}  // namespace tessera
