#include "devices/cuda/graph/tile_products.h"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "analysis/task_engine/graph_memory.h"
#include "devices/cuda/graph/call_operands.h"

namespace tessera::cuda {
namespace {

using graph::MemoryId;

// Content of a rectangle in the private memory of a subtask.
struct Zero {};
struct Loaded {
  MemoryId memory{};
  Box box{};  // source of the elements, in order
};
struct Sum {
  std::size_t number = 0;  // index into growing_
  Box acc{};               // whole rectangle of the accumulator
};
using Held = std::variant<Zero, Loaded, Sum>;
struct Region {
  Box box{};
  Held held{};
};

// A product under construction along its contraction.
struct Growing {
  Loaded left, right;  // covers all steps so far
  std::optional<Loaded> existing{};
  bool transpose_right = false;
};

// Dimension of the box that has the rows (which = 0) or columns (1) of the matrix; -1 if there is
// none.
int matrix_dim(const Box& box, int which) {
  int left = 1 - which;
  for (int d = box.rank; d-- > 0;)
    if (box.keeps(d) && left-- == 0) return d;
  return -1;
}
std::int64_t size_of(const Box& box, int which) {
  const int d = matrix_dim(box, which);
  return d < 0 ? 1 : box.size[Box::at(d)];
}

// True if `b` continues `a` along one dimension and equals it in the others.
bool goes_on(const Loaded& a, const Loaded& b, int which) {
  const int along = matrix_dim(a.box, which);
  if (a.memory != b.memory || a.box.rank != b.box.rank || along < 0) return false;
  for (int d = 0; d < a.box.rank; ++d) {
    const auto at = Box::at(d);
    if (d == along ? b.box.start[at] != a.box.end(d)
                   : b.box.start[at] != a.box.start[at] || b.box.size[at] != a.box.size[at])
      return false;
  }
  return true;
}

class Reader {
 public:
  Reader(const graph::TaskGraph& graph, const Table<MemoryId, bool>& is_private)
      : graph_(graph), private_(is_private) {}

  std::optional<std::vector<TileProduct>> read(const std::vector<graph::ActionId>& subtask) {
    for (const graph::ActionId id : subtask)
      if (!take(id)) return std::nullopt;
    if (products_.empty()) return std::nullopt;
    return std::move(products_);
  }

 private:
  bool take(graph::ActionId id) {
    const graph::Action& action = graph_.actions[id];
    if (action.is_copy) return take_copy(id);
    const Op& op = graph_.program.body[action.statement].op;
    if (std::holds_alternative<Fresh>(op)) return true;
    const std::vector<CallOperand> o = operands_of(graph_, action);
    if (std::holds_alternative<Pad>(op)) return put(o[0], Zero{});
    if (std::holds_alternative<Cast>(op)) return take_cast(o[0], o[1]);
    if (std::holds_alternative<TileAdd>(op)) return take_sum(o[0], o[1], o[2]);
    if (const auto* product = std::get_if<Matmul>(&op)) return take_product(*product, o);
    return false;
  }

  bool take_copy(graph::ActionId id) {
    const graph::Action& copy = graph_.actions[id];
    if (copy.adds) return false;
    for (const graph::CopyRegion& region : graph::copy_regions(graph_, id)) {
      if (region.dst.empty()) continue;
      if (!same_kept_sizes(region.src, region.dst)) return false;
      if (!take_piece(copy, region)) return false;
    }
    return true;
  }

  // A block may contain the sums of several products, each in its own rows, so the copy is split by
  // region.
  bool take_piece(const graph::Action& copy, const graph::CopyRegion& moved) {
    const auto found = regions_.find(copy.from().memory);
    std::int64_t elements = 0;
    std::vector<Box> parts;
    if (found != regions_.end())
      for (const Region& region : found->second)
        if (intersects(region.box, moved.src)) {
          parts.push_back(intersection(region.box, moved.src));
          parts.back().dropped = moved.src.dropped;
          elements += parts.back().elements();
        }
    // Overlapping regions are not split: the latest region is valid.
    if (elements != moved.src.elements()) parts = {moved.src};
    for (const Box& part : parts)
      if (!take_cast(operand_of(graph_, copy.to().memory, counterpart(part, moved.src, moved.dst)),
                     operand_of(graph_, copy.from().memory, part)))
        return false;
    return true;
  }

