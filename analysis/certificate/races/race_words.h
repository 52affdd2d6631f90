// Words of race reports: agents, accesses and places, and the semaphore that counts the bytes of a
// copy.
#pragma once
#include <string>

#include "analysis/certificate/record/record.h"
#include "core/report/finding.h"

namespace tessera {

class RaceWords {
 public:
  // record: must outlive this object.
  explicit RaceWords(const Record& record) : record_(record), program_(*record.program) {}

  const RecordedEvent& event(EventId e) const { return record_.events[e]; }
  const RecordedAgent& agent(RecordedAgentId a) const { return record_.agents[a]; }
  // range(), range_is_none(), range_text() and verb() require an access.
  const Range& range(EventId e) const { return record_.ranges[event(e).range()]; }
  bool is_copy(EventId e) const { return !record_.is_core(event(e).agent); }
  RecordedAgentId issuer(EventId e) const { return agent(event(e).agent).issuer; }
  // True for entering or leaving the kernel.
  bool range_is_none(EventId e) const { return range(e).kind == ObjectKind::none; }

  std::string core_text(RecordedAgentId core) const { return to_string(agent(core).id); }
  std::string agent_text(EventId e) const { return core_text(event(e).agent); }
  // "x[0 .. 4] of dev0", the name of a semaphore with its core, or "the kernel".
  std::string range_text(EventId e) const;
  // Verb of the access: "reads", or "read" after "may".
  std::string verb(EventId e, bool is_third_person) const;
  // Place of the event with its agent and loop indices; for a buffer access of a core, the location
  // of the operand.
  FindingPlace place(EventId e, std::string message) const;

  // Cell that counts the bytes of the side with this access of a copy, or none.
  CellId cell_of(EventId e) const;
  std::string cell_name(CellId cell) const;
  bool is_wait(EventId e) const { return event(e).act == Act::wait || event(e).act == Act::await; }
  bool waits_on(EventId e, CellId cell) const { return is_wait(e) && event(e).cell() == cell; }

 protected:
  const Record& record_;
  const Program& program_;

 private:
  Loc place_of(EventId e) const;
};

}  // namespace tessera
