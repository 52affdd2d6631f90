#include "interp/observe/event_words.h"

namespace tessera {
namespace {

// The first word: kind, object kind, rank, dropped dimensions and these, eight bits each.
enum Flag : unsigned { has_value = 1, from_assertion = 2, has_box = 4, has_count = 8 };

std::int64_t both(std::int32_t low, std::int32_t high) {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(static_cast<std::uint32_t>(high))
                                       << 32 |
                                   static_cast<std::uint32_t>(low));
}
std::int32_t low(std::int64_t word) { return static_cast<std::int32_t>(word); }
std::int32_t high(std::int64_t word) { return static_cast<std::int32_t>(word >> 32); }

bool is_counted(const Event& event) {
  return event.cell != 0 || event.amount != 0 || event.token != -1;
}

}  // namespace

void pack(std::vector<std::int64_t>& words, const Event& event) {
  const unsigned flags =
      (event.is_known ? has_value : 0U) | (event.from_assertion ? from_assertion : 0U) |
      (event.box != nullptr ? has_box : 0U) | (is_counted(event) ? has_count : 0U);
  const int rank = event.box != nullptr ? event.box->rank : 0;
  const unsigned dropped = event.box != nullptr ? event.box->dropped : 0;
  const unsigned first = static_cast<unsigned>(event.kind) |
                         static_cast<unsigned>(event.object_kind) << 8 |
                         static_cast<unsigned>(rank) << 16 | dropped << 24;
  const int core = static_cast<std::uint16_t>(event.agent.core) |
                   static_cast<std::int32_t>(event.agent.worker) * 65536;
  const std::int64_t fixed[] = {
      both(static_cast<std::int32_t>(first), static_cast<std::int32_t>(flags)),
      both(event.statement.index, event.core.index),
      both(event.object.index, core),
      event.agent.device,
      event.agent.dma,
      event.index,
      event.step,
      event.agent_step};
  words.insert(words.end(), std::begin(fixed), std::end(fixed));
  if ((flags & has_count) != 0) words.insert(words.end(), {event.cell, event.amount, event.token});
  if (event.box == nullptr) return;
  words.insert(words.end(), event.box->start.begin(), event.box->start.begin() + rank);
  words.insert(words.end(), event.box->size.begin(), event.box->size.begin() + rank);
}

std::span<const std::int64_t> unpack(std::span<const std::int64_t> words, UnpackedEvent& unpacked) {
  const std::int64_t* at = words.data();
  const auto first = static_cast<std::uint32_t>(low(at[0]));
  const auto flags = static_cast<unsigned>(high(at[0]));
  Event& event = unpacked.event;
  event = {};
  event.kind = static_cast<EventKind>(first & 0xFF);
  event.object_kind = static_cast<ObjectKind>(first >> 8 & 0xFF);
  event.is_known = (flags & has_value) != 0;
  event.from_assertion = (flags & from_assertion) != 0;
  event.statement = StmtId(low(at[1]));
  event.core = CoreIndex(high(at[1]));
  event.object.index = low(at[2]);
  event.agent = {static_cast<std::int32_t>(at[3]), static_cast<std::int16_t>(high(at[2]) & 0xFFFF),
                 static_cast<std::int16_t>(high(at[2]) >> 16), at[4]};
  event.index = at[5];
  event.step = at[6];
  event.agent_step = at[7];
  at += 8;
  if ((flags & has_count) != 0) {
    event.cell = at[0];
    event.amount = at[1];
    event.token = at[2];
    at += 3;
  }
  if ((flags & has_box) != 0) {
    Box& box = unpacked.box;
    box.rank = static_cast<std::int8_t>(first >> 16 & 0xFF);
    box.dropped = static_cast<std::uint8_t>(first >> 24);
    for (std::size_t d = 0; d < static_cast<std::size_t>(box.rank); ++d) {
      box.start[d] = at[d];
      box.size[d] = at[static_cast<std::size_t>(box.rank) + d];
    }
    event.box = &box;
    at += 2 * box.rank;
  }
  return words.subspan(static_cast<std::size_t>(at - words.data()));
}

}  // namespace tessera
