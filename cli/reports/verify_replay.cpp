#include "cli/reports/verify_replay.h"

#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "cli/pack/pack.h"
#include "cli/reports/report.h"

namespace tessera::cli {
namespace {

// Returns the words of the command that runs the verified program, without the program's name.
std::vector<std::string> command_words(const Arguments& arguments, bool drops_granularity) {
  const std::vector<std::string>& given = arguments.given();
  std::vector<std::string> words;
  const bool is_operation = given.size() > 1 && [&] {
    for (const Command& command : commands())
      if (command.prepare != nullptr && command.name == given[1]) return true;
    return false;
  }();
  if (!is_operation) words.emplace_back("run");
  const auto is_dropped = [&](const std::string& word, std::string_view name) {
    return word == fmt::format("--{}", name) || word.starts_with(fmt::format("--{}=", name));
  };
  for (std::size_t i = 1; i < given.size(); ++i) {
    const bool has_value = is_dropped(given[i], "schedule") || is_dropped(given[i], "budget") ||
                           is_dropped(given[i], "schedules") || is_dropped(given[i], "exhaust") ||
                           is_dropped(given[i], "races") || is_dropped(given[i], "save") ||
                           is_dropped(given[i], "save-schedule") ||
                           (drops_granularity && is_dropped(given[i], "copy-granularity"));
    if (has_value) {
      if (given[i].find('=') == std::string::npos) ++i;
    } else if (given[i] != "--json" && given[i] != "--necessity") {
      words.push_back(given[i]);
    }
  }
  return words;
}

std::vector<std::string> replay_words(const Arguments& arguments, const Replay& replay) {
  const bool is_partial = replay.granularity == CopyGranularity::partial;
  std::vector<std::string> words = command_words(arguments, is_partial);
  if (is_partial) words.insert(words.end(), {"--copy-granularity", "partial"});
  if (replay.loop_workers > 0)
    words.insert(words.end(), {"--loop-workers", std::to_string(replay.loop_workers)});
  words.insert(words.end(), {"--schedule", replay.schedule});
  return words;
}

}  // namespace

std::string schedule_words(const Arguments& arguments, const std::string& schedule,
                           CopyGranularity granularity, int loop_workers) {
  std::vector<std::string> words = replay_words(arguments, {schedule, granularity, loop_workers});
  words.insert(words.begin(), "gmm-run");
  return shell_line(words);
}

std::vector<std::string> verify_replay_words(const Arguments& arguments,
                                             const Certificate& certificate) {
  return replay_words(arguments, replay_of(certificate));
}

Replay replay_of(const Certificate& certificate) {
  for (const RaceWitness& race : certificate.races)
    if (race.schedules) return {race.schedules->y_first, race.schedules->granularity};
  if (certificate.points_witness)
    return {certificate.points_witness->schedule, CopyGranularity::whole,
            certificate.points_witness->loop_workers};
  const std::string& recorded = certificate.run.schedule;
  return {recorded.size() <= longest_schedule ? recorded : certificate.run_schedule,
          certificate.run_landing};
}

namespace {

// Returns the commands that store the schedule of a finding and replay it.
std::string store_and_replay(const Arguments& arguments, const Replay& replay) {
  Invocation verified = arguments.invocation().without({"json"});
  const std::string program = verified.value("").value_or("-");
  if (program != "-" && !program.ends_with(pack_ending)) {
    const std::string pack = fmt::format("replay{}", pack_ending);
    std::vector<std::string> words = {"gmm-run", "pack", pack};
    for (std::string& word : verified.words()) words.push_back(std::move(word));
    return fmt::format("{} && gmm-run run {}", shell_line(words), pack);
  }
  const std::string file = "replay.txt";
  return fmt::format(
      "{}; {}", verified.with("save-schedule", file).line(),
      schedule_words(arguments, "replay:" + file, replay.granularity, replay.loop_workers));
}

}  // namespace

std::string verify_replay_line(const Arguments& arguments, const RunRequest& request,
                               const Certificate& certificate) {
  const Replay replay = replay_of(certificate);
  const bool is_saved = arguments.has("save-schedule");
  const bool is_given = replay.schedule == request.options.schedule;
  if (!is_saved && !is_given && replay.schedule.size() > longest_schedule)
    return store_and_replay(arguments, replay);
  return schedule_words(arguments,
                        is_saved ? fmt::format("replay:{}", arguments.text("save-schedule"))
                        // The schedule as given, which may name a file.
                        : is_given ? request.schedule
                                   : replay.schedule,
                        replay.granularity, replay.loop_workers);
}

}  // namespace tessera::cli
