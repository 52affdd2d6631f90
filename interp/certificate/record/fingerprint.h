// Numbers that tell programs and courses of events apart.
#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "interp/certificate/record/record.h"

namespace tessera {

std::uint64_t text_hash(const std::string& text);
std::uint64_t bytes_hash(std::span<const std::byte> bytes);
// The same whatever schedule the run had: agents by name, each with its own events in order.
// 0 when the record is over its budget.
std::uint64_t protocol_hash(const Record& record);

}  // namespace tessera
