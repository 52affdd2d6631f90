// What a race reads like: both accesses, when a copy counts as complete, and which edge is missing.
#pragma once
#include "analysis/certificate/conditions.h"
#include "analysis/certificate/races/freeze_one.h"
#include "analysis/certificate/races/protocol_replay.h"
#include "core/report/finding.h"

namespace tessera {

// The finding stands at the core's access when the other one is a copy's, else at the later one of
// the text.
Finding race_finding(const Record& record, const SignalTable& signals, const Race& race,
                     const ControlFlow& control);
// For two copies that add to one place: what was added in no order.
Remark order_remark(const Record& record, const SignalTable& signals, const Race& race);

}  // namespace tessera