  // Copies between rectangles, with rounding to the target's type.
  bool take_cast(const CallOperand& to, const CallOperand& from) {
    if (from.is_number()) return is_zero(from) && put(to, Zero{});
    const std::optional<Held> held = held_by(from);
    return held && put(to, *held);
  }
  static bool is_zero(const CallOperand& number) {
    return number.kind == OperandKind::number && number.bits == 0;
  }

  // Adds loaded elements to a sum.
  bool take_sum(const CallOperand& to, const CallOperand& a, const CallOperand& b) {
    if (a.is_number() || b.is_number() || a.box.elements() != to.box.elements() ||
        b.box.elements() != to.box.elements())
      return false;
    std::optional<Held> x = held_by(a), y = held_by(b);
    if (!x || !y) return false;
    if (!std::holds_alternative<Sum>(*x)) std::swap(x, y);
    const auto* sum = std::get_if<Sum>(&*x);
    const auto* loaded = std::get_if<Loaded>(&*y);
    if (sum == nullptr || loaded == nullptr) return false;
    Growing with = growing_[sum->number];
    if (with.existing || loaded->box.elements() != to.box.elements()) return false;
    if (!narrow(with.left, *sum, to)) return false;
    with.existing = *loaded;
    growing_.push_back(with);
    return put(to, Sum{growing_.size() - 1, to.box});
  }

  // True if a part of the accumulator has all rows of the accumulator or all rows of the left
  // operand, and not more columns than the accumulator.
  bool narrow(Loaded& left, const Sum& sum, const CallOperand& part) const {
    const std::int64_t rows = size_of(part.box, 0);
    if (size_of(part.box, 1) > size_of(sum.acc, 1)) return false;
    if (rows == size_of(sum.acc, 0)) return true;
    return rows == size_of(left.box, 0);
  }

  bool take_product(const Matmul& op, const std::vector<CallOperand>& o) {
    if (op.transpose_a != 0) return false;
    for (const CallOperand& operand : o)
      if (operand.view.rank != 2) return false;
    if (is_integer(o[1].dtype) || o[0].dtype != DType::f32) return false;
    std::optional<Held> a = held_by(o[1]), b = held_by(o[2]), acc = held_by(o[0]);
    if (!a || !b || !acc || !std::holds_alternative<Loaded>(*a) ||
        !std::holds_alternative<Loaded>(*b))
      return false;
    const Loaded &left = std::get<Loaded>(*a), &right = std::get<Loaded>(*b);
    const int along_right = op.transpose_b != 0 ? 1 : 0;
    // An operand may be smaller than the accumulator: elements beyond its end are zero and add
    // nothing.
    if (size_of(left.box, 0) > o[0].view.size[0] ||
        size_of(right.box, 1 - along_right) > o[0].view.size[1] ||
        size_of(left.box, 1) != size_of(right.box, along_right))
      return false;
    if (const auto* sum = std::get_if<Sum>(&*acc)) {
      Growing& grown = growing_[sum->number];
      if (!same_rectangle(sum->acc, o[0].box) || grown.transpose_right != (op.transpose_b != 0) ||
          !goes_on(grown.left, left, 1) || !goes_on(grown.right, right, along_right))
        return false;
      grown.left.box.size[Box::at(matrix_dim(left.box, 1))] += size_of(left.box, 1);
      grown.right.box.size[Box::at(matrix_dim(right.box, along_right))] +=
          size_of(right.box, along_right);
      return true;
    }
    Growing begun{left, right, {}, op.transpose_b != 0};
    if (const auto* before = std::get_if<Loaded>(&*acc)) begun.existing = *before;
    growing_.push_back(begun);
    return put(o[0], Sum{growing_.size() - 1, o[0].box});
  }

