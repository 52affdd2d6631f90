#include "tests/fuzz/harness/directive.h"

#include <algorithm>
#include <charconv>

namespace tessera::fuzz {
namespace {

constexpr std::string_view mark = "// RUN: ";

std::vector<std::string> words_of(std::string_view text) {
  const std::size_t begin = text.find(mark);
  if (begin == text.npos) return {};
  std::string_view line = text.substr(begin + mark.size());
  line = line.substr(0, line.find('\n'));
  std::vector<std::string> words;
  while (!line.empty()) {
    const std::size_t end = std::min(line.find(' '), line.size());
    if (end > 0) words.emplace_back(line.substr(0, end));
    line.remove_prefix(std::min(end + 1, line.size()));
  }
  return words;
}

std::int64_t number(std::string_view text, std::int64_t least, std::int64_t most) {
  std::int64_t value = least;
  std::from_chars(text.data(), text.data() + text.size(), value);
  return std::clamp(value, least, most);
}

std::vector<double> numbers(std::string_view text) {
  std::vector<double> values;
  while (!text.empty() && values.size() < 256) {
    const std::size_t end = std::min(text.find(','), text.size());
    double value = 0;
    std::from_chars(text.data(), text.data() + end, value);
    values.push_back(value);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return values;
}

void read_option(Directive& d, std::string_view name, const std::string& value) {
  const auto is = [&](std::string_view other) { return value == other; };
  const std::size_t equals = value.find('=');
  if (name == "--kernel") d.kernel = value;
  if (name == "--devices") d.run.machine.devices = static_cast<int>(number(value, 1, 8));
  if (name == "--cores") d.run.machine.cores = static_cast<int>(number(value, 1, 4));
  if (name == "--loop-workers") d.run.machine.loop_workers = static_cast<int>(number(value, 0, 4));
  if (name == "--calls") d.launch.calls = static_cast<int>(number(value, 1, 4));
  if (name == "--scratch") d.launch.keeps_scratch = is("kept");
  if (name == "--schedule") d.run.schedule = value;
  if (name == "--profile") d.profile = value;
  if (name == "--copy-granularity")
    d.granularity = is("partial") ? CopyGranularity::partial : CopyGranularity::whole;
  if (name == "--copy-granularity" && is("partial"))
    d.run.copies.granularity = CopyGranularity::partial;
  if (name == "--dma-order" && is("fifo")) d.run.copies.order = DmaOrder::fifo;
  if (name == "--math" && is("exact")) d.run.math = Math::exact;
  if (name == "--uninitialised" && is("strict")) d.run.checks.uninitialised = Uninitialised::strict;
  if (name == "--uninitialised" && is("poison")) d.run.checks.uninitialised = Uninitialised::poison;
  if (name == "--slow-device") d.run.machine.slow_device = static_cast<int>(number(value, 0, 7));
  if (name == "--max-steps") d.run.max_steps = number(value, 1, INT64_MAX);
  if (name == "--seed") d.seed = static_cast<std::uint64_t>(number(value, 0, INT64_MAX));
  if (name == "--stop") d.stopping_after = number(value, 0, INT64_MAX);
  if (name == "--fail") d.failing_after = number(value, 0, INT64_MAX);
  if (equals == value.npos) return;
  if (name == "--set") d.settings.emplace(value.substr(0, equals), value.substr(equals + 1));
  if (name == "--in")
    d.inputs.emplace(value.substr(0, equals), numbers(std::string_view(value).substr(equals + 1)));
}

}  // namespace

Directive read_directive(std::string_view text) {
  Directive d;
  const std::vector<std::string> words = words_of(text);
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i] == "--necessity") d.asks_necessity = true;
    if (words[i] == "--mutants") d.asks_mutants = true;
    if (words[i] == "--timing") d.is_timed = true;
    if (words[i] == "--no-math") d.run.math = Math::none;
    if (words[i] == "--unchecked") d.run.checks.enabled = false;
    if (i + 1 < words.size()) read_option(d, words[i], words[i + 1]);
  }
  constexpr std::int64_t max_steps = 3000;
  if (d.run.max_steps == 0 || d.run.max_steps > max_steps) d.run.max_steps = max_steps;
  if (d.run.machine.slow_device >= d.run.machine.devices) d.run.machine.slow_device = -1;
  d.launch.devices = d.run.machine.devices;
  d.launch.cores = d.run.machine.cores;
  return d;
}

}  // namespace tessera::fuzz
