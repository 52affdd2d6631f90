// The tiles of a block, one a turn. In a cluster of two, both blocks walk the steps of both their
// tiles side by side, so that they fill and free the same slot of their rings at the same time,
// also at steps that only one of them takes: then what they have in common is fetched once.
#pragma once
#include "devices/cuda/templates/take.cuh"

namespace tessera::cuda {

// Rows [begin, end) of a tile.
struct Rows {
  int begin, end;
  TESSERA_BOTH bool operator==(const Rows& other) const {
    return begin == other.begin && end == other.end;
  }
};

// A tile, and the steps that it takes; there is none where a pair hangs over the grid's end.
template <class P>
struct Taken {
  bool there = false;
  typename P::Tile tile;
  Rows rows{0, 0};
  i64 begin = 0, end = 0;
};

template <class C, class P>
struct Turn {
  Taken<P> mine, other;  // the other's stays empty outside of clusters
  i64 begin = 0, end = 0;
  // Both take the same steps, of the same blocks of the operand that they may share.
  bool alike = false;
};

// The turns of a block, as one role walks them.
template <class C, class P, Role role>
struct Turns {
  const typename P::Args& p;
  const i64* arrays;
  TileGrid grid, pairs;
  Taking<C, role> taking;
  int count;

  TESSERA_DEVICE Turns(const typename P::Args& args, const i64* scalars, u32 memory)
      : p(args),
        arrays(scalars),
        grid(P::grid(args, scalars)),
        pairs(pairs_of(grid, C::pair)),
        taking(args.taken, memory),
        count(tile_count(grid) == 0 ? 0 : tile_count(pairs)) {}

  TESSERA_DEVICE bool done() const { return taking.next >= count; }
  TESSERA_DEVICE void advance() { taking.advance(); }

  TESSERA_DEVICE Turn<C, P> now() const {
    constexpr int band = C::pair == Pair::rows ? (C::band + 1) / 2 : C::band;
    const TilePoint at = tile_at(pairs, band, taking.next);
    Turn<C, P> turn;
    turn.mine = tile(member(at, C::pair, cluster_rank<C>()));
    turn.begin = turn.mine.begin;
    turn.end = turn.mine.end;
    if constexpr (C::cluster == 2) {
      turn.other = tile(member(at, C::pair, 1 - cluster_rank<C>()));
      if (!turn.mine.there) {
        turn.begin = turn.other.begin;
        turn.end = turn.other.end;
      } else if (turn.other.there) {
        turn.alike = turn.begin == turn.other.begin && turn.end == turn.other.end &&
                     P::alike(turn.mine.tile, turn.other.tile) &&
                     (!C::share_left || turn.mine.rows == turn.other.rows);
        turn.begin = least(turn.begin, turn.other.begin);
        turn.end = most(turn.end, turn.other.end);
      }
    }
    return turn;
  }

  // A tile takes none but its own.
  TESSERA_DEVICE typename P::Step step(const Taken<P>& of, i64 s) const {
    if (of.there && s >= of.begin && s < of.end) return P::step(p, arrays, of.tile, s);
    typename P::Step none{};
    return none;
  }

 private:
  TESSERA_DEVICE Taken<P> tile(const TilePoint& at) const {
    Taken<P> t;
    t.there = C::cluster == 1 || is_inside(grid, at);
    if (t.there) {
      t.tile = P::tile(p, arrays, at);
      t.rows = P::rows(p, t.tile);
      t.begin = P::step_begin(p, arrays, t.tile);
      t.end = P::step_end(p, arrays, t.tile);
    }
    return t;
  }
};

// The steps of a turn as a warp walks them, all of its lanes together, from the first to the last.
// Where a step's numbers are read from memory, which takes as long as its products, each lane
// computes another one's, and all have them by a shuffle when it is its turn. The neighbour's steps
// are followed only where they are others than this block's.
template <class C, class P, Role role>
class TurnSteps {
  using Step = typename P::Step;

 public:
  TESSERA_DEVICE explicit TurnSteps(const Turns<C, P, role>& turns) : turns_(turns) {}

  // From here on those of the turn that it is now.
  TESSERA_DEVICE void begin() {
    turn_ = turns_.now();
    first_ = static_cast<u32>(turn_.begin) - 32;
    if (P::steps_read_memory && turn_.begin < turn_.end) reach(turn_.begin);
  }
  TESSERA_DEVICE const Turn<C, P>& turn() const { return turn_; }

  TESSERA_DEVICE Step mine(i64 s) { return step(turn_.mine, mine_, s); }
  TESSERA_DEVICE Step other(i64 s) { return step(turn_.other, other_, s); }
  // How much of a block along the contraction this block's tile takes at that step; 0: nothing.
  TESSERA_DEVICE int depth(i64 s) { return depth(turn_.mine, mine_, s); }
  // Somebody of the cluster multiplies at that step, of which this block's depth is `own`: it takes
  // a slot.
  TESSERA_DEVICE bool takes_slot(int own, i64 s) {
    if constexpr (C::cluster == 2) {
      if (!turn_.alike) return (depth(turn_.other, other_, s) != 0) | (own != 0);
    }
    return own != 0;
  }

 private:
  TESSERA_DEVICE static int depth_of(const Step& step) { return step.active ? step.depth : 0; }
  TESSERA_DEVICE Step step(const Taken<P>& of, const Step& ahead, i64 s) {
    if constexpr (!P::steps_read_memory) return turns_.step(of, s);
    const int lane = reach(s);
    Step step;
    step.depth = ptx::from_lane(depth_of(ahead), lane);
    step.active = step.depth != 0;
    for (int d = 0; d < C::left_rank; ++d) step.left[d] = ptx::from_lane(ahead.left[d], lane);
    for (int d = 0; d < C::right_rank; ++d) step.right[d] = ptx::from_lane(ahead.right[d], lane);
    return step;
  }
  TESSERA_DEVICE int depth(const Taken<P>& of, const Step& ahead, i64 s) {
    if constexpr (!P::steps_read_memory) return depth_of(turns_.step(of, s));
    const int lane = reach(s);
    return ptx::from_lane(depth_of(ahead), lane);
  }
  // The lane that has the step's numbers.
  TESSERA_DEVICE int reach(i64 s) {
    if (static_cast<u32>(s) - first_ >= 32) {
      first_ = static_cast<u32>(s);
      const i64 own = s + ptx::thread() % 32;
      mine_ = turns_.step(turn_.mine, own);
      if (C::cluster == 2 && !turn_.alike) other_ = turns_.step(turn_.other, own);
    }
    return static_cast<int>(static_cast<u32>(s) - first_);
  }

  const Turns<C, P, role>& turns_;
  Turn<C, P> turn_{};
  u32 first_ = 0;  // of the steps that the lanes have
  Step mine_{}, other_{};
};

}  // namespace tessera::cuda
