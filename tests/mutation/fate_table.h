// What became of the mutants of many calls: a row for each call, and what survived.
#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::test {

// As a page, or as text that is compared with the page.
enum class Form { markdown, text };

template <typename Fate, int count>
class FateTable {
 public:
  using Counts = std::array<std::int64_t, count>;

  // open: fates that no mutant may have; listed: those whose mutants are named.
  FateTable(Form form, std::string page, std::set<Fate> open, std::set<Fate> listed)
      : form_(form), page_(std::move(page)), open_(std::move(open)), listed_(std::move(listed)) {}

  void head(std::string_view what) const {
    std::vector<std::string_view> names;
    for (int f = 0; f < count; ++f) names.push_back(name(static_cast<Fate>(f)));
    if (form_ == Form::text) {
      fmt::print("{:<28}{:>8}", what, "mutants");
      for (const std::string_view n : names) fmt::print("  {}", n);
      return fmt::print("\n");
    }
    std::string bars;
    for (int i = 0; i <= count; ++i) bars += "---:|";
    fmt::print("| {} | mutants | {} |\n|---|{}\n", what, fmt::join(names, " | "), bars);
  }

  // A mutant of the next row.
  void add(Fate fate, const std::string& what) {
    ++row_[static_cast<std::size_t>(fate)];
    if (listed_.contains(fate) || open_.contains(fate)) ++survivors_[fate][what];
  }

  // Whether the row has no open fate, and is that of the page.
  bool end_row(std::string_view kernel, std::string_view words) {
    const std::string markdown = markdown_row(kernel, words, row_);
    const bool is_known = form_ == Form::markdown || page_.find(markdown) != std::string::npos;
    form_ == Form::markdown ? fmt::print("{}", markdown) : print(kernel, row_);
    if (!is_known) fmt::print("  tests/bench/results/mutants.md says otherwise: make it again\n");
    bool is_decided = true;
    for (std::size_t f = 0; f < row_.size(); ++f) {
      all_[f] += row_[f];
      if (row_[f] > 0 && open_.contains(static_cast<Fate>(f))) is_decided = false;
    }
    row_ = {};
    return is_known && is_decided;
  }

  void end() const {
    form_ == Form::markdown ? fmt::print("{}", markdown_row("all", "all rows", all_))
                            : print("all", all_);
    for (const auto& [fate, places] : survivors_) {
      form_ == Form::markdown ? fmt::print("\nMutants whose fate is *{}*:\n\n", name(fate))
                              : fmt::print("\n{}:\n", name(fate));
      for (const auto& [place, times] : places)
        fmt::print("{}{}{}\n", form_ == Form::markdown ? "- " : "  ", place,
                   times > 1 ? fmt::format(", {} times", times) : "");
    }
    fmt::print("\n");
  }

 private:
  static std::int64_t sum(const Counts& counts) {
    std::int64_t all = 0;
    for (const std::int64_t each : counts) all += each;
    return all;
  }
  static std::string markdown_row(std::string_view kernel, std::string_view words,
                                  const Counts& counts) {
    return fmt::format("| {}: `{}` | {} | {} |\n", kernel, words, sum(counts),
                       fmt::join(counts, " | "));
  }
  static void print(std::string_view kernel, const Counts& counts) {
    fmt::print("{:<28}{:>8}", kernel, sum(counts));
    for (std::size_t f = 0; f < counts.size(); ++f)
      fmt::print("{:>{}}", counts[f], name(static_cast<Fate>(f)).size() + 2);
    fmt::print("\n");
    std::fflush(stdout);
  }

  Form form_;
  std::string page_;
  std::set<Fate> open_, listed_;
  Counts row_{}, all_{};
  std::map<Fate, std::map<std::string, std::int64_t>> survivors_;
};

}  // namespace tessera::test
