// The tiles of a CTA, one per turn. In a cluster of two, both CTAs follow the steps of both
// tiles together. They fill and free the same ring slot at the same time, also at steps of only one
// tile: shared operands are then fetched once.
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

// A tile and its steps. `there` is false if a pair extends beyond the grid.
template <class P>
struct Taken {
  bool there = false;
  typename P::Tile tile;
  Rows rows{0, 0};
  i64 begin = 0, end = 0;
};

template <class C, class P>
struct Turn {
  Taken<P> mine, other;  // `other` stays empty without clusters
  i64 begin = 0, end = 0;
  // True if both take the same steps, with the same blocks of the operand that they may share.
  bool alike = false;
};

// The turns of a CTA, for one role.
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

  // The tile's step s; inactive if s is not a step of the tile.
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

// The steps of a turn, which all lanes of a warp follow together in order. If a step's scalars are
// read from memory, which takes as long as its products, each lane computes another step, and a
// shuffle distributes the step when it is needed. The neighbour's steps are only computed if they
// differ from the steps of this CTA.
template <class C, class P, Role role>
class TurnSteps {
  using Step = typename P::Step;

 public:
  TESSERA_DEVICE explicit TurnSteps(const Turns<C, P, role>& turns) : turns_(turns) {}

  // Starts with the steps of the current turn.
  TESSERA_DEVICE void begin() {
    turn_ = turns_.now();
    first_ = static_cast<u32>(turn_.begin) - 32;
    if (P::steps_read_memory && turn_.begin < turn_.end) reach(turn_.begin);
  }
  TESSERA_DEVICE const Turn<C, P>& turn() const { return turn_; }

  TESSERA_DEVICE Step mine(i64 s) { return step(turn_.mine, mine_, s); }
  TESSERA_DEVICE Step other(i64 s) { return step(turn_.other, other_, s); }
  // Depth along the contraction that this CTA's tile uses of the step; 0: none.
  TESSERA_DEVICE int depth(i64 s) { return depth(turn_.mine, mine_, s); }
  // True if a CTA of the cluster multiplies at the step, which then takes a slot. own: this
  // CTA's depth.
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
  // Lane with the step's scalars; loads the next 32 steps if none has them.
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
  u32 first_ = 0;  // first step that the lanes have
  Step mine_{}, other_{};
};

}  // namespace tessera::cuda
