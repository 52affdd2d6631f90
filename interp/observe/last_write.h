// Who wrote one element of a buffer last: which rectangle, by which statement, and where that was
// in its loops.
#pragma once
#include <optional>
#include <string>

#include "core/report/finding.h"
#include "interp/machine/topology.h"
#include "interp/memory/view.h"
#include "interp/observe/observer.h"

namespace tessera {

class LastWrite : public Observer {
 public:
  struct Found {
    Box box;          // that was written
    FindingPlace at;  // of a copy: where it was started
  };

  // buffer: its name in the program; index: logical.
  LastWrite(int device, std::string buffer, const Index& index)
      : device_(device), name_(std::move(buffer)), index_(index) {}
  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  bool takes_point_cores() const override { return true; }

  // None: nothing wrote it.
  const std::optional<Found>& found() const { return found_; }

 private:
  int device_;
  std::string name_;
  Index index_;
  const Program* program_ = nullptr;
  Topology topology_;
  BufferId buffer_;
  std::optional<Found> found_;
};

}  // namespace tessera
