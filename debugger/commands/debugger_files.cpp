// Files written by the debugger: values, schedules, and scripts that restore the position of a
// session.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <ostream>

#include "core/data/npy.h"
#include "core/host/output_file.h"
#include "core/report/try.h"
#include "debugger/commands/debugger.h"
#include "debugger/commands/reference.h"
#include "interp/findings/describe.h"

namespace tessera::debugger {
namespace {

Expected<std::string> one_file(const Debugger::Words& words) {
  if (words.size() == 1) return words.front();
  return error(fmt::format("expected one file, found `{}`", fmt::join(words, " ")));
}

}  // namespace

Expected<void> Debugger::dump(const Words& words) {
  if (words.size() < 2) return error("expected memory and a file, as in dump acc[0:4, :] acc.npy");
  const Words name(words.begin(), words.end() - 1);
  const std::string text = fmt::format("{}", fmt::join(name, " "));
  const Reference what = TRY(parse_reference(session_, focus_, text));
  const auto* memory = std::get_if<BufferReference>(&what);
  if (memory == nullptr) return error(fmt::format("`{}` is not memory", text));
  Storage& storage = *TRY(session_.valued())->core_state(memory->owner).storages[memory->buffer];
  TRY(check_held(storage, text));
  const bool is_defined = storage.is_initialised(memory->box);
  TRY(write_npy(words.back(), tensor_of(storage, memory->box), read_));
  out_ << fmt::format("{} -> {}{}{}\n", text, words.back(),
                      is_defined ? "" : "; not all of its elements are defined",
                      missing_values(session_, memory->buffer));
  return {};
}

Expected<void> Debugger::choose(const Words& words) {
  const auto agent = words.size() == 1 ? parse_agent(words.front()) : std::nullopt;
  if (!agent)
    return error(
        "expected the agent that moves next, as in choose dev1.core0 or choose dev0.core0/dma#3");
  TRY(session_.choose(*agent));
  halt_ = Halt{};
  is_by_hand_ = true;
  printed_.forget();
  show_place();
  return {};
}

Expected<void> Debugger::save_schedule(const Words& words) {
  const std::string file = TRY(one_file(words));
  const std::string text = to_string(TRY(session_.schedule_to_here()));
  TRY(write_whole(file, text + "\n", read_));
  out_ << fmt::format("{}: {} up to here, then eager; --schedule replay:{} runs it\n", file,
                      counted(session_.position(), "event"), file);
  return {};
}

// Writes a script: the command line as a comment, then commands from the beginning to this
// position.
Expected<void> Debugger::save(const Words& words) {
  const std::string file = TRY(one_file(words));
  std::string text;
  if (is_by_hand_) {
    const std::string schedule = to_string(TRY(session_.schedule_to_here()));
    TRY(write_whole(file + ".schedule", schedule + "\n", read_));
    invocation_ = invocation_.with("schedule", "replay:" + file + ".schedule");
  }
  const std::string line = invocation_.with("script", file).line();
  text += "# " + line + "\n";
  for (const Stop& stop : stops_)
    text += fmt::format("{} {}\n",
                        stop.is_watch  ? "watch"
                        : stop.is_once ? "tbreak"
                                       : "break",
                        stop.saved);
  text += fmt::format("goto {}\nfocus {}\n", session_.position(), to_string(focus_));
  TRY(write_whole(file, text, read_));
  out_ << line << "\n";
  return {};
}

}  // namespace tessera::debugger
