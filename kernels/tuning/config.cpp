#include "kernels/tuning/config.h"

#include <fmt/format.h>

#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/report/json_text.h"
#include "core/report/try.h"
#include "devices/devices.h"
#include "kernels/tuning/config_hints.h"

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;
using Config = GroupedMatmulConfig;

struct IntegerField {
  const char* name;
  std::int64_t& (*of)(Config&);

  std::int64_t value(const Config& config) const { return of(const_cast<Config&>(config)); }
};

constexpr IntegerField integer_fields[] = {
    {"block_m", [](Config& c) -> std::int64_t& { return c.kernel.tiling.m; }},
    {"block_n", [](Config& c) -> std::int64_t& { return c.kernel.tiling.n; }},
    {"block_k", [](Config& c) -> std::int64_t& { return c.kernel.tiling.k; }},
    {"num_warps", [](Config& c) -> std::int64_t& { return c.num_warps; }},
    {"num_stages", [](Config& c) -> std::int64_t& { return c.kernel.buffers; }}};

constexpr const char* all_fields =
    "platform, backend, block_m, block_n, block_k, num_warps, num_stages, "
    "bypass_xla_tiling, align, hints";

bool is_integer(const Json& value) {
  return value.is_number_integer() &&
         !(value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX);
}

Diag wrong(const std::string& field, const char* wanted, const Json& found) {
  return error(
      fmt::format("config field {} requires {}, got {}", field, wanted, shown_json(found)));
}

Support hints_on(Platform platform, const MachineHints& hints) {
  const Expected<const Device*> device = find_device(name(platform));
  if (device) return (*device)->takes_hints(hints);
  return {false, fmt::format("hints ({}) are for kernels of a device, and this is {}",
                             hints_text(hints), name(platform))};
}

Expected<void> set(Config& config, const std::string& field, const Json& value) {
  if (field == "platform" || field == "backend") {
    if (!value.is_string()) return wrong(field, "a name", value);
    const auto text = value.get<std::string>();
    if (field == "platform") {
      config.platform = TRY(parse_platform(text));
    } else {
      config.backend = TRY(parse_backend(text));
    }
    return {};
  }
  if (field == "bypass_xla_tiling") {
    if (!value.is_boolean()) return wrong(field, "true or false", value);
    config.bypass_xla_tiling = value.get<bool>();
    return {};
  }
  if (field == "align") {
    if (!is_integer(value)) return wrong(field, "an integer", value);
    config.kernel.align = value.get<std::int64_t>();
    return {};
  }
  if (field == "hints") {
    config.kernel.hints = TRY(parse_hints(value));
    return {};
  }
  for (const IntegerField& known : integer_fields) {
    if (field != known.name) continue;
    if (!is_integer(value)) return wrong(field, "an integer", value);
    known.of(config) = value.get<std::int64_t>();
    return {};
  }
  return error(
      fmt::format("a config has no field {}; its fields are {}", shown_text(field), all_fields));
}

}  // namespace

std::string to_json(const GroupedMatmulConfig& config) {
  Json object = {{"platform", name(config.platform)}, {"backend", name(config.backend)}};
  for (const IntegerField& field : integer_fields) object[field.name] = field.value(config);
  object["bypass_xla_tiling"] = config.bypass_xla_tiling;
  if (config.kernel.align) object["align"] = *config.kernel.align;
  if (!(config.kernel.hints == MachineHints{})) object["hints"] = to_json(config.kernel.hints);
  return object.dump();
}

Expected<GroupedMatmulConfig> parse_config(std::string_view json) {
  const Expected<Json> object = parse_json(json, "a config is a JSON object", "config field");
  if (!object) return object.diags();
  if (!object->is_object())
    return error(fmt::format("a config is a JSON object, got {}", object->type_name()));
  Config config;
  Diags diags;
  for (const auto& [field, value] : object->items()) collect(diags, set(config, field, value));
  if (!diags.empty()) return diags;
  TRY(check_config(config));
  return config;
}

Expected<void> from_json(std::string_view json, GroupedMatmulConfig& config) {
  config = TRY(parse_config(json));
  return {};
}

Expected<void> check_config(const GroupedMatmulConfig& config) {
  Diags diags;
  for (const IntegerField& field : integer_fields) {
    if (field.value(config) >= 1) continue;
    diags.push_back(error(fmt::format("config field {} must be at least 1, got {}", field.name,
                                      field.value(config))));
  }
  if (config.kernel.align && *config.kernel.align < 1)
    diags.push_back(
        error(fmt::format("config field align must be at least 1, got {}", *config.kernel.align)));
  if (config.num_warps >= 1 && !std::has_single_bit(static_cast<std::uint64_t>(config.num_warps)))
    diags.push_back(error(
        fmt::format("config field num_warps must be a power of two, got {}", config.num_warps)));
  if (!diags.empty()) return diags;
  return {};
}

Expected<void> check_platform(const GroupedMatmulConfig& config, Platform platform) {
  Diags diags;
  const auto refuse = [&](std::string text) {
    diags.push_back(error(ErrorCode::unsupported, std::move(text)));
  };
  if (config.num_warps != Config{}.num_warps) {
    refuse(fmt::format(
        "num_warps = {} is not supported on {}: its kernels derive their warps from the "
        "tile",
        config.num_warps, name(platform)));
  }
  if (config.bypass_xla_tiling)
    refuse(fmt::format("bypass_xla_tiling is for platform xla, and this is {}", name(platform)));
  if (!(config.kernel.hints == MachineHints{})) {
    const Support can = hints_on(platform, config.kernel.hints);
    if (!can.ok) refuse(can.reason);
  }
  if (!diags.empty()) return diags;
  return {};
}

std::string describe(const GroupedMatmulConfig& config) {
  const Config plain;
  std::string text = fmt::format("{}x{}x{}", config.kernel.tiling.m, config.kernel.tiling.k,
                                 config.kernel.tiling.n);
  if (config.kernel.buffers != plain.kernel.buffers)
    text += fmt::format(", {} stages", config.kernel.buffers);
  if (const std::string hints = hints_text(config.kernel.hints); !hints.empty())
    text += ", " + hints;
  if (config.kernel.align) text += fmt::format(", align {}", *config.kernel.align);
  if (config.num_warps != plain.num_warps) text += fmt::format(", {} warps", config.num_warps);
  if (config.bypass_xla_tiling) text += ", bypassing XLA's tiling";
  if (config.platform != plain.platform) text += fmt::format(", {}", name(config.platform));
  if (config.backend != plain.backend) text += fmt::format(" on {}", name(config.backend));
  return text;
}

}  // namespace tessera
