#include "tests/fuzz/harness/mutate_program.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "core/data/splitmix.h"
#include "core/program/op.h"

namespace tessera::fuzz {
namespace {

// Where programs, machines and their limits have edges.
constexpr std::array<std::string_view, 44> numbers = {"0",
                                                      "1",
                                                      "2",
                                                      "3",
                                                      "4",
                                                      "5",
                                                      "7",
                                                      "8",
                                                      "9",
                                                      "15",
                                                      "16",
                                                      "17",
                                                      "31",
                                                      "32",
                                                      "33",
                                                      "63",
                                                      "64",
                                                      "65",
                                                      "127",
                                                      "128",
                                                      "129",
                                                      "255",
                                                      "256",
                                                      "1000",
                                                      "1023",
                                                      "1024",
                                                      "1025",
                                                      "32767",
                                                      "32768",
                                                      "65536",
                                                      "1000000",
                                                      "16777216",
                                                      "2147483647",
                                                      "2147483648",
                                                      "4294967296",
                                                      "1099511627776",
                                                      "4611686018427387904",
                                                      "9223372036854775807",
                                                      "-1",
                                                      "-2",
                                                      "-9223372036854775807",
                                                      "0.5",
                                                      "1e30",
                                                      "1e300"};

// The words and symbols of the language.
constexpr std::array<std::string_view, 130> words = {
    "kernel",   "function", "const",       "in",         "out",       "hbm",        "vmem",
    "smem",     "tile",     "sem",         "bytes",      "count",     "barrier",    "monotone",
    "scoped",   "alloc",    "free",        "fresh",      "once",      "for",        "if",
    "else",     "parallel", "trace",       "pipeline",   "grid",      "window",     "when",
    "order",    "return",   "require",     "wait",       "await",     "signal",     "start",
    "copy",     "on",       "core",        "device",     "devices",   "cores",      "mod",
    "and",      "or",       "not",         "min",        "max",       "depth",      "pad",
    "none",     "view",     "accumulator", "add",        "sub",       "mul",        "div",
    "tiles",    "eq",       "ne",          "lt",         "le",        "select",     "popcount",
    "limit",    "real",     "load",        "load_real",  "store",     "prefix_sum", "search_right",
    "iota",     "repeat",   "bounds",      "write_back", "read",      "cast",       "tile_iota",
    "tile_add", "exp",      "log",         "tanh",       "erf",       "rsqrt",      "abs",
    "clamp",    "concat",   "copied",      "scaled",     "transpose", "row_sum",    "row_max",
    "col_sum",  "col_max",  "matmul",      "f32",        "f16",       "bf16",       "i8",
    "i32",      "i64",      "u32",         "e4m3",       "e5m2",      "e8m0",       "[",
    "]",        "(",        ")",           "{",          "}",         ",",          ";",
    ":",        "..",       "+:",          "->",         "=",         "==",         "!=",
    "<",        "<=",       ">",           ">=",         "+=",        "+",          "-",
    "*",        "/",        "?",           "."};

constexpr std::array<std::string_view, 46> run_words = {"--devices 1",
                                                        "--devices 2",
                                                        "--devices 3",
                                                        "--devices 4",
                                                        "--cores 2",
                                                        "--cores 3",
                                                        "--schedule eager",
                                                        "--schedule lazy",
                                                        "--schedule lifo",
                                                        "--schedule random:1",
                                                        "--schedule random:7",
                                                        "--schedule pct:3:2",
                                                        "--schedule pct:1:5",
                                                        "--copy-granularity partial",
                                                        "--copy-granularity whole",
                                                        "--dma-order fifo",
                                                        "--math exact",
                                                        "--no-math",
                                                        "--uninitialised strict",
                                                        "--uninitialised poison",
                                                        "--slow-device 0",
                                                        "--slow-device 1",
                                                        "--calls 2",
                                                        "--calls 3",
                                                        "--scratch kept",
                                                        "--necessity",
                                                        "--mutants",
                                                        "--timing",
                                                        "--unchecked",
                                                        "--profile v5p",
                                                        "--profile v6e",
                                                        "--profile h200",
                                                        "--max-steps 10",
                                                        "--max-steps 100",
                                                        "--seed 1",
                                                        "--fail 10",
                                                        "--fail 100",
                                                        "--fail 300",
                                                        "--fail 1000",
                                                        "--fail 5000",
                                                        "--stop 0",
                                                        "--loop-workers 2",
                                                        "--loop-workers 3",
                                                        "--stop 5",
                                                        "--stop 20",
                                                        "--stop 100"};

class Mutator {
 public:
  Mutator(std::string_view text, std::uint64_t seed) : text_(text), random_(seed) {}

  std::string run() {
    const std::uint64_t changes = 1 + below(4);
    for (std::uint64_t i = 0; i < changes; ++i) change();
    return std::move(text_);
  }

 private:
  struct Piece {
    std::size_t begin = 0, size = 0;
  };

  std::size_t below(std::size_t n) { return n == 0 ? 0 : random_.below(n); }
  template <typename Words>
  std::string_view one_of(const Words& list) {
    return list[below(list.size())];
  }

  static bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  }

  // Numbers and names; other characters one by one.
  std::vector<Piece> tokens() const {
    std::vector<Piece> all;
    for (std::size_t i = 0; i < text_.size();) {
      if (text_.compare(i, 2, "//") == 0) {
        i = std::min(text_.find('\n', i), text_.size());
      } else if (is_word(text_[i])) {
        const std::size_t begin = i;
        while (i < text_.size() && is_word(text_[i])) ++i;
        all.push_back({begin, i - begin});
      } else {
        if (std::isspace(static_cast<unsigned char>(text_[i])) == 0) all.push_back({i, 1});
        ++i;
      }
    }
    return all;
  }

