// Report of a race: both accesses, the completion of copies, and the missing edge.
#pragma once
#include "analysis/certificate/conditions.h"
#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/protocol_replay.h"
#include "core/report/finding.h"

namespace tessera {

// Returns the finding of a race, with notes on the other access, completion and the missing edge.
// Its place is the access of the core if the other access belongs to a copy, otherwise the later
// access in the text.
// signals: table of `record`. control: adds a note if a racing read decides the control flow.
Finding race_finding(const Record& record, const SignalTable& signals, const Race& race,
                     const ControlFlow& control);
// Returns the remark on an unordered sum (Race::is_order): two accesses that add to the same
// elements.
Remark order_remark(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
