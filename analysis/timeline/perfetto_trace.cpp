#include "analysis/timeline/perfetto_trace.h"

#include <fmt/format.h>

#include <array>
#include <bit>

namespace tessera {
namespace {

// Field numbers of Perfetto's messages.
namespace field {
constexpr int trace_packet = 1;
constexpr int packet_timestamp = 8, packet_sequence = 10, packet_event = 11, packet_interned = 12,
              packet_flags = 13, packet_descriptor = 60;
constexpr int descriptor_uuid = 1, descriptor_name = 2, descriptor_parent = 5,
              descriptor_counter = 8, descriptor_ordering = 11, descriptor_rank = 12;
constexpr int counter_unit_name = 6;
constexpr int event_arguments = 4, event_type = 9, event_name = 10, event_track = 11,
              event_category = 22, event_source = 34, event_value = 44, event_flows = 47,
              event_last_flows = 48;
constexpr int interned_names = 2, interned_arguments = 3, interned_sources = 4;
constexpr int interned_iid = 1, interned_name = 2;
constexpr int source_file = 2, source_line = 4;
constexpr int argument_name = 1, argument_int = 4, argument_double = 5, argument_string = 6;
}  // namespace field

constexpr std::uint64_t slice_begin = 1, slice_end = 2, counter_value = 4;  // event types
constexpr std::uint64_t explicit_order = 3;                  // order of a track's children
constexpr std::uint64_t state_cleared = 1, needs_state = 2;  // packet flags
constexpr std::uint64_t sequence = 1;
constexpr std::size_t flush_at = 1 << 16;

void put_varint(std::string& out, std::uint64_t value) {
  for (; value >= 0x80; value >>= 7) out += static_cast<char>((value & 0x7F) | 0x80);
  out += static_cast<char>(value);
}

void put(std::string& out, int number, std::uint64_t value) {
  put_varint(out, static_cast<std::uint64_t>(number) << 3);
  put_varint(out, value);
}

void put_fixed(std::string& out, int number, std::uint64_t value) {
  put_varint(out, static_cast<std::uint64_t>(number) << 3 | 1);
  for (int byte = 0; byte < 8; ++byte) out += static_cast<char>(value >> (8 * byte) & 0xFF);
}

void put(std::string& out, int number, double value) {
  put_fixed(out, number, std::bit_cast<std::uint64_t>(value));
}

void put(std::string& out, int number, std::string_view bytes) {
  put_varint(out, static_cast<std::uint64_t>(number) << 3 | 2);
  put_varint(out, bytes.size());
  out += bytes;
}

void put_value(std::string& out, const std::variant<std::int64_t, double, std::string>& value) {
  if (const auto* integer = std::get_if<std::int64_t>(&value))
    put(out, field::argument_int, static_cast<std::uint64_t>(*integer));
  else if (const auto* real = std::get_if<double>(&value))
    put(out, field::argument_double, *real);
  else
    put(out, field::argument_string, std::string_view(std::get<std::string>(value)));
}

std::string event_of(std::uint64_t type, std::uint64_t track) {
  std::string result;
  put(result, field::event_type, type);
  put(result, field::event_track, track);
  return result;
}

}  // namespace

std::string_view name(TraceFile::Kind kind) {
  static constexpr std::array<std::string_view, 6> names = {"work", "wait",   "signal",
                                                            "copy", "region", "finding"};
  return names[static_cast<std::size_t>(kind)];
}

PerfettoTrace::PerfettoTrace(std::function<void(std::string_view)> sink) : sink_(std::move(sink)) {}
PerfettoTrace::~PerfettoTrace() = default;

void PerfettoTrace::packet(std::string_view fields) {
  std::string all(fields);
  put(all, field::packet_sequence, sequence);
  put(all, field::packet_flags, is_first_ ? state_cleared | needs_state : needs_state);
  is_first_ = false;
  put(buffer_, field::trace_packet, std::string_view(all));
  if (buffer_.size() >= flush_at) flush();
}

void PerfettoTrace::finish() { flush(); }

void PerfettoTrace::finding(const Finding& finding) {
  findings_.push_back(
      fmt::format("{}: {}", name(finding.kind), message_text(finding, finding.message)));
}

void PerfettoTrace::flush() {
  sink_(buffer_);
  buffer_.clear();
}

PerfettoTrace::Track PerfettoTrace::described(Track group, std::string_view name, int rank,
                                              std::string_view fields) {
  const Track track = ++tracks_;
  std::string descriptor(fields), packed;
  put(descriptor, field::descriptor_uuid, track);
  put(descriptor, field::descriptor_name, name);
  if (group != 0) put(descriptor, field::descriptor_parent, group);
  put(descriptor, field::descriptor_rank, static_cast<std::uint64_t>(rank));
  put(packed, field::packet_descriptor, std::string_view(descriptor));
  packet(packed);
  return track;
}

PerfettoTrace::Track PerfettoTrace::group(std::string_view name) {
  std::string fields;
  put(fields, field::descriptor_ordering, explicit_order);
  return described(0, name, groups_++, fields);
}

PerfettoTrace::Track PerfettoTrace::track(Track group, std::string_view name, int rank) {
  return described(group, name, rank, {});
}

PerfettoTrace::Track PerfettoTrace::counter(Track group, std::string_view name, int rank,
                                            std::string_view unit) {
  std::string counter, fields;
  put(counter, field::counter_unit_name, unit);
  put(fields, field::descriptor_counter, std::string_view(counter));
  return described(group, name, rank, fields);
}

// Each name is written once; later uses contain its number.
std::uint64_t PerfettoTrace::known(Known& names, std::string_view name, int kind,
                                   std::string& fresh) {
  if (const auto found = names.find(name); found != names.end()) return found->second;
  const std::uint64_t number = names.emplace(name, names.size() + 1).first->second;
  std::string entry;
  put(entry, field::interned_iid, number);
  put(entry, field::interned_name, name);
  put(fresh, kind, std::string_view(entry));
  return number;
}

void PerfettoTrace::event(std::int64_t at, std::string_view event, std::string_view fresh) {
  std::string fields;
  put(fields, field::packet_timestamp, static_cast<std::uint64_t>(at));
  if (!fresh.empty()) put(fields, field::packet_interned, fresh);
  put(fields, field::packet_event, event);
  packet(fields);
}

void PerfettoTrace::begin(Track track, std::int64_t at, const Slice& slice) {
  std::string fields = event_of(slice_begin, track), fresh;
  put(fields, field::event_name, known(event_names_, slice.name, field::interned_names, fresh));
  put(fields, field::event_category, name(slice.kind));
  if (slice.loc) {
    const auto [source, is_new] =
        sources_.try_emplace({slice.loc.source->name, slice.loc.line}, sources_.size() + 1);
    if (is_new) {
      std::string entry;
      put(entry, field::interned_iid, source->second);
      put(entry, field::source_file, std::string_view(slice.loc.source->name));
      put(entry, field::source_line, static_cast<std::uint64_t>(slice.loc.line));
      put(fresh, field::interned_sources, std::string_view(entry));
    }
    put(fields, field::event_source, source->second);
  }
  const auto put_argument = [&](const Argument& argument) {
    std::string entry;
    put(entry, field::argument_name,
        known(argument_names_, argument.name, field::interned_arguments, fresh));
    put_value(entry, argument.value);
    put(fields, field::event_arguments, std::string_view(entry));
  };
  for (const Argument& argument : slice.arguments) put_argument(argument);
  for (const int finding : slice.findings)
    put_argument({"finding", findings_.at(static_cast<std::size_t>(finding))});
  for (const Flow flow : slice.from) put_fixed(fields, field::event_flows, flow);
  for (const Flow flow : slice.to) put_fixed(fields, field::event_last_flows, flow);
  event(at, fields, fresh);
}

void PerfettoTrace::end(Track track, std::int64_t at) { event(at, event_of(slice_end, track)); }

void PerfettoTrace::count(Track counter, std::int64_t at, double value) {
  std::string fields = event_of(counter_value, counter);
  put(fields, field::event_value, value);
  event(at, fields);
}

}  // namespace tessera
