#include "debugger/commands/why.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "core/report/try.h"
#include "interp/findings/describe.h"

namespace tessera::debugger {
namespace {

constexpr std::size_t max_products = 12, max_ranges = 12, max_lines = 60;
constexpr int deepest = 12;

std::string times_text(std::int64_t times) {
  if (times == 0) return "never";
  if (times == 1) return "once";
  if (times == 2) return "twice";
  return fmt::format("{} times", times);
}

class WhyText {
 public:
  WhyText(Session& session, const Provenance& found)
      : program_(session.program()), topology_(session.machine().topology()), found_(found) {}

  std::string write() {
    for (const std::size_t piece : found_.asked) tell(piece, 0);
    if (!found_.is_complete) text_ += "there is more: the search was stopped here\n";
    return std::move(text_);
  }

 private:
  std::string name(CoreIndex owner, BufferId buffer, Box box) const {
    for (int d = 0; d < box.rank; ++d)
      if (box.size[Box::at(d)] == 1) box.dropped |= static_cast<std::uint8_t>(1U << d);
    return fmt::format("{} {}", topology_.name(owner, program_.buffers[buffer].space),
                       slice_text(program_, buffer, box));
  }
  std::string name(const Piece& piece) const {
    return name(piece.elements.owner, piece.elements.buffer, piece.elements.box);
  }
  std::string place(const Piece& piece) const {
    std::string text = line_text(program_, piece.statement);
    if (!piece.loops.empty()) text += ", " + to_string(piece.loops);
    return text;
  }
  void say(int depth, const std::string& line) {
    ++lines_;
    if (lines_ == max_lines) text_ += "...\n";
    if (lines_ >= max_lines) return;
    text_ += std::string(static_cast<std::size_t>(depth) * 2, ' ') + line + "\n";
  }

  void tell(std::size_t at, int depth) {
    if (depth > deepest || lines_ > max_lines) return;
    const Piece& piece = found_.pieces[at];
    switch (piece.kind) {
      case Piece::From::operand:
        return say(depth, name(piece) + " was given");
      case Piece::From::undefined:
        return say(depth, piece.event < 0 ? name(piece) + " was never written"
                                          : fmt::format("{} is undefined since event {}, {}",
                                                        name(piece), piece.event, place(piece)));
      case Piece::From::not_asked:
        return say(depth, name(piece) + " was not followed further");
      case Piece::From::copy:
        say(depth, fmt::format("{} was brought by {} in event {}, started at {}", name(piece),
                               to_string(piece.agent), piece.event, place(piece)));
        break;
      case Piece::From::op:
        say(depth, fmt::format("{} was written by {} in event {}, {}, {}", name(piece),
                               to_string(piece.agent), piece.event,
                               mnemonic(program_, piece.statement), place(piece)));
        break;
      case Piece::From::sum:
        return tell_sum(at, depth);
    }
    for (const std::size_t from : piece.from) tell(from, depth + 1);
  }

  // Prints the products of a sum, as long as only copies, casts and additions are between them.
  void tell_sum(std::size_t at, int depth) {
    const Piece& piece = found_.pieces[at];
    const std::vector<std::size_t> all = products(program_, found_, at);
    if (all.empty()) {
      say(depth, fmt::format("{} was added to by {} in event {}, {}", name(piece),
                             to_string(piece.agent), piece.event, place(piece)));
      for (const std::size_t from : piece.from) tell(from, depth + 1);
      for (const std::size_t before : piece.before) tell(before, depth + 1);
      return;
    }
    say(depth, fmt::format("{} is the sum of {}, the last added by {} in event {}, {}", name(piece),
                           counted(static_cast<std::int64_t>(all.size()), "product"),
                           to_string(piece.agent), piece.event, place(piece)));
    for (std::size_t i = 0; i < std::min(all.size(), max_products); ++i)
      say(depth + 1, product_text(found_.pieces[all[i]]));
    if (all.size() > max_products)
      say(depth + 1, fmt::format("... {} more", all.size() - max_products));
    for (const Contribution& one : contributions(program_, found_, all))
      say(depth + 1, contribution_text(one));
    for (std::vector<std::size_t> before = piece.before; !before.empty();) {
      const std::size_t next = before.front();
      if (found_.pieces[next].kind != Piece::From::sum) {
        for (const std::size_t one : before) {
          say(depth + 1, "onto");
          tell(one, depth + 2);
        }
        break;
      }
      before = found_.pieces[next].before;
    }
  }

  void operands(std::size_t at, std::string& text, std::set<std::size_t>& seen) const {
    if (!seen.insert(at).second) return;
    const Piece& piece = found_.pieces[at];
    const bool is_end = piece.kind == Piece::From::operand ||
                        piece.kind == Piece::From::undefined ||
                        piece.kind == Piece::From::not_asked;
    if (is_end) text += (text.empty() ? "" : ", ") + name(piece);
    for (const std::size_t from : piece.before) operands(from, text, seen);
    for (const std::size_t from : piece.from) operands(from, text, seen);
  }

  // Text of a product: its operands as passed to the program.
  std::string product_text(const Piece& product) const {
    std::string text;
    std::set<std::size_t> seen;
    for (std::size_t i = 0; i < product.from.size();) {
      const std::size_t operand = found_.pieces[product.from[i]].operand;
      std::string part;
      for (; i < product.from.size() && found_.pieces[product.from[i]].operand == operand; ++i)
        operands(product.from[i], part, seen);
      if (!part.empty()) text += (text.empty() ? "" : " . ") + part;
    }
    return fmt::format("event {}, {}: {}", product.event, place(product), text);
  }

  std::string contribution_text(const Contribution& one) const {
    std::string text = name(one.owner, one.buffer, one.box) + ":";
    const auto& all = one.stretches;
    if (all.size() == 1) return text + " each " + times_text(all.front().times);
    for (std::size_t i = 0; i < std::min(all.size(), max_ranges); ++i)
      text += fmt::format("{} {} .. {} {}", i == 0 ? "" : ",", all[i].begin, all[i].end,
                          times_text(all[i].times));
    if (all.size() > max_ranges)
      text += fmt::format(" and {} more ranges", all.size() - max_ranges);
    return text;
  }

  const Program& program_;
  const Topology& topology_;
  const Provenance& found_;
  std::string text_;
  std::size_t lines_ = 0;
};

}  // namespace

Expected<std::string> why_elements(Session& session, const Elements& elements) {
  const Provenance found = TRY(provenance(session, elements));
  return WhyText(session, found).write();
}

}  // namespace tessera::debugger
