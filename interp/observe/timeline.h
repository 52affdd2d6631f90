// When each part of a recorded run happens on the machine of its profile, in seconds from the
// start.
#pragma once
#include "interp/observe/timing.h"

namespace tessera {

class TimingRecord;

// Plays the record again in the order of time: cores work and wait, copies take their turns at
// memories and links. Who draws a timeline listens here.
Timing timeline(const TimingRecord& record);

}  // namespace tessera