  // With their line breaks; those before the first kernel or function stay.
  std::vector<Piece> lines() const {
    std::vector<Piece> all;
    for (std::size_t begin = 0; begin < text_.size();) {
      const std::size_t end = std::min(text_.find('\n', begin), text_.size() - 1) + 1;
      if (text_.compare(begin, 8, "// RUN: ") != 0) all.push_back({begin, end - begin});
      begin = end;
    }
    return all;
  }

  std::string piece(const Piece& p) const { return text_.substr(p.begin, p.size); }
  void replace(const Piece& p, std::string_view with) { text_.replace(p.begin, p.size, with); }

  void change() {
    switch (below(12)) {
      case 0:
        return duplicate_line();
      case 1:
        return delete_line();
      case 2:
        return swap_lines();
      case 3:
        return move_line();
      case 4:
        return change_number();
      case 5:
        return change_number();
      case 6:
        return replace_name();
      case 7:
        return replace_token();
      case 8:
        return insert_token();
      case 9:
        return delete_token();
      case 10:
        return insert_op();
      default:
        return change_run();
    }
  }

  void duplicate_line() {
    const auto all = lines();
    if (all.empty()) return;
    const Piece line = all[below(all.size())];
    text_.insert(line.begin, piece(line));
  }
  void delete_line() {
    const auto all = lines();
    if (!all.empty()) replace(all[below(all.size())], "");
  }
  void swap_lines() {
    const auto all = lines();
    if (all.size() < 2) return;
    const std::size_t i = below(all.size() - 1);
    const std::string first = piece(all[i]), second = piece(all[i + 1]);
    replace({all[i].begin, all[i].size + all[i + 1].size}, second + first);
  }
  void move_line() {
    const auto all = lines();
    if (all.size() < 2) return;
    const std::string line = piece(all[below(all.size())]);
    text_.insert(all[below(all.size())].begin, line);
  }
  void change_number() {
    std::vector<Piece> all = tokens();
    std::erase_if(all, [&](const Piece& p) {
      return std::isdigit(static_cast<unsigned char>(text_[p.begin])) == 0;
    });
    if (all.empty()) return;
    replace(all[below(all.size())], one_of(numbers));
  }
  void replace_name() {
    std::vector<Piece> all = tokens();
    std::erase_if(all, [&](const Piece& p) { return !is_word(text_[p.begin]); });
    if (all.empty()) return;
    const std::string other = piece(all[below(all.size())]);
    replace(all[below(all.size())], other);
  }
  void replace_token() {
    const auto all = tokens();
    if (!all.empty()) replace(all[below(all.size())], one_of(words));
  }
  void insert_token() {
    const auto all = tokens();
    if (all.empty()) return;
    text_.insert(all[below(all.size())].begin, std::string(one_of(words)) + " ");
  }
  void delete_token() {
    const auto all = tokens();
    if (!all.empty()) replace(all[below(all.size())], "");
  }
  std::string name_or_number() {
    std::vector<Piece> all = tokens();
    std::erase_if(all, [&](const Piece& p) { return !is_word(text_[p.begin]); });
    if (all.empty() || below(4) == 0) return std::string(one_of(numbers));
    return piece(all[below(all.size())]);
  }
  // A statement as the op table spells it: call form, on names of this program.
  void insert_op() {
    const auto table = op_table();
    const OpInfo& op = table[1 + below(table.size() - 1)];
    std::string statement = "  ";
    if (op.result != ResultKind::none) statement += "r" + std::to_string(below(4)) + " = ";
    statement += std::string(op.mnemonic) + "(";
    for (std::size_t i = 0; i < op.fields.size(); ++i)
      statement += (i == 0 ? "" : ", ") + name_or_number();
    statement += ")\n";
    const auto all = lines();
    if (!all.empty()) text_.insert(all[below(all.size())].begin, statement);
  }
  void change_run() {
    constexpr std::string_view mark = "// RUN: ";
    if (text_.find(mark) == std::string::npos) text_.insert(0, "// RUN: run\n");
    const std::size_t begin = text_.find(mark) + mark.size();
    text_.insert(begin, std::string(one_of(run_words)) + " ");
  }

  std::string text_;
  SplitMix random_;
};

std::vector<std::string_view> split_lines(std::string_view text) {
  std::vector<std::string_view> all;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size() - 1) + 1;
    all.push_back(text.substr(0, end));
    text.remove_prefix(end);
  }
  return all;
}

}  // namespace

std::string mutated_program(std::string_view text, std::uint64_t seed, std::size_t longest) {
  std::string changed = Mutator(text, seed).run();
  return changed.size() <= longest ? changed : std::string(text.substr(0, longest));
}

std::string spliced_programs(std::string_view a, std::string_view b, std::uint64_t seed,
                             std::size_t longest) {
  SplitMix random(seed);
  const auto host = split_lines(a), guest = split_lines(b);
  if (host.empty() || guest.empty()) return std::string(a.substr(0, longest));
  const std::size_t at = random.below(host.size() + 1), from = random.below(guest.size());
  const std::size_t count = 1 + random.below(std::min<std::size_t>(guest.size() - from, 6));
  std::string text;
  for (std::size_t i = 0; i < at; ++i) text += host[i];
  for (std::size_t i = from; i < from + count; ++i) text += guest[i];
  for (std::size_t i = at; i < host.size(); ++i) text += host[i];
  return text.size() <= longest ? text : std::string(a.substr(0, longest));
}

}  // namespace tessera::fuzz
