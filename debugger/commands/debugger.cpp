#include "debugger/commands/debugger.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <ostream>
#include <sstream>
#include <utility>

#include "core/report/near.h"
#include "core/report/try.h"

namespace tessera::debugger {

struct Debugger::Row {
  std::string_view name;
  std::string_view brief;  // abbreviation, even if other names begin with it; may be empty
  std::string_view operands;
  std::size_t max_words;  // maximum number of operands
  Expected<void> (Debugger::*run)(const Words& words);
  std::string_view meaning;
};

std::span<const Debugger::Row> Debugger::table() {
  constexpr auto any = static_cast<std::size_t>(-1);
  static constexpr Row rows[] = {
      {"step", "s", "[N]", 1, &Debugger::step,
       "run until the core in focus has done N steps (default 1)"},
      {"next", "n", "[N]", 1, &Debugger::next, "run until the core in focus is at another line"},
      {"stepi", "si", "[N]", 1, &Debugger::step_event, "run N events of any agents (default 1)"},
      {"continue", "c", "", 0, &Debugger::go_on, "run until a stop, a finding or the end"},
      {"finish", "", "", 0, &Debugger::finish,
       "run until the core in focus has left the loop or function around it"},
      {"until", "u", "LINE [devD] [i=2]", any, &Debugger::until,
       "run until a core reaches the line"},
      {"goto", "g", "EVENT", 1, &Debugger::go_to,
       "go to the place before that event, forward or backward"},
      {"reverse-step", "rs", "[N]", 1, &Debugger::reverse_step,
       "go back to the place before the last step of the core in focus"},
      {"reverse-next", "rn", "[N]", 1, &Debugger::reverse_next,
       "go back to the core's last step at another line"},
      {"reverse-stepi", "rsi", "[N]", 1, &Debugger::reverse_event, "go back N events (default 1)"},
      {"reverse-continue", "rc", "", 0, &Debugger::reverse_go_on,
       "go back to the last stop or finding, or to the beginning"},
      {"break", "b", "LINE [devD] [i=2] [if A < B]", any, &Debugger::set_break,
       "stop when a core reaches the line, on that device, with these loop indices, if the "
       "condition holds"},
      {"tbreak", "", "LINE [devD] [i=2] [if A < B]", any, &Debugger::set_temporary_break,
       "like break, but stop only once"},
      {"watch", "w", "NAME[SLICE] or A < B", any, &Debugger::set_watch,
       "stop after a write to memory, a count on a semaphore or a move of a copy, or when A < B "
       "becomes true"},
      {"delete", "d", "[NUMBER]", any, &Debugger::remove, "delete a stop, or all of them"},
      {"print", "p", "NAME[SLICE]", any, &Debugger::print,
       "print the value of memory, a semaphore or a name"},
      {"why", "", "NAME[SLICE] or devD", any, &Debugger::why,
       "print the sources of memory, back to operands; or the wait of a core, and the cores that "
       "could signal it"},
      {"whence", "", "SEMAPHORE", any, &Debugger::whence,
       "print the cores that signalled it and that waited for it"},
      {"diff", "", "OPTIONS or PROGRAM OPTIONS", any, &Debugger::diff,
       "find the first difference to a run with other options, or of another program"},
      {"backtrace", "bt", "", 0, &Debugger::backtrace,
       "print the loops and calls around the core in focus"},
      {"dump", "", "NAME[SLICE] FILE", any, &Debugger::dump, "write memory to a .npy file"},
      {"info", "i", "devices|semaphores|copies|buffers|breakpoints|findings", 1, &Debugger::info,
       "print the devices, semaphores, copies, buffers, breakpoints or findings"},
      {"focus", "f", "devD[.coreC]", 1, &Debugger::focus, "select the core for steps and memory"},
      {"list", "l", "[LINE]", 1, &Debugger::list, "print the source, with the places of the cores"},
      {"choose", "", "AGENT", 1, &Debugger::choose,
       "let dev1.core0 or dev0.core0/dma#3 do the next event; the schedule is eager after it"},
      {"schedule", "", "FILE", 1, &Debugger::save_schedule,
       "write the schedule up to here to a file, for --schedule replay:FILE"},
      {"save", "", "FILE", 1, &Debugger::save,
       "write a script that returns here, with stops and focus; print the command line for it"},
      {"help", "h", "[COMMAND]", 1, &Debugger::help, "list the commands, or describe one"},
      {"quit", "q", "", 0, &Debugger::quit, "end the session"},
  };
  return rows;
}

std::vector<std::string> Debugger::completions(std::string_view word) {
  std::vector<std::string> all;
  for (const Row& row : table())
    if (row.name.starts_with(word)) all.emplace_back(row.name);
  return all;
}

bool Debugger::is_command(std::string_view word) {
  const std::span<const Row> rows = table();
  return std::any_of(rows.begin(), rows.end(), [&](const Row& row) {
    return word == row.brief || (!word.empty() && row.name.starts_with(word));
  });
}

Expected<const Debugger::Row*> Debugger::find(std::string_view word) {
  const Row* only = nullptr;
  std::vector<std::string_view> names, candidates;
  for (const Row& row : table()) {
    if (word == row.name || word == row.brief) return &row;
    names.push_back(row.name);
    if (!row.name.starts_with(word)) continue;
    only = &row;
    candidates.push_back(row.name);
  }
  if (candidates.size() == 1) return only;
  if (candidates.size() > 1)
    return error(fmt::format("`{}` may be {}", word, fmt::join(candidates, " or ")));
  return error(fmt::format("there is no command `{}`{}; `help` lists them", word,
                           did_you_mean(word, names)));
}

Debugger::Debugger(Session& session, std::ostream& out, Invocation invocation, Compare compare,
                   const ReadFiles* read)
    : session_(session),
      out_(out),
      invocation_(std::move(invocation)),
      compare_(std::move(compare)),
      read_(read) {}

Expected<void> Debugger::execute(std::string_view line) {
  std::istringstream in{std::string(line)};
  Words words;
  for (std::string word; in >> word;) words.push_back(word);
  if (words.empty() || words.front().starts_with('#')) return {};
  const Row* row = TRY(find(words.front()));
  words.erase(words.begin());
  if (words.size() > row->max_words)
    return error(row->max_words == 0
                     ? fmt::format("{} takes no operands, found `{}`", row->name, words.front())
                     : fmt::format("{} takes one operand, found `{}` too", row->name,
                                   words[row->max_words]));
  TRY((this->*row->run)(words));
  if (!session_.findings().empty()) has_met_finding_ = true;
  if (session_.ended_by() != RunEnd::program) was_cut_by_ = session_.ended_by();
  return {};
}

Expected<void> Debugger::help(const Words& words) {
  if (!words.empty()) {
    const Row* row = TRY(find(words.front()));
    out_ << fmt::format("{}{}{}: {}\n", row->name, row->operands.empty() ? "" : " ", row->operands,
                        row->meaning);
    return {};
  }
  for (const Row& row : table())
    out_ << fmt::format("{:<17} {:<4} {:<18} {}\n", row.name, row.brief,
                        row.operands.size() > 18 ? row.operands.substr(0, 0) : row.operands,
                        row.meaning);
  out_ << "a command may be abbreviated to any unique beginning\n";
  return {};
}

Expected<void> Debugger::quit(const Words&) {
  quits_ = true;
  return {};
}

}  // namespace tessera::debugger
