#include "tests/fuzz/harness/mutate_command.h"

#include <algorithm>
#include <array>
#include <vector>

#include "cli/command.h"
#include "core/data/splitmix.h"
#include "tests/fuzz/harness/mutate_program.h"

namespace tessera::fuzz {
namespace {

constexpr std::array<std::string_view, 64> values = {"0",
                                                     "1",
                                                     "2",
                                                     "3",
                                                     "8",
                                                     "16",
                                                     "100",
                                                     "-1",
                                                     "4294967296",
                                                     "9223372036854775807",
                                                     "99999999999999999999",
                                                     "1e9",
                                                     "",
                                                     "x",
                                                     "nan",
                                                     "a=1",
                                                     "m=8",
                                                     "T=f16",
                                                     "out=%d",
                                                     "%s",
                                                     "%d",
                                                     "nothing.npy",
                                                     "4,8,8",
                                                     "0,0,0",
                                                     "1,2",
                                                     "100,0,5",
                                                     "zipf:1.2",
                                                     "onehot",
                                                     "empty:50",
                                                     "@%s",
                                                     "eager",
                                                     "lazy",
                                                     "lifo",
                                                     "random:7",
                                                     "pct:3:2",
                                                     "replay:%s",
                                                     "steps:dev0.core0*3",
                                                     "f32",
                                                     "bf16",
                                                     "f16",
                                                     "i8",
                                                     "i32",
                                                     "e4m3",
                                                     "e5m2",
                                                     "v5e",
                                                     "v5p",
                                                     "v6e",
                                                     "h200",
                                                     "mosaic",
                                                     "interpreter",
                                                     "reference",
                                                     "cuda",
                                                     "exact",
                                                     "library",
                                                     "whole",
                                                     "partial",
                                                     "fifo",
                                                     "strict",
                                                     "poison",
                                                     "integers",
                                                     "uniform",
                                                     "accumulate",
                                                     "{\"block_m\": 8}",
                                                     "4G"};

class Mutator {
 public:
  Mutator(std::string_view line, std::uint64_t seed) : random_(seed) {
    while (!line.empty()) {
      const std::size_t end = std::min(line.find(' '), line.size());
      words_.emplace_back(line.substr(0, end));
      line.remove_prefix(std::min(end + 1, line.size()));
    }
    if (words_.empty()) words_.emplace_back("run");
  }

  std::string run() {
    for (std::size_t i = 1 + below(3); i > 0; --i) change();
    std::string line;
    for (const std::string& word : words_) line += (line.empty() ? "" : " ") + word;
    return line;
  }

 private:
  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_.below(n); }
  std::size_t any_word() { return below(words_.size()); }
  std::string any_value() { return std::string(values[below(values.size())]); }

  static const std::vector<cli::Command>& commands() {
    static const auto* const all = new std::vector<cli::Command>(cli::commands());
    return *all;
  }
  // Those of the command, or now and then of any other.
  cli::Option any_option() {
    const auto named = std::find_if(commands().begin(), commands().end(), [&](const auto& c) {
      return c.name == words_.front() || (words_.size() > 1 && c.name == words_[1]);
    });
    const cli::Command& command =
        named == commands().end() || below(6) == 0 ? commands()[below(commands().size())] : *named;
    if (command.options.empty() || below(8) == 0) return {below(2) == 0 ? "json" : "help", "", ""};
    return command.options[below(command.options.size())];
  }

  void change() {
    switch (below(8)) {
      case 0:
        words_.front() = commands()[below(commands().size())].name;
        return;
      case 1:
        if (words_.size() > 1) words_.erase(words_.begin() + static_cast<int>(any_word()));
        return;
      case 2:
        words_[any_word()] = any_value();
        return;
      case 3:
        std::swap(words_[any_word()], words_[any_word()]);
        return;
      case 4:
        words_.insert(words_.begin() + static_cast<int>(any_word()) + 1, any_value());
        return;
      default:
        return add_option();
    }
  }
  // With a value as its description lists them, if it does.
  void add_option() {
    const cli::Option option = any_option();
    words_.push_back("--" + std::string(option.name));
    if (option.value.empty()) return;
    std::vector<std::string> listed(1);
    for (const char c : option.value)
      if (c == '|')
        listed.emplace_back();
      else
        listed.back() += c;
    words_.push_back(listed.size() > 1 && below(3) != 0 ? listed[below(listed.size())]
                                                        : any_value());
  }

  std::vector<std::string> words_;
  SplitMix random_;
};

}  // namespace

std::string mutated_command(std::string_view text, std::uint64_t seed, std::size_t longest) {
  const std::size_t line = std::min(text.find('\n'), text.size());
  const std::string_view first = text.substr(0, line), rest = text.substr(line);
  std::string changed = rest.size() > 1 && seed % 4 == 0
                            ? std::string(first) + mutated_program(rest, seed, longest)
                            : Mutator(first, seed).run() + std::string(rest);
  if (changed.size() > longest) changed.resize(longest);
  return changed;
}

}  // namespace tessera::fuzz
