#include "devices/cuda/lower/config_code.h"

#include <fmt/format.h>

namespace tessera::cuda {

void write_config(SourceTemplate& source, const TileConfig& config, bool exact_rows) {
  const auto set = [&](std::string_view hole, const auto& value) {
    source.set(hole, fmt::format("{}", value));
  };
  set("m", config.m);
  set("n", config.n);
  set("k", config.k);
  set("stages", config.stages);
  set("consumers", config.consumers);
  set("m_pieces", config.m_pieces);
  set("threads", config.threads());

  const MachineHints& hints = config.hints;
  set("band", hints.band);
  set("cluster", config.cluster());
  set("pair", name(hints.pairing));
  set("share_left", hints.pairing == Pairing::columns);
  set("share_right", hints.pairing == Pairing::rows);
  set("alternate", hints.alternate);
  set("dynamic", hints.dynamic);
  set("left_evict", name(config.swapped ? hints.right : hints.left));
  set("right_evict", name(config.swapped ? hints.left : hints.right));
  set("producer_registers", config.registers().producer);
  set("consumer_registers", config.registers().consumer);

  set("operand_bytes", config.operand_bytes());
  set("swapped", config.swapped);
  set("ragged_k", config.ragged_k);
  set("exact_rows", exact_rows);
  const auto operand = [&](std::string_view side, const OperandConfig& o) {
    set(fmt::format("{}_k_major", side), o.operand->k_major);
    set(fmt::format("{}_rank", side), o.rank());
    set(fmt::format("{}_row_dim", side), o.position(o.operand->row_dim));
    set(fmt::format("{}_k_dim", side), o.position(o.operand->k_dim));
  };
  operand("left", config.left);
  operand("right", config.right);
  set("result_rank", config.result_dims.size());
  set("result_bytes", size_of(config.result));
  set("result", name(config.result));
}

}  // namespace tessera::cuda
