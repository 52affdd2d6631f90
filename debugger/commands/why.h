// Answers to why memory, a semaphore or a core is as it is where a session stands.
#pragma once
#include <string>

#include "core/report/expected.h"
#include "debugger/session/contributions.h"
#include "debugger/session/provenance.h"
#include "debugger/session/session.h"

namespace tessera::debugger {

// Who wrote the elements, from what, back to operands; of a sum its products, and how often each
// stretch of an operand was a factor. It takes the run back to its beginning and here again.
Expected<std::string> why_elements(Session& session, const Elements& elements);

// Who signalled and took from a semaphore, how often and how much, and which copies will.
std::string whence_count(Session& session, const SemId& sem);

// What a core waits for and who could help it, and what these wait for in their turn.
std::string why_core(Session& session, CoreIndex core);

}  // namespace tessera::debugger
