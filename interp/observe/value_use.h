// Values that nobody uses: operands that are not read, and what is stored or copied to memory and
// overwritten or dropped before anything reads it. Most often a wrong index, a sum that is begun
// again (`=` for `+=`), or a step at the wrong end of a loop. A write counts as a whole: it is used
// as soon as one element of it is read.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "core/report/finding.h"
#include "interp/machine/topology.h"
#include "interp/memory/layout.h"
#include "interp/memory/shadow.h"
#include "interp/observe/observer.h"

namespace tessera {

class ValueUse : public Observer {
 public:
  // Follows a run for as long as at most so many writes wait to be read at one time.
  explicit ValueUse(std::int64_t max_unread = std::int64_t{1} << 20) : max_unread_(max_unread) {}

  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  void end(RunResult& result) override;

  // One for each operand and each statement, in the order of the source; none of a run that did not
  // end by itself or that has findings. They outlive the run.
  const std::vector<Finding>& notes() const { return notes_; }
  // Why nothing is known of a run that is too large to be followed; empty of one that is not.
  const std::string& why_unknown() const { return why_unknown_; }

 private:
  // A write of which nothing was read so far.
  struct Write {
    Box box;
    std::vector<Box> rest;  // of it that was not overwritten
    AgentId agent;
    StmtId statement;
    LoopValues loops;
  };
  // The writes to one memory, by where they begin along its longest dimension.
  struct Writes {
    int dim = 0;
    std::int64_t longest = 0;  // extent of a write along it
    std::multimap<std::int64_t, Write> unread{};
  };
  // The elements of an operand of one device that were read.
  struct Operand {
    Layout layout;
    BitPlane read;
    std::vector<PlaceId> readers{};  // each once, those that read it while some was unread
  };
  // Whether it is worth a note that what was written is never read, without being overwritten: of
  // each write, of statements all of whose writes are such, or not at all.
  enum class Drop : std::uint8_t { noted, noted_if_all, meant };
  // What was found of the writes of one place in the source.
  struct Unused {
    std::int64_t count = 0;
    std::int64_t overwritten = 0;  // of them
    Write first;
    BufferId buffer;
    bool is_overwritten = false;  // the first one
    std::set<std::int32_t> devices{};
  };

  Writes& writes_to(const Event& event);
  void read(const Event& event);
  void write(const Event& event);
  void overwrite(const Event& event, bool is_overwritten);
  bool is_tracked(const Event& event) const;
  void add_unused(const Write& write, BufferId buffer, bool is_overwritten);
  static Table<BufferId, Drop> drops(const Program& program);
  bool is_worth_a_note(PlaceId place, const Unused& unused) const;
  Finding unused_write(PlaceId place, const Unused& unused) const;
  void note_operands();
  void give_up(std::string why);

  const Program* program_ = nullptr;
  Topology topology_;
  Table<BufferId, bool> is_watched_;
  Table<BufferId, Drop> drop_;
  std::map<std::pair<CoreIndex, BufferId>, Writes> writes_;
  std::map<std::pair<std::int32_t, BufferId>, Operand> operands_;
  Table<StmtId, bool> is_tracked_;
  std::map<PlaceId, std::int64_t> executed_;  // writes of each place
  std::map<PlaceId, Unused> unused_;
  std::int64_t unread_ = 0;  // writes, of all memories
  std::int64_t max_unread_;
  std::string why_unknown_;
  std::vector<Finding> notes_;
};

}  // namespace tessera
