#include "interp/session/provenance.h"

#include <algorithm>
#include <utility>

#include "core/report/try.h"
#include "interp/machine/loop_indices.h"
#include "interp/memory/box_cover.h"
#include "interp/session/accesses.h"

namespace tessera {
namespace {

constexpr std::size_t most_pieces = 1 << 14;

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

// The kept dimensions of a box, and which part of each is in `part`.
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

// Of the operand that has `extent` of a dimension: where the result's part is made of it.
Side like(const Side& out, std::int64_t extent, bool is_cut) {
  if (extent == out.extent) return {out.begin, out.size, extent};
  const Side all{0, extent, extent};
  if (!is_cut || extent == 0 || out.extent % extent != 0) return all;
  const std::int64_t each = out.extent / extent;
  const std::int64_t first = out.begin / each, last = (out.begin + out.size - 1) / each;
  return {first, last - first + 1, extent};
}

// The part of an operand from which a part of the result is made; all of it where the op's rule is
// not known.
Box part_of_operand(const Op& op, std::string_view field, const Box& operand, const Box& result,
                    const Box& part) {
  const std::vector<Side> out = kept_sides(result, part);
  std::vector<Side> in = kept_sides(operand, operand);
  if (const auto* product = std::get_if<Matmul>(&op)) {
    const bool is_a = field == "a";
    const bool is_transposed = (is_a ? product->transpose_a : product->transpose_b) != 0;
    if (out.size() != 2 || in.size() != 2) return operand;
    in[is_a == is_transposed ? 1 : 0] = out[is_a ? 0 : 1];
  } else if (std::holds_alternative<Transpose>(op)) {
    if (out.size() != 2 || in.size() != 2) return operand;
    in = {out[1], out[0]};
  } else if (class_of(op) == OpClass::tile) {
    for (std::size_t i = 1; i <= std::min(in.size(), out.size()); ++i)
      in[in.size() - i] = like(out[out.size() - i], in[in.size() - i].extent, field == "scale");
  }
  return cut(operand, in);
}

class Search {
 public:
  Search(Session& session, Provenance& found) : session_(session), found_(found) {}

  Expected<void> run(const Elements& elements) {
    const std::int64_t here = session_.position();
    ask({elements, here, {}, {}, Asker::the_user});
    Collector told;
    for (std::int64_t end = here; end > 0 && !open_.empty();) {
      end = TRY(session_.walk_to(end, told));
      std::vector<Question> asked = std::exchange(open_, {});
      // What is asked meanwhile stands behind.
      for (std::size_t i = 0; i < asked.size(); ++i) {
        answer(Question(asked[i]), told.accesses);
        asked.insert(asked.end(), new_.begin(), new_.end());
        new_.clear();
      }
    }
    for (const Question& question : std::exchange(open_, {})) {
      const Role role = session_.program().buffers[question.elements.buffer].role;
      add(question, {.elements = question.elements,
                     .kind = role == Role::in ? Piece::From::operand : Piece::From::undefined});
    }
    return session_.go_to(here);
  }

 private:
  enum class Asker : std::uint8_t { the_user, from, before };
  struct Question {
    Elements elements;
    std::int64_t before = 0;          // the event that sees the elements
    std::optional<AgentId> reader{};  // a copy that has read them some time before that
    std::size_t piece = 0;            // whose
    Asker asker = Asker::from;
  };

  void ask(Question question) {
    if (!question.elements.box.empty()) open_.push_back(std::move(question));
  }
  void ask_now(Question question) {
    if (!question.elements.box.empty()) new_.push_back(std::move(question));
  }

  std::size_t add(const Question& question, Piece piece) {
    const std::size_t at = found_.pieces.size();
    found_.pieces.push_back(std::move(piece));
    if (question.asker == Asker::the_user) found_.asked.push_back(at);
    if (question.asker == Asker::from) found_.pieces[question.piece].from.push_back(at);
    if (question.asker == Asker::before) found_.pieces[question.piece].before.push_back(at);
    return at;
  }

  void answer(Question question, const Accesses& accesses) {
    if (found_.pieces.size() >= most_pieces) {
      found_.is_complete = false;
      add(question, {.elements = question.elements});
      return;
    }
    const Elements& asked = question.elements;
    if (question.reader) {
      const Access* read = accesses.last_read(*question.reader, asked.box, question.before);
      if (read == nullptr) return ask(question);
      question.before = read->event;
      question.reader.reset();
    }
    const Access* write = accesses.last_write(asked.home, asked.buffer, asked.box, question.before);
    if (write == nullptr) return ask(question);
    const Box part = intersection(asked.box, write->box);
    for (const Box& rest : without(asked.box, part)) {
      Question other = question;
      other.elements.box = rest;
      ask_now(other);
    }
    explain(question, {asked.home, asked.buffer, part}, *write, accesses);
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
    if (adds) ask_now({part, write.event, {}, at, Asker::before});
    if (!write.agent.is_copy()) return ask_operands(part, write, accesses, at);
    const CopyEnds* ends = accesses.ends(write.agent);
    if (ends == nullptr) return;
    ask_now({{ends->src_home, ends->src, counterpart(part.box, ends->dst_box, ends->src_box)},
             write.event,
             write.agent,
             at,
             Asker::from});
  }

  void ask_operands(const Elements& part, const Access& write, const Accesses& accesses,
                    std::size_t at) {
    const Program& program = session_.program();
    const Op& op = program.body[write.statement].op;
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
      ask_now({{from.home, from.buffer, part_of_operand(op, f.name, from.box, write.box, part.box)},
               write.event,
               {},
               at,
               Asker::from});
    }
  }

  Session& session_;
  Provenance& found_;
  std::vector<Question> open_;  // for earlier stretches
  std::vector<Question> new_;   // of this one
};

}  // namespace

Expected<Provenance> provenance(Session& session, const Elements& elements) {
  Provenance found;
  TRY(Search(session, found).run(elements));
  return found;
}

}  // namespace tessera
