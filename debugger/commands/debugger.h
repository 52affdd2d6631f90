// Commands of `gmm-run debug` on a session, with text input and output. They have gdb's names if
// gdb has the command.
#pragma once
#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/host/read_files.h"
#include "core/report/expected.h"
#include "core/report/finding.h"
#include "debugger/commands/printed.h"
#include "debugger/session/conditions.h"
#include "debugger/session/session.h"
#include "text/invocation.h"

namespace tessera::debugger {

class Debugger {
 public:
  using Words = std::vector<std::string>;
  // The differences between the run of a session and another run.
  struct Compared {
    std::string lines;  // text for the user
    // First different event of this run; none: no event differs.
    std::optional<std::int64_t> first_event;
  };
  // Compares the run with another run, specified by the words of `diff`: options that replace
  // options of this run, or a program and its options.
  using Compare = std::function<Expected<Compared>(const Words&)>;

  // session, out: must outlive this object.
  // invocation: the command line that opened the session, for `save`; may be empty.
  // compare: may be null; `diff` is then unsupported.
  // read: files that commands must not overwrite; may be null, else must outlive this object.
  Debugger(Session& session, std::ostream& out, Invocation invocation = {}, Compare compare = {},
           const ReadFiles* read = nullptr);

  // Executes one line: a command, or an unambiguous prefix of one, and its operands. Empty lines
  // and lines that begin with # are ignored. Fails for an unknown command, unsuitable operands, or
  // if the command fails; the debugger stays usable.
  Expected<void> execute(std::string_view line);
  bool wants_to_quit() const { return quits_; }
  // True if there were findings after any of the successful commands so far.
  bool has_met_finding() const { return has_met_finding_; }
  // The limit or signal that ended the run during one of the commands, else RunEnd::program.
  RunEnd was_cut_by() const { return was_cut_by_; }
  // Text for a run that is over: "the run is over", or the limit that ended it.
  std::string over_text() const;
  // Prints the position, the state of the core in focus with its source line, and the next agent.
  void show_place();
  // Prints the output of the program during the last forward movement, once; at first: its output
  // before the first step. Fails like Session::printed().
  Expected<void> tell_printed();
  // Returns and clears the program's output since the last call, for user interfaces that show it
  // separately.
  std::string take_program_said() { return std::exchange(program_said_, {}); }
  // Requires a session at the beginning. If the cause of `findings` is a race, moves to before its
  // event. Else moves to before the event in which the run reports its first finding, or to after
  // it if another core caused that event. If the run has none, moves to before the event of the
  // cause, or to the end. Sets the focus to the core of the finding. Prints the place, but not the
  // findings. Fails like Session::go_to().
  Expected<void> go_to_finding(const std::vector<Finding>& findings);

  // Interface for user interfaces other than the terminal, in addition to the commands.
  enum class Way : std::uint8_t { forward, backward };
  // Reason for the end of a movement, and the number of the breakpoint or watch.
  struct Halt {
    enum class Why : std::uint8_t { asked, breakpoint, watch, finding, paused, beginning, end };
    Why why = Why::asked;
    int stop = 0;
  };
  // Returns and clears the reason of the last movement; none: no movement since the last call.
  std::optional<Halt> take_halt() { return std::exchange(halt_, std::nullopt); }
  // Add a stop from the operands of `break` (LINE [devD] [i=2] [if A < B]) or `watch`, and print
  // it. Return its number, from 1. Fail if the operands are invalid.
  Expected<int> add_breakpoint(const Words& place);
  Expected<int> add_watch(const std::string& name);
  void remove_stop(int number);  // no effect if there is no such stop
  bool has_stop(int number) const;
  // From now on, movements do not stop at findings of these kinds; replaces the earlier kinds.
  void pass_over(std::vector<FindingKind> kinds) { passed_over_ = std::move(kinds); }
  // Sets a condition that ends every movement. Must outlive this object.
  void pause_at(StopCondition* pause) { pause_ = pause; }
  // Moves until after the copy has read or written, or to a stop, a finding, the end or (backward)
  // the beginning, and prints the place. Fails like Session::go_to().
  Expected<void> follow(const AgentId& copy, Way way);
  const AgentId& focus() const { return focus_; }
  void set_focus(const AgentId& core) { focus_ = core; }

