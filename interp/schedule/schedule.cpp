// The text form of schedules.
#include "interp/schedule/schedule.h"

#include <fmt/format.h>

#include <charconv>
#include <utility>

#include "core/report/check.h"
#include "core/report/try.h"
#include "interp/schedule/strategies.h"

namespace tessera {
namespace {

template <typename Integer>
std::optional<Integer> whole_number(std::string_view text) {
  Integer value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Removes `mark` and a whole number from the end of an item. False if the mark is followed by
// something else, or by a number below `least`.
bool take_number(std::string_view& item, char mark, std::int64_t least, std::int64_t& number) {
  const std::size_t at = item.rfind(mark);
  if (at == std::string_view::npos) return true;
  const auto given = whole_number<std::int64_t>(item.substr(at + 1));
  if (!given || *given < least) return false;
  number = *given;
  item = item.substr(0, at);
  return true;
}

// Parses AGENT[*N] or, for a copy, AGENT[@K]:rN or AGENT[@K]:wN.
std::optional<ScheduleItem> parse_item(std::string_view item) {
  ScheduleItem step;
  if (const std::size_t colon = item.find(':'); colon != std::string_view::npos) {
    const std::string_view part = item.substr(colon + 1);
    item = item.substr(0, colon);
    if (part.empty() || (part[0] != 'r' && part[0] != 'w')) return std::nullopt;
    step.part.side = part[0] == 'r' ? CopyPart::Side::read : CopyPart::Side::write;
    if (part.size() > 1) {
      const auto granules = whole_number<std::int64_t>(part.substr(1));
      if (!granules || *granules < 1) return std::nullopt;
      step.part.granules = *granules;
    }
    if (!take_number(item, '@', 0, step.part.first)) return std::nullopt;
  } else if (!take_number(item, '*', 1, step.steps)) {
    return std::nullopt;
  }
  const auto agent = parse_agent(item);
  if (!agent || (step.part.side != CopyPart::Side::next && !agent->is_copy())) return std::nullopt;
  step.agent = *agent;
  return step;
}

Expected<Schedule> parse_steps(std::string_view text) {
  Schedule schedule;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t comma = text.find(',');
    std::string_view item = text.substr(0, comma);
    text.remove_prefix(comma == std::string_view::npos ? text.size() : comma + 1);
    const auto bad = [&] {
      return error(fmt::format(
          "entry {} of the schedule is `{}`, expected an agent and its number of steps, as in "
          "dev0.core0*12",
          number, item));
    };
    if (number == 1 && item.starts_with("order:")) {
      schedule.order = whole_number<std::uint64_t>(item.substr(6));
      if (!schedule.order) return bad();
      continue;
    }
    const auto step = parse_item(item);
    if (!step) return bad();
    schedule.items.push_back(*step);
  }
  return schedule;
}

// Parses SEED:DEPTH. None if the arguments have another form.
Expected<std::optional<Schedule>> parse_seed_and_depth(std::string_view text,
                                                       std::string_view arguments) {
  const std::size_t colon = arguments.find(':');
  if (colon == std::string_view::npos) return std::optional<Schedule>();
  const auto seed = whole_number<std::uint64_t>(arguments.substr(0, colon));
  const auto depth = whole_number<std::int64_t>(arguments.substr(colon + 1));
  if (!seed || !depth) return std::optional<Schedule>();
  if (*depth < 1 || *depth > 100)
    return error(fmt::format("schedule `{}`: the depth after the seed is 1 to 100", text));
  return std::optional(Schedule{.seed = *seed, .depth = *depth, .order = *seed});
}

Diag no_such_schedule(std::string_view text) {
  std::vector<std::string> forms = schedule_forms();
  forms.back() = "steps:dev0.core0*12,dev0.core0/dma#3,...";
  const std::string last = std::move(forms.back());
  forms.pop_back();
  return error(
      fmt::format("schedule `{}` is none of {} or {}", text, fmt::join(forms, ", "), last));
}

}  // namespace

Expected<Schedule> parse_schedule(std::string_view text) {
  const std::size_t colon = text.find(':');
  const bool has_arguments = colon != std::string_view::npos;
  const std::string_view arguments = has_arguments ? text.substr(colon + 1) : std::string_view();
  const Strategy* strategy = find_strategy(text.substr(0, colon));
  if (strategy == nullptr || has_arguments != (strategy->arguments != ScheduleArguments::none))
    return no_such_schedule(text);
  std::optional<Schedule> schedule;
  switch (strategy->arguments) {
    case ScheduleArguments::none:
      schedule.emplace();
      break;
    case ScheduleArguments::seed:
      if (const auto seed = whole_number<std::uint64_t>(arguments))
        schedule = Schedule{.seed = *seed, .order = *seed};
      break;
    case ScheduleArguments::seed_and_depth:
      schedule = TRY(parse_seed_and_depth(text, arguments));
      break;
    case ScheduleArguments::items:
      schedule = TRY(parse_steps(arguments));
      break;
  }
  if (!schedule) return no_such_schedule(text);
  schedule->strategy = strategy->name;
  return *std::move(schedule);
}

std::string to_string(const ScheduleItem& item) {
  std::string text = to_string(item.agent);
  if (item.part.first != 0) text += fmt::format("@{}", item.part.first);
  if (item.part.side != CopyPart::Side::next)
    text += item.part.side == CopyPart::Side::read ? ":r" : ":w";
  if (item.part.granules != 0) text += fmt::format("{}", item.part.granules);
  if (item.steps != 1) text += fmt::format("*{}", item.steps);
  return text;
}

std::string to_string(const Schedule& schedule) {
  const ScheduleArguments arguments = strategy_of(schedule).arguments;
  if (arguments == ScheduleArguments::none) return schedule.strategy;
  if (arguments == ScheduleArguments::seed)
    return fmt::format("{}:{}", schedule.strategy, schedule.seed);
  if (arguments == ScheduleArguments::seed_and_depth)
    return fmt::format("{}:{}:{}", schedule.strategy, schedule.seed, schedule.depth);
  std::string text = schedule.strategy + ":";
  if (schedule.order) text += fmt::format("order:{},", *schedule.order);
  for (const ScheduleItem& item : schedule.items) {
    text += to_string(item);
    text += ',';
  }
  if (text.back() == ',') text.pop_back();
  return text;
}

CopyPart draw_part(const Enabled::Open& open, SplitMix& random) {
  CopyPart part;
  if (open.to_read + open.to_write <= 1) return part;
  const bool is_read = open.to_write == 0 || (open.to_read > 0 && random.below(2) == 0);
  part.side = is_read ? CopyPart::Side::read : CopyPart::Side::write;
  const auto most = static_cast<std::uint64_t>(is_read ? open.to_read : open.to_write);
  // Half of the draws move all that is left, so that copies that move whole also occur.
  part.granules = static_cast<std::int64_t>(random.below(2) == 0 ? most : 1 + random.below(most));
  if (open.granules > 0)
    part.first = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(open.granules)));
  return part;
}

}  // namespace tessera
