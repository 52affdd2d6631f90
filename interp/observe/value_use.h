// Finds unused values: operands that are not read, and stored or copied values that are overwritten
// or dropped before they are read. Common causes are a wrong index, a sum that is started again
// (`=` for `+=`), or a step at the wrong end of a loop. A write is used as soon as one of its
// elements is read.
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
  // max_unread: maximum number of writes that wait to be read at one time. The analysis stops if
  // there are more.
  explicit ValueUse(std::int64_t max_unread = std::int64_t{1} << 20) : max_unread_(max_unread) {}

  void begin(const Program& program, const RunOptions& options) override;
  void on(const Event& event) override;
  void end(RunResult& result) override;

  // One finding for each unused operand and each source statement with unused values, in source
  // order. Empty if the run did not end normally, has findings or was not analysed. Valid after the
  // run. They are not added to its result.
  const std::vector<Finding>& notes() const { return notes_; }
  // Reason why the run is too large to be analysed; empty if it was analysed.
  const std::string& why_unknown() const { return why_unknown_; }

 private:
  // A write with no elements read so far.
  struct Write {
    Box box;
    std::vector<Box> rest;  // not overwritten
    AgentId agent;
    StmtId statement;
    LoopValues loops;
  };
  // Writes to one memory, by their start in its longest dimension.
  struct Writes {
    int dim = 0;
    std::int64_t longest = 0;  // max extent of a write in this dimension
    std::multimap<std::int64_t, Write> unread{};
  };
  // Elements of an operand of one device that were read.
  struct Operand {
    Layout layout;
    BitPlane read;
    std::vector<PlaceId> readers{};  // distinct; added until all elements are read
  };
  // Policy for writes that are dropped without being read or overwritten. noted: each is reported.
  // noted_if_all: reported if all writes of the statement are dropped. meant: not reported.
  enum class Drop : std::uint8_t { noted, noted_if_all, meant };
  // Unused writes of one place in the source.
  struct Unused {
    std::int64_t count = 0;
    std::int64_t overwritten = 0;  // overwritten ones among them
    Write first;
    BufferId buffer;
    bool is_overwritten = false;  // the first write was overwritten
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
  std::map<PlaceId, std::int64_t> executed_;  // number of writes by place
  std::map<PlaceId, Unused> unused_;
  std::int64_t unread_ = 0;  // number of unread writes in all memories
  std::int64_t max_unread_;
  std::string why_unknown_;
  std::vector<Finding> notes_;
};

}  // namespace tessera
