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
        turn.begin = least(turn.begin, turn.other.begin);
        turn.end = most(turn.end, turn.other.end);
      }
    }
    return turn;
  }

  TESSERA_DEVICE typename P::Step step(const Taken<P>& of, i64 s) const {
    if constexpr (C::cluster == 1) {
      return P::step(p, arrays, of.tile, s);
    } else {
      if (of.there && s >= of.begin && s < of.end) return P::step(p, arrays, of.tile, s);
      typename P::Step none{};
      return none;
    }
  }
  // Somebody of the cluster multiplies at that step: it takes a slot.
  TESSERA_DEVICE bool takes_slot(const Turn<C, P>& turn, const typename P::Step& mine,
                                 i64 s) const {
    if constexpr (C::cluster == 1) {
      return mine.active;
    } else {
      return mine.active || step(turn.other, s).active;
    }
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

}  // namespace tessera::cuda
