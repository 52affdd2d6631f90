// The commands of `gmm-run debug`, on a session, as text in and text out. Words are gdb's where gdb
// has them.
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
    std::string lines;                        // for the user
    std::optional<std::int64_t> first_event;  // of this run, at which both part; none: no event
  };
  // Compares the run with another one, which the words of `diff` specify: options that replace
  // those of the run, or a program and its options.
  using Compare = std::function<Expected<Compared>(const Words&)>;

  // session, out: must outlive this object.
  // invocation: the command line that opened the session, for `save`; may be empty.
  // compare: may be null; `diff` is unsupported then.
  // read: files that no command replaces; may be null, else must outlive this object.
  Debugger(Session& session, std::ostream& out, Invocation invocation = {}, Compare compare = {},
           const ReadFiles* read = nullptr);

  // One line: a command, which may be cut short while it is the only one that begins so. Nothing
  // and what begins with # are no commands.
  Expected<void> execute(std::string_view line);
  bool wants_to_quit() const { return quits_; }
  // At the end of one of the commands so far something had been found.
  bool has_met_finding() const { return has_met_finding_; }
  // A limit or a signal that ended the run during one of the commands; else RunEnd::program.
  RunEnd was_cut_by() const { return was_cut_by_; }
  // The line about a run that is over: "the run is over", or the limit that ended it.
  std::string over_text() const;
  void show_place();
  // What the program printed on the way here; at first: before its first step.
  Expected<void> tell_printed();
  // The same lines since the last time, for a face that shows them apart.
  std::string take_program_said() { return std::exchange(program_said_, {}); }
  // From the beginning to before the event at which the run finds something; if it does not, to
  // before the event that the first of these is about, or to the end. The core of the finding is in
  // focus. Prints the place, not the findings.
  Expected<void> go_to_finding(const std::vector<Finding>& findings);

  // What faces need that are no terminal, beside its commands.
  enum class Way : std::uint8_t { forward, backward };
  // Why a movement ended. Of a breakpoint or a watch its number.
  struct Halt {
    enum class Why : std::uint8_t { asked, breakpoint, watch, finding, paused, beginning, end };
    Why why = Why::asked;
    int stop = 0;
  };
  // Of the last movement, once; none: nothing has moved since.
  std::optional<Halt> take_halt() { return std::exchange(halt_, std::nullopt); }
  // The words of `break` and `watch`; the number of the stop.
  Expected<int> add_breakpoint(const Words& place);
  Expected<int> add_watch(const std::string& name);
  void remove_stop(int number);
  bool has_stop(int number) const;
  // Findings of these kinds stop no movement.
  void pass_over(std::vector<FindingKind> kinds) { passed_over_ = std::move(kinds); }
  // Every movement ends where it holds; it lives longer than this does.
  void pause_at(StopCondition* pause) { pause_ = pause; }
  // Until the copy moves.
  Expected<void> follow(const AgentId& copy, Way way);
  const AgentId& focus() const { return focus_; }
  void set_focus(const AgentId& core) { focus_ = core; }

  // The commands that begin with the word, for completion.
  static std::vector<std::string> completions(std::string_view word);
  // Whether the word is a command, or may be cut short from one.
  static bool is_command(std::string_view word);

 private:
  struct Row;
  struct Stop {
    int number = 0;
    std::string text;   // as it was given
    std::string saved;  // the same words where they mean the same anywhere in the run
    bool is_watch = false;
    bool is_once = false;
    std::unique_ptr<StopCondition> condition;
  };

  static std::span<const Row> table();
  static Expected<const Row*> find(std::string_view word);

  // Movements.
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
  // To where one of the conditions or a stop holds, `times` times.
  Expected<void> move(Way way, StopCondition* condition, std::int64_t times = 1);
  // Once; whether it was the condition that ended it, and not a stop or the end.
  Expected<bool> move_once(Way way, StopCondition* condition, bool is_last);
  void tell_arrival(Way way, const Arrival& arrival, bool is_own);
  Expected<void> go_to_event_of(const Cause& finding);
  Halt halt_of(const Arrival& arrival, bool is_own) const;

  // Stops.
  Expected<void> set_break(const Words& words);
  Expected<void> set_temporary_break(const Words& words);
  Expected<void> set_watch(const Words& words);
  Expected<void> remove(const Words& words);
  Expected<void> add_break(const Words& words, bool is_once);
  void tell_stop(Stop& stop, const Cause& cause);

  // Looking.
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
  // What the place holds, behind words for it, and what it held when it was printed before.
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
  bool is_by_hand_ = false;  // somebody was chosen: the schedule is no longer that of the words
};

}  // namespace tessera::debugger
