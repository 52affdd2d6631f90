// Which accesses may race, by one pass for each core instead of one fork for each access.
//
// A core that is held back is moved on step by step while everybody else is always as far as they
// can get: what they reach with the core before its access x is what can come before x. A copy that
// is held back lets its core, or the one it writes to, come no further than to the wait for its
// bytes; so who reaches nothing that clashes while that core is held back at that wait reaches
// nothing while the copy is. The others are suspects, and freeze_one() decides about them.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "interp/certificate/races/conflicts.h"
#include "interp/certificate/races/first_below.h"

namespace tessera {

class Sweep {
 public:
  // turns: when the run did each event. All outlive this.
  Sweep(const Record& record, const Conflicts& conflicts, const std::vector<std::int32_t>& turns);

  // How many events it would take to find the suspects.
  std::int64_t cost() const;
  // By event: an access that may race with a later one.
  std::vector<bool> suspects();

 private:
  enum class What : std::uint8_t { read, change, signal, wait, await };
  // What a core does to others or needs from them; copies do their part when they start.
  struct Item {
    What what;
    std::int32_t object;  // range or cell
    std::int64_t value;   // of an access its turn, else the amount
  };
  struct Waiting {
    std::int32_t event = -1, turn = -1;
  };
  struct Latest {
    std::int32_t any = -1, change = -1;  // turns
  };

  static std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }
  const RecordedEvent& event(std::int32_t e) const { return record_.events[at(e)]; }
  std::int32_t owner(std::int32_t cell) const { return record_.cells[at(cell)].site; }
  void find_crossing();
  bool is_seen(std::int32_t range, std::int32_t core) const;
  template <typename Visit>
  void for_each_item(const RecordedAgent& agent, std::int32_t core, const Visit& visit) const;
  void find_waits();
  void assign_copies();
  std::int32_t blocked_at(std::int32_t x) const;

  void sweep(std::int32_t core);
  void drain();
  void run(std::int32_t core);
  void signal(std::int32_t cell, std::int64_t amount);
  void start(std::int32_t copy);
  void note(std::vector<Latest>& latest, std::int32_t e) const;
  void note(std::vector<Latest>& latest, std::int32_t range, bool is_change,
            std::int32_t turn) const;
  bool is_far(std::int32_t x) const;
  bool is_reached(std::int32_t x, bool is_copy) const;

  const Record& record_;
  const Conflicts& conflicts_;
  const std::vector<std::int32_t>& turns_;
  std::vector<bool> crosses_;                                // by cell: other cores signal it
  std::size_t item_count_ = 0;                               // in all
  std::vector<std::size_t> item_counts_;                     // by core
  std::vector<std::vector<Item>> items_;                     // by core, once suspects are asked for
  Lists<Waiting> waits_;                                     // by cell
  FirstBelow spares_;                                        // of all of them
  std::vector<std::pair<std::int32_t, std::int32_t>> held_;  // a wait, and an access of a copy
  std::vector<bool> suspects_;

  std::int32_t swept_ = -1;
  std::vector<std::size_t> position_;  // by core, in its items
  std::vector<std::int64_t> count_;    // by cell
  std::vector<std::int32_t> waiting_;  // by core: the cell it waits for, or -1
  std::vector<std::int32_t> open_;     // cores that can move
  std::vector<Latest> others_, own_;   // by node: what was reached by others, and by the core
};

}  // namespace tessera
