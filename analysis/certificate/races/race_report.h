// Report of a race: both accesses, the completion of copies, and the missing edge.
#pragma once
#include "analysis/certificate/conditions.h"
#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/protocol_replay.h"
#include "core/report/finding.h"

namespace tessera {

// The place of the finding is the access of the core if the other access belongs to a copy,
// otherwise the later access in the text.
Finding race_finding(const Record& record, const SignalTable& signals, const Race& race,
                     const ControlFlow& control);
// Remark on an unordered sum: two accesses that add to the same elements.
Remark order_remark(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
