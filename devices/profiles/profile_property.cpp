#include "devices/profiles/profile_property.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>
#include <variant>

namespace tessera {
namespace {

using Machine = MachineProfile;
using Rates = MachineRates;
using Member = std::variant<std::int64_t Machine::*, double Machine::*, bool Machine::*,
                            Tiling Profile::*, double Rates::*>;

struct Property {
  std::string_view name;
  Member member;
};

const Property properties[] = {
    {"vmem", &Machine::vmem_bytes},
    {"scoped_vmem", &Machine::scoped_vmem},
    {"smem", &Machine::smem_bytes},
    {"hbm", &Machine::hbm_bytes},
    {"semaphores", &Machine::semaphores},
    {"barrier_ids", &Machine::barrier_ids},
    {"dma_granule", &Machine::dma_granule},
    {"lanes", &Machine::lanes},
    {"sublanes", &Machine::sublanes},
    {"matrix_unit", &Machine::matrix_unit},
    {"remote_vmem", &Machine::remote_vmem},
    {"remote_smem", &Machine::remote_smem},
    {"power_of_two_routes", &Machine::power_of_two_routes},
    {"block_write_backs", &Machine::block_write_backs},
    {"shares_scoped_semaphores", &Machine::shares_scoped_semaphores},
    {"matmul_flops", &Machine::matmul_flops},
    {"hbm_bandwidth", &Machine::hbm_bandwidth},
    {"link_bandwidth", &Machine::link_bandwidth},
    {"one_port", &Machine::one_port},
    {"tiling", &Profile::tiling},
    {"i8_speed", &Rates::i8_speed},
    {"fp8_speed", &Rates::fp8_speed},
    {"f32_speed", &Rates::f32_speed},
    {"vmem_bandwidth", &Rates::vmem_bandwidth},
    {"copy_latency", &Rates::copy_latency},
    {"link_latency", &Rates::link_latency},
    {"op_overhead", &Rates::op_overhead},
};

const Capacity all_capacities[] = {
    {"vmem", "vmem", "bytes of vmem of a core (64 MiB), instead of the profile's"},
    {"smem", "smem", "bytes of smem of a core, instead of the profile's"},
    {"hbm", "hbm", "bytes of hbm of a device, instead of the profile's"},
    {"semaphores", "semaphores", "semaphores of a core, instead of the profile's"},
    {"barrier_ids", "barrier-ids", "ids of barriers, instead of the profile's"},
};

template <typename T>
std::optional<T> number(std::string_view text) {
  T value{};
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end || !(value >= 0)) return std::nullopt;
  return value;
}

std::optional<std::int64_t> unit(std::string_view text) {
  static constexpr std::pair<std::string_view, std::int64_t> units[] = {
      {"", 1},
      {"B", 1},
      {"KiB", 1LL << 10},
      {"MiB", 1LL << 20},
      {"GiB", 1LL << 30},
      {"KB", 1000},
      {"MB", 1'000'000},
      {"GB", 1'000'000'000},
  };
  for (const auto& [name, bytes] : units) {
    if (name == text) return bytes;
  }
  return std::nullopt;
}

std::string set(Profile& profile, const Member& member, std::string_view text,
                std::string_view unit_text) {
  if (const auto* field = std::get_if<std::int64_t Machine::*>(&member)) {
    const auto count = number<std::int64_t>(text);
    const auto factor = unit(unit_text);
    if (!count || !factor || *count > INT64_MAX / *factor)
      return "a number, or one of bytes as in 128 MiB";
    profile.machine.*(*field) = *count * *factor;
    return "";
  }
  if (!unit_text.empty()) return "one value";
  const auto* const peak = std::get_if<double Machine::*>(&member);
  const auto* const rate = std::get_if<double Rates::*>(&member);
  if (peak || rate) {
    const auto value = number<double>(text);
    if (!value) return "a number, as in 8.2e11";
    (peak ? profile.machine.*(*peak) : profile.rates.*(*rate)) = *value;
  } else if (const auto* flag = std::get_if<bool Machine::*>(&member)) {
    if (text != "yes" && text != "no") return "yes or no";
    profile.machine.*(*flag) = text == "yes";
  } else {
    const std::size_t first = text.find(','),
                      second = text.find(',', std::min(first, text.size() - 1) + 1);
    if (first == text.npos || second == text.npos) return "three numbers, as in 128,128,128";
    const auto m = number<std::int64_t>(text.substr(0, first));
    const auto k = number<std::int64_t>(text.substr(first + 1, second - first - 1));
    const auto n = number<std::int64_t>(text.substr(second + 1));
    if (!m || !k || !n || *m == 0 || *k == 0 || *n == 0) return "three numbers, as in 128,128,128";
    profile.tiling = {*m, *k, *n};
  }
  return "";
}

}  // namespace

std::span<const Capacity> capacities() { return all_capacities; }

std::vector<PropertyValue> promised_properties(const MachineProfile& machine) {
  std::vector<PropertyValue> values;
  for (const Property& property : properties) {
    if (const auto* count = std::get_if<std::int64_t Machine::*>(&property.member))
      values.push_back({property.name, machine.*(*count)});
    else if (const auto* flag = std::get_if<bool Machine::*>(&property.member))
      values.push_back({property.name, machine.*(*flag)});
  }
  return values;
}

std::vector<AssumedRate> assumed_rates(const Profile& profile) {
  std::vector<AssumedRate> rates;
  for (const Property& property : properties) {
    if (const auto* peak = std::get_if<double Machine::*>(&property.member))
      rates.push_back({property.name, profile.machine.*(*peak)});
    else if (const auto* rate = std::get_if<double Rates::*>(&property.member))
      rates.push_back({property.name, profile.rates.*(*rate)});
  }
  return rates;
}

PropertySet set_property(Profile& profile, std::string_view name, std::string_view value,
                         std::string_view unit) {
  for (const Property& property : properties) {
    if (property.name == name) return {true, set(profile, property.member, value, unit)};
  }
  return {false, ""};
}

}  // namespace tessera
