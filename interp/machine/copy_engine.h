// Moves the data of copies, and checks the rectangles that they access.
#pragma once
#include <cstdint>

#include "interp/dma/copies.h"
#include "interp/observe/event.h"

namespace tessera {

class Machine;  // interp/machine/machine.h

class CopyEngine {
 public:
  // machine: must outlive this object.
  explicit CopyEngine(Machine& machine) : machine_(machine) {}

  // Reads or writes one part of a copy and emits the events. Does not advance Copy::read and
  // Copy::written, and does not signal. part: its side must not be `next`. Stops the machine with a
  // finding if the rectangle does not exist, if undefined data would be used, or if a write-back
  // stores an element a second time.
  void move(Copy& copy, const CopyPart& part);

 private:
  // Emits the event of an access. Returns false and stops the machine if the rectangle does not
  // exist or belongs to a later allocation.
  bool reach(Copy& copy, const Region& region, EventKind kind);
  // Read and write whole copies (data in Copy::data), or the next granules of partial copies (data
  // in Copy::staging).
  void take(Copy& copy);
  void take_part(Copy& copy, std::int64_t granules);
  void land(Copy& copy);
  // Writes data into a rectangle of the destination.
  void land(Copy& copy, const Box& box, const Snapshot& data);
  void land_part(Copy& copy, std::int64_t granules);
  // Returns false and stops the machine if the data contains undefined elements and the destination
  // is a result. from: offset to add to indices in the data.
  bool keeps_result_defined(const Copy& copy, const Snapshot& data, const Index& from);

  Machine& machine_;
};

}  // namespace tessera