  // Returns the names of the commands that begin with the word, for completion.
  static std::vector<std::string> completions(std::string_view word);
  // True if the word is a command or a prefix of one.
  static bool is_command(std::string_view word);

 private:
  struct Row;
  struct Stop {
    int number = 0;
    std::string text;   // as entered
    std::string saved;  // the same text, independent of focus and position
    bool is_watch = false;
    bool is_once = false;
    std::unique_ptr<StopCondition> condition;
  };

  static std::span<const Row> table();
  // Finds a command by its name, abbreviation or unique prefix. Fails if there is none.
  static Expected<const Row*> find(std::string_view word);

  // Commands for movements. The commands here and below fail if their operands are invalid, or if a
  // movement or the work of the command fails.
  Expected<void> step(const Words& words);
  Expected<void> next(const Words& words);
  Expected<void> step_event(const Words& words);
  Expected<void> go_on(const Words& words);
  Expected<void> reverse_step(const Words& words);
  Expected<void> reverse_next(const Words& words);
  Expected<void> reverse_event(const Words& words);
  Expected<void> reverse_go_on(const Words& words);
  Expected<void> finish(const Words& words);
  Expected<void> until(const Words& words);
  Expected<void> go_to(const Words& words);
  // Moves until the condition holds for the `times`-th time or a stop holds. condition: null: only
  // stops.
  Expected<void> move(Way way, StopCondition* condition, std::int64_t times = 1);
  // Moves once. Returns true if the condition ended the movement, and not a stop or the end.
  Expected<bool> move_once(Way way, StopCondition* condition, bool is_last);
  void tell_arrival(Way way, const Arrival& arrival, bool is_own);
  // Moves to before the first event at the place of a finding, and sets the focus. False if the run
  // has no such event; it is then at its end.
  Expected<bool> go_to_place_of(const Finding& finding);
  // Moves back from the position after a finding to before its event, if its core caused that
  // event.
  Expected<void> go_to_event_of(const Cause& finding);
  Halt halt_of(const Arrival& arrival, bool is_own) const;

  // Stops.
  Expected<void> set_break(const Words& words);
  Expected<void> set_temporary_break(const Words& words);
  Expected<void> set_watch(const Words& words);
  Expected<void> remove(const Words& words);
  Expected<void> add_break(const Words& words, bool is_once);
  // Prints that the stop held. A breakpoint sets the focus and, if temporary, is removed.
  void tell_stop(Stop& stop, const Cause& cause);

  // Inspection.
  Expected<void> print(const Words& words);
  Expected<void> dump(const Words& words);
  Expected<void> choose(const Words& words);
  Expected<void> save_schedule(const Words& words);
  Expected<void> save(const Words& words);
  Expected<void> why(const Words& words);
  Expected<void> whence(const Words& words);
  Expected<void> diff(const Words& words);
  Expected<void> backtrace(const Words& words);
  Expected<void> info(const Words& words);
  Expected<void> list(const Words& words);
  Expected<void> focus(const Words& words);
  Expected<void> help(const Words& words);
  Expected<void> quit(const Words& words);
  void print_buffer(Machine& machine, BufferId buffer, const Box& box, CoreIndex owner);
  // Prints the value of a place after `words`, and its value when it was printed last.
  void print_number(const std::string& place, std::string_view words, const Element& element,
                    bool is_real);
  void info_devices();
  void info_semaphores();
  void info_copies();
  void info_stops();
  void info_findings();
  void info_buffers();
  std::string place_text(StmtId statement, const LoopIndices& loops) const;
  std::string standing_text(CoreIndex core);
  void show_source(StmtId statement);

  CoreIndex focus_core() { return session_.machine().topology().of(focus_); }

  Session& session_;
  std::ostream& out_;
  Invocation invocation_;
  Compare compare_;
  const ReadFiles* read_;
  AgentId focus_{};
  std::vector<Stop> stops_;
  Printed printed_;
  int next_number_ = 1;
  int list_from_ = 0;
  bool quits_ = false;
  bool has_met_finding_ = false;
  RunEnd was_cut_by_ = RunEnd::program;
  std::string program_said_;
  std::optional<Halt> halt_;
  std::vector<FindingKind> passed_over_;
  StopCondition* pause_ = nullptr;
  bool is_by_hand_ = false;  // `choose` was used: the schedule differs from the command line
};

}  // namespace tessera::debugger
