#include "debugger/session/provenance.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "core/program/refs.h"
#include "core/program/reshape.h"
#include "core/program/unknown_values.h"
#include "core/report/try.h"
#include "debugger/session/accesses.h"
#include "interp/machine/loop_indices.h"
#include "interp/memory/box_cover.h"

namespace tessera {
namespace {

class Collector final : public StopCondition {
 public:
  void begin(Machine& machine) override {
    machine_ = &machine;
    accesses.begin(machine);
  }
  void on(const Event& event) override { accesses.on(*machine_, event); }
  std::optional<Cause> holds(const Moment&) override { return {}; }
  Accesses accesses;

 private:
  Machine* machine_ = nullptr;
};

struct Side {
  std::int64_t begin = 0, size = 0, extent = 0;
};

// Returns the kept dimensions of a box, and the range of `part` in each.
std::vector<Side> kept_sides(const Box& box, const Box& part) {
  std::vector<Side> sides;
  for (int d = 0; d < box.rank; ++d)
    if (box.keeps(d))
      sides.push_back({part.start[Box::at(d)] - box.start[Box::at(d)], part.size[Box::at(d)],
                       box.size[Box::at(d)]});
  return sides;
}

Box cut(const Box& box, const std::vector<Side>& sides) {
  Box result = box;
  std::size_t kept = 0;
  for (int d = 0; d < box.rank; ++d) {
    if (!box.keeps(d)) continue;
    result.start[Box::at(d)] += sides[kept].begin;
    result.size[Box::at(d)] = sides[kept].size;
    ++kept;
  }
  return result;
}

// Returns the range of an operand's dimension, of size `extent`, from which the result's range is
// computed.
Side like(const Side& out, std::int64_t extent, bool is_truncated) {
  if (extent == out.extent) return {out.begin, out.size, extent};
  const Side all{0, extent, extent};
  if (!is_truncated || extent == 0 || out.extent % extent != 0) return all;
  const std::int64_t each = out.extent / extent;
  const std::int64_t first = out.begin / each, last = (out.begin + out.size - 1) / each;
  return {first, last - first + 1, extent};
}

// Returns the part of an operand from which a part of the result is computed; the whole operand if
// the rule of the op is not known.
Box part_of_operand(const Op& op, std::string_view field, const Box& operand, const Box& result,
                    const Box& part) {
  const std::vector<Side> out = kept_sides(result, part);
  std::vector<Side> in = kept_sides(operand, operand);
  if (const auto* product = std::get_if<Matmul>(&op)) {
    const bool is_a = field == "a";
    const bool is_transposed = (is_a ? product->transpose_a : product->transpose_b) != 0;
    const std::size_t rank = out.size();
    if (rank < 2 || in.size() != rank) return operand;
    for (std::size_t d = 0; d + 2 < rank; ++d) in[d] = out[d];
    in[rank - (is_a == is_transposed ? 1 : 2)] = out[rank - (is_a ? 2 : 1)];
  } else if (reshape_of(op) == Reshape::permuted) {
    const std::vector<int> order = permutation(op, static_cast<int>(in.size()));
    if (order.size() != in.size() || out.size() != in.size()) return operand;
    for (std::size_t d = 0; d < order.size(); ++d) in[static_cast<std::size_t>(order[d])] = out[d];
  } else if (keeps_elements(op)) {
    return operand;
  } else if (class_of(op) == OpClass::tile) {
    for (std::size_t i = 1; i <= std::min(in.size(), out.size()); ++i)
      in[in.size() - i] = like(out[out.size() - i], in[in.size() - i].extent, field == "scale");
  }
  return cut(operand, in);
}

// Answers questions in descending order of their writes, across all segments. If there are too many
// pieces, the end of the search therefore depends only on the run.
class Search {
 public:
  Search(Session& session, Provenance& found, std::size_t most)
      : session_(session), found_(found), max_(most) {}

  Expected<void> run(const Elements& elements) {
    const std::int64_t here = session_.position();
    ask({.elements = elements, .before = here, .asker = Asker::the_user});
    Collector told;
    for (std::int64_t end = here; end > 0 && !open_.empty();) {
      end = TRY(session_.walk_to(end, told));
      for (Question& question : std::exchange(open_, {}))
        settle(std::move(question), told.accesses);
      while (!known_.empty()) {
        const auto last = known_.begin();
        const Known answer = last->second;
        known_.erase(last);
        this->answer(answer, told.accesses);
      }
    }
    for (const Question& question : std::exchange(open_, {})) {
      const Role role = session_.program().buffers[question.elements.buffer].role;
      add(question, {.elements = question.elements,
                     .kind = role == Role::in ? Piece::From::operand : Piece::From::undefined});
    }
    for (Piece& piece : found_.pieces) {
      order(piece.from);
      order(piece.before);
    }
    order(found_.asked);
    return session_.go_to(here);
  }

 private:
  enum class Asker : std::uint8_t { the_user, from, before };
  struct Question {
    Elements elements;
    std::int64_t before = 0;          // event that reads the elements
    std::optional<AgentId> reader{};  // copy that read them some time before that
    std::size_t piece = 0;            // piece that depends on the elements
    Asker asker = Asker::from;
    std::size_t operand = 0;  // from: index of the operand
    std::size_t number = 0;   // sequence number
  };
  struct Known {
    Question question;
    const Access* write;
  };

