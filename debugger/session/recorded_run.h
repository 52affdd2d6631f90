// A machine and images of it along its way, from which it goes again instead of from the beginning.
// Some lie all over the run, a few before the place where the last way ended. When they take more
// memory than they may every second one goes. Nobody can tell where they lie but by the time that a
// way takes.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/machine/machine_image.h"

namespace tessera {

struct Recording {
  double seconds = 0.1;        // of a run between two images; more when they take much memory,
  double times_cost = 12;      // or when it takes more than one of so many parts to make one
  double near_seconds = 0.01;  // between those before the place where a way ends
  std::int64_t bytes = std::int64_t{224} << 20;
  std::int64_t least_steps = 1 << 12;  // between two

  // An image before each step, for tests.
  static Recording of_every_step() { return {0, 0, 0, std::int64_t{224} << 20, 1}; }
};

class RecordedRun {
 public:
  // It stands before its first step, and has begun.
  RecordedRun(std::unique_ptr<Machine> machine, const Recording& recording);

  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  std::int64_t position() const { return machine_->steps(); }
  // Nothing moves any more.
  bool is_over() const { return is_over_; }
  // Until so many steps are done in all, or `pausing` wants to stop, or the run is over.
  void advance(std::int64_t steps, Pausing* pausing = nullptr);
  // To the place, or as near before it as an image brings it without a step. False: there is no
  // image, and the place lies behind; nothing has changed.
  bool approach(std::int64_t position);
  // The last image before a place; null: there is none.
  const MachineImage* image_before(std::int64_t position) const;
  std::int64_t held_bytes() const { return held_.count(); }

 private:
  struct Kept {
    std::shared_ptr<const MachineImage> image;
    bool is_near = false;  // made because a way ended behind it
    double after = 0;      // seconds from the last that was not
    std::int64_t position() const { return image->numbers.step; }
  };
  using Index = std::vector<Kept>::size_type;

  Index first_behind(std::int64_t position) const;  // of images, or their number
  void go_back_to(const Kept& kept);
  void note(std::int64_t target);
  void keep(bool is_near);
  void drop_farthest_near();
  void thin();

  std::unique_ptr<Machine> machine_;
  Recording recording_;
  HeldBytes held_;
  std::vector<Kept> kept_;  // ascending
  bool is_over_ = false;
  double rate_ = 0;                   // steps in a second; 0: nobody knows
  double since_any_ = 0, since_ = 0;  // seconds from the last image, and from the last not near
  double cost_ = 0;                   // seconds for an image
  bool is_out_of_memory_ = false;
};

}  // namespace tessera
