#include "debugger/session/contributions.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

namespace tessera {
namespace {

bool is_product(const Program& program, const Piece& piece) {
  return piece.statement && piece.kind == Piece::From::sum &&
         std::holds_alternative<Matmul>(program.body[piece.statement].op);
}

// True if a sum of products is still one after the piece's op: copies, casts and additions preserve
// it.
bool hands_on(const Program& program, const Piece& piece) {
  if (piece.kind != Piece::From::op) return true;
  const Op& op = program.body[piece.statement].op;
  return std::holds_alternative<Cast>(op) || std::holds_alternative<TileAdd>(op);
}

// Appends the program operands from which a piece is computed.
void add_operands(const Provenance& found, std::size_t at, std::vector<Elements>& all) {
  const Piece& piece = found.pieces[at];
  if (piece.kind == Piece::From::operand) all.push_back(piece.elements);
  for (const std::size_t from : piece.before) add_operands(found, from, all);
  for (const std::size_t from : piece.from) add_operands(found, from, all);
}

std::vector<Contribution::Stretch> counted_along(const std::vector<Box>& boxes, int d,
                                                 std::int64_t extent) {
  std::map<std::int64_t, std::int64_t> steps = {{0, 0}, {extent, 0}};
  for (const Box& box : boxes) {
    ++steps[box.start[Box::at(d)]];
    --steps[box.end(d)];
  }
  std::vector<Contribution::Stretch> all;
  std::int64_t times = 0;
  for (auto step = steps.begin(); std::next(step) != steps.end(); ++step) {
    times += step->second;
    const std::int64_t end = std::next(step)->first;
    if (!all.empty() && all.back().times == times)
      all.back().end = end;
    else
      all.push_back({step->first, end, times});
  }
  return all;
}

}  // namespace

std::vector<std::size_t> products(const Program& program, const Provenance& found,
                                  std::size_t piece) {
  std::vector<std::size_t> all;
  const Piece& top = found.pieces[piece];
  const auto take = [&](std::size_t from) {
    const std::vector<std::size_t> more = products(program, found, from);
    all.insert(all.end(), more.begin(), more.end());
  };
  if (!hands_on(program, top)) return all;
  for (const std::size_t from : top.before) take(from);
  if (is_product(program, top))
    all.push_back(piece);
  else
    for (const std::size_t from : top.from) take(from);
  return all;
}

std::vector<Contribution> contributions(const Program& program, const Provenance& found,
                                        const std::vector<std::size_t>& products) {
  std::map<std::pair<BufferId, CoreIndex>, std::vector<Box>> boxes;
  for (const std::size_t product : products) {
    std::vector<Elements> operands;
    for (const std::size_t from : found.pieces[product].from) add_operands(found, from, operands);
    for (const Elements& one : operands) boxes[{one.buffer, one.owner}].push_back(one.box);
  }
  std::vector<Contribution> all;
  for (const auto& [key, boxes_of_it] : boxes) {
    // clang 14 cannot capture a structured binding in a lambda.
    const std::vector<Box>& of_buffer = boxes_of_it;
    const Buffer& buffer = program.buffers[key.first];
    int along = -1, varying = 0;
    for (int d = 0; d < of_buffer.front().rank; ++d) {
      const auto u = Box::at(d);
      const bool varies = std::any_of(of_buffer.begin(), of_buffer.end(), [&](const Box& box) {
        return box.start[u] != of_buffer.front().start[u] ||
               box.size[u] != of_buffer.front().size[u] || box.size[u] > 1;
      });
      if (!varies) continue;
      ++varying;
      along = d;
    }
    if (varying != 1) continue;
    Box around = of_buffer.front();
    around.start[Box::at(along)] = 0;
    around.size[Box::at(along)] = buffer.shape[Box::at(along)];
    all.push_back({key.second, key.first, around, along,
                   counted_along(of_buffer, along, around.size[Box::at(along)])});
  }
  return all;
}

}  // namespace tessera
