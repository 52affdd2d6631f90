// A machine with saved images, from which the run can be repeated without starting at the
// beginning. Some images are spread over the whole run, a few are close before the end of the last
// movement. If they exceed the memory limit, every second one is dropped. The positions of images
// only affect the time of movements.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "interp/machine/machine.h"
#include "interp/machine/machine_image.h"

namespace tessera {

struct Recording {
  double seconds = 0.1;        // min CPU time between two images; doubled if they exceed `bytes`
  double times_cost = 12;      // min ratio of that time to the time to save an image
  double near_seconds = 0.01;  // min CPU time between images close before the end of a movement
  std::int64_t bytes = std::int64_t{224} << 20;  // max size of all images
  std::int64_t least_steps = 1 << 12;            // min steps between two images

  // Saves an image before each step, for tests.
  static Recording of_every_step() { return {0, 0, 0, std::int64_t{224} << 20, 1}; }
};

class RecordedRun {
 public:
  // The machine must be before its first step, after begin().
  RecordedRun(std::unique_ptr<Machine> machine, const Recording& recording);

  Machine& machine() { return *machine_; }
  const Machine& machine() const { return *machine_; }
  std::int64_t position() const { return machine_->steps(); }
  // True if no agent can take a step any more.
  bool is_over() const { return is_over_; }
  // Runs until `steps` steps are done in total, `pausing` stops the run, or the run is over, and
  // saves images. pausing: called before each step; null: none.
  void advance(std::int64_t steps, Pausing* pausing = nullptr);
  // Restores the last image at or before `position`, unless the current step is between the two.
  // Takes no steps: call advance(position) afterwards. Returns false and changes nothing if the
  // position is earlier than the current step and no image precedes it.
  bool approach(std::int64_t position);
  // Returns the last image before a position (not at it); null if there is none. Stays valid until
  // advance().
  const MachineImage* image_before(std::int64_t position) const;
  std::int64_t held_bytes() const { return held_.count(); }

 private:
  struct Kept {
    std::shared_ptr<const MachineImage> image;
    bool is_near = false;  // saved because a movement ended shortly after it
    double after = 0;      // seconds of run time since the last image that is not near
    std::int64_t position() const { return image->numbers.step; }
  };
  using Index = std::vector<Kept>::size_type;

  // Index of the first later image, or kept_.size().
  Index first_behind(std::int64_t position) const;
  void go_back_to(const Kept& kept);
  void note(std::int64_t target);
  // Saves an image, and drops others if there are too many. Saves none if there is no memory.
  void keep(bool is_near);
  void drop_farthest_near();  // requires at least one near image
  void thin();                // also doubles the time between images

  std::unique_ptr<Machine> machine_;
  Recording recording_;
  HeldBytes held_;
  std::vector<Kept> kept_;  // in ascending order of positions
  bool is_over_ = false;
  double rate_ = 0;  // steps per second; 0: unknown
  // Seconds of run time since the last image, and since the last one that is not near.
  double since_any_ = 0, since_ = 0;
  double cost_ = 0;  // seconds to save an image
  bool is_out_of_memory_ = false;
};

}  // namespace tessera
