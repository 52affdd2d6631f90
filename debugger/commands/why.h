// Explanations of the state of memory, semaphores and cores at the session's position.
#pragma once
#include <string>

#include "core/report/expected.h"
#include "debugger/session/contributions.h"
#include "debugger/session/provenance.h"
#include "debugger/session/session.h"

namespace tessera::debugger {

// Returns the writes of the elements and their operands, back to operands of the program; for a
// sum, its products, and how often each part of an operand was a factor. At most 60 lines. Moves
// the session to the beginning and back; if it fails, the position is not restored. Fails like
// provenance().
Expected<std::string> why_elements(Session& session, const Elements& elements);

// Returns the signals to a semaphore and the waits on it, with their number and amount, and the
// copies in flight that will signal it.
std::string whence_count(Session& session, const SemId& sem);

// Returns the semaphore for which a core waits, the cores that could signal it, and the same for
// these cores, up to 8 cores.
std::string why_core(Session& session, CoreIndex core);

}  // namespace tessera::debugger