  void ask(Question question) {
    if (question.elements.box.empty()) return;
    question.number = asked_++;
    open_.push_back(std::move(question));
  }
  // Same, if the accesses of this segment may have the answer.
  void ask(Question question, const Accesses& accesses) {
    if (question.elements.box.empty()) return;
    question.number = asked_++;
    settle(std::move(question), accesses);
  }

  std::size_t add(const Question& question, Piece piece) {
    const std::size_t at = found_.pieces.size();
    piece.operand = question.operand;
    found_.pieces.push_back(std::move(piece));
    if (question.asker == Asker::the_user) found_.asked.push_back(at);
    if (question.asker == Asker::from) found_.pieces[question.piece].from.push_back(at);
    if (question.asker == Asker::before) found_.pieces[question.piece].before.push_back(at);
    return at;
  }

  // Sorts by operand, then by position.
  void order(std::vector<std::size_t>& pieces) const {
    std::stable_sort(pieces.begin(), pieces.end(), [&](std::size_t a, std::size_t b) {
      const Piece &x = found_.pieces[a], &y = found_.pieces[b];
      return std::tie(x.operand, x.elements.box.start) < std::tie(y.operand, y.elements.box.start);
    });
  }

  // Finds the last write to the elements, or postpones the question to the preceding segment.
  void settle(Question question, const Accesses& accesses) {
    const Elements& asked = question.elements;
    if (question.reader) {
      const Access* read = accesses.last_read(*question.reader, asked.box, question.before);
      if (read == nullptr) return open_.push_back(std::move(question));
      question.before = read->event;
      question.reader.reset();
    }
    const Access* write =
        accesses.last_write(asked.owner, asked.buffer, asked.box, question.before);
    if (write == nullptr) return open_.push_back(std::move(question));
    const std::pair key(-write->event, question.number);
    known_.emplace(key, Known{std::move(question), write});
  }

  void answer(const Known& known, const Accesses& accesses) {
    const Elements& asked = known.question.elements;
    if (found_.pieces.size() >= max_) {
      found_.is_complete = false;
      add(known.question, {.elements = asked});
      return;
    }
    const Box part = intersection(asked.box, known.write->box);
    for (const Box& rest : without(asked.box, part)) {
      Question other = known.question;
      other.elements.box = rest;
      ask(std::move(other), accesses);
    }
    explain(known.question, {asked.owner, asked.buffer, part}, *known.write, accesses);
  }

  void explain(const Question& question, const Elements& part, const Access& write,
               const Accesses& accesses) {
    const bool is_gone = write.kind == EventKind::alloc || write.kind == EventKind::fresh;
    const bool adds = write.kind == EventKind::accumulate || write.kind == EventKind::update;
    const std::size_t at =
        add(question, {.elements = part,
                       .kind = is_gone                 ? Piece::From::undefined
                               : adds                  ? Piece::From::sum
                               : write.agent.is_copy() ? Piece::From::copy
                                                       : Piece::From::op,
                       .event = write.event,
                       .agent = write.agent,
                       .statement = write.statement,
                       .loops = loop_indices(session_.program(), write.statement, write.loops)});
    if (is_gone) return;
    if (adds)
      ask({.elements = part, .before = write.event, .piece = at, .asker = Asker::before}, accesses);
    if (!write.agent.is_copy()) return ask_operands(part, write, accesses, at);
    const CopyEnds* ends = accesses.ends(write.agent);
    if (ends == nullptr) return;
    for (const auto& [to, from] : counterparts(part.box, ends->dst_box, ends->src_box))
      ask({.elements = {ends->src_owner, ends->src, from},
           .before = write.event,
           .reader = write.agent,
           .piece = at},
          accesses);
  }

  void ask_operands(const Elements& part, const Access& write, const Accesses& accesses,
                    std::size_t at) {
    const Program& program = session_.program();
    const Op& op = program.body[write.statement].op;
    std::size_t operand = 0;
    if (std::holds_alternative<OpaqueWrite>(op)) {
      for (const StmtId source : opaque_sources(program, write.statement))
        if (const Access* from = accesses.read_before(write, source))
          ask({.elements = {from->owner, from->buffer, from->box},
               .before = from->event,
               .piece = at,
               .operand = operand++},
              accesses);
      return;
    }
    std::vector<const Access*> reads = accesses.reads_for(write);
    for (const FieldInfo& f : info(op).fields) {
      if (f.kind != FieldKind::Slice) continue;
      const Value& base = program.value(field<Slice>(op, f).base);
      if (base.kind != ValueKind::ref) continue;
      const auto read = std::find_if(reads.begin(), reads.end(), [&](const Access* candidate) {
        return candidate != nullptr && candidate->buffer == base.buffer;
      });
      if (read == reads.end()) continue;
      const Access& from = *std::exchange(*read, nullptr);
      ask({.elements = {from.owner, from.buffer,
                        part_of_operand(op, f.name, from.box, write.box, part.box)},
           .before = write.event,
           .piece = at,
           .operand = operand++},
          accesses);
    }
  }

  Session& session_;
  Provenance& found_;
  std::size_t max_;  // pieces
  std::size_t asked_ = 0;
  std::vector<Question> open_;  // postponed to earlier segments
  // Answered in this segment, the last write first.
  std::map<std::pair<std::int64_t, std::size_t>, Known> known_;
};

}  // namespace

Expected<Provenance> provenance(Session& session, const Elements& elements, std::size_t most) {
  Provenance found;
  TRY(Search(session, found, most).run(elements));
  return found;
}

}  // namespace tessera