  // Content of a rectangle: the last content put there if the memory is private, else the memory
  // itself. nullopt if the content is not known.
  std::optional<Held> held_by(const CallOperand& operand) const {
    if (!private_[operand.memory]) return Loaded{operand.memory, operand.box};
    const auto found = regions_.find(operand.memory);
    if (found == regions_.end()) return std::nullopt;
    for (std::size_t i = found->second.size(); i-- > 0;) {
      const Region& region = found->second[i];
      if (!intersects(region.box, operand.box)) continue;
      const auto* loaded = std::get_if<Loaded>(&region.held);
      if (contains(region.box, operand.box)) {
        // A part of a sum must start at the sum's origin: only zeros beyond the operands may be cut
        // off.
        if (std::holds_alternative<Sum>(region.held) && !begins_alike(operand.box, region.box))
          return std::nullopt;
        if (loaded == nullptr || same_rectangle(region.box, operand.box)) return region.held;
        return Loaded{loaded->memory, counterpart(operand.box, region.box, loaded->box)};
      }
      // The rest of the operand may be zeros from the region before.
      const Box part = intersection(region.box, operand.box);
      if (loaded != nullptr && i > 0 && std::holds_alternative<Zero>(found->second[i - 1].held) &&
          contains(found->second[i - 1].box, operand.box) && begins_alike(operand.box, part))
        return Loaded{loaded->memory, counterpart(part, region.box, loaded->box)};
      return std::nullopt;
    }
    return std::nullopt;
  }
  static bool begins_alike(const Box& a, const Box& b) {
    return std::equal(a.start.begin(), a.start.begin() + a.rank, b.start.begin());
  }

  bool put(const CallOperand& to, const Held& held) {
    if (private_[to.memory]) {
      std::vector<Region>& all = regions_[to.memory];
      std::erase_if(all, [&](const Region& region) { return contains(to.box, region.box); });
      all.push_back({to.box, held});
      return true;
    }
    if (std::holds_alternative<Zero>(held)) {  // sum without terms
      TileProduct product;
      if (!flat({to.memory, to.box}, product.result)) return false;
      product.left.rows = product.result.rows;
      products_.push_back(product);
      return true;
    }
    const auto* sum = std::get_if<Sum>(&held);
    return sum != nullptr && store(to, *sum);
  }

  bool store(const CallOperand& to, const Sum& sum) {
    const Growing& grown = growing_[sum.number];
    Loaded left = grown.left;
    if (!narrow(left, sum, to)) return false;
    TileProduct product{.transpose_right = grown.transpose_right};
    if (!flat(grown.left, product.left) || !flat(grown.right, product.right) ||
        !flat({to.memory, to.box}, product.result))
      return false;
    const FlatRectangle& right = product.right;
    const std::int64_t columns = product.transpose_right ? right.rows : right.columns;
    if (product.result.rows != product.left.rows || product.result.columns != columns) return false;
    if (grown.existing) {
      product.existing.emplace();
      if (!flat(*grown.existing, *product.existing) ||
          product.existing->rows < product.result.rows ||
          product.existing->columns < product.result.columns)
        return false;
    }
    products_.push_back(product);
    return true;
  }

  bool flat(const Loaded& of, FlatRectangle& to) const {
    const Buffer& buffer = graph_.program.buffers[graph_.memories[of.memory].buffer];
    const int rank = of.box.rank;
    if (!buffer.order.empty() || rank < 2) return false;
    to.memory = of.memory;
    for (int d = 0; d + 1 < rank; ++d) {
      if (d + 2 < rank && of.box.size[Box::at(d)] != 1) return false;
      to.row = to.row * buffer.shape[Box::at(d)] + of.box.start[Box::at(d)];
    }
    to.column = of.box.start[Box::at(rank - 1)];
    to.rows = of.box.size[Box::at(rank - 2)];
    to.columns = of.box.size[Box::at(rank - 1)];
    return true;
  }

  const graph::TaskGraph& graph_;
  const Table<MemoryId, bool>& private_;
  std::map<MemoryId, std::vector<Region>> regions_;
  std::vector<Growing> growing_;
  std::vector<TileProduct> products_;
};

}  // namespace

std::optional<std::vector<TileProduct>> tile_products(const graph::TaskGraph& graph,
                                                      const Table<MemoryId, bool>& is_private,
                                                      const std::vector<graph::ActionId>& subtask) {
  return Reader(graph, is_private).read(subtask);
}

}  // namespace tessera::cuda
