// list: lists the built-in kernels, the devices and the machine profiles.
#include <fmt/format.h>

#include <ostream>
#include <string>

#include "cli/command.h"
#include "cli/reports/support_report.h"
#include "devices/devices.h"
#include "devices/profiles/profile.h"
#include "devices/profiles/profile_property.h"
#include "kernels/programs/kernels.h"
#include "text/numbers.h"

namespace tessera::cli {
namespace {

std::string_view kind_name(ParameterInfo::Kind kind) {
  switch (kind) {
    case ParameterInfo::Kind::dtype:
      return "dtype";
    case ParameterInfo::Kind::problem:
      return "problem";
    case ParameterInfo::Kind::tuning:
      return "tuning";
  }
  return "problem";
}

Json to_json(const ParameterInfo& parameter) {
  Json row = {{"name", parameter.name}, {"kind", kind_name(parameter.kind)}};
  row["default"] = parameter.default_text.empty() ? Json() : Json(parameter.default_text);
  if (!parameter.choices.empty()) row["choices"] = parameter.choices;
  return row;
}

std::string text_of(const ParameterInfo& parameter) {
  if (!parameter.choices.empty()) {
    return fmt::format("{}: {}", parameter.name, fmt::join(parameter.choices, "|"));
  }
  return parameter.default_text.empty()
             ? parameter.name
             : fmt::format("{} = {}", parameter.name, parameter.default_text);
}

// Returns the first sentence of a kernel's comment; it also ends at a semicolon.
std::string first_sentence(const std::string& doc) {
  std::string sentence;
  for (std::size_t i = 0; i < doc.size(); ++i) {
    if (doc[i] == ';' || (doc[i] == '.' && (i + 1 == doc.size() || doc[i + 1] == '\n' ||
                                            (doc[i + 1] == ' ' && i + 2 < doc.size() &&
                                             doc[i + 2] >= 'A' && doc[i + 2] <= 'Z')))) {
      break;
    }
    sentence += doc[i] == '\n' ? ' ' : doc[i];
  }
  return sentence;
}

Expected<const KernelInfo*> info_of(const Kernel& kernel) {
  const Expected<const Module*> module = embedded_module(kernel.name);
  if (!module) return module.diags();
  if (const KernelInfo* info = (*module)->find(kernel.name)) return info;
  return error(
      fmt::format("the program {} has no kernel that has the program's name", kernel.name));
}

int run_support(Console& console) {
  const SupportTable table = support_table();
  if (console.prints_json()) print(console, {{"status", "ok"}, {"support", cli::to_json(table)}});
  if (console.prints_text()) console.out << support_page(table);
  return 0;
}

int run(const Arguments& arguments, Console& console) {
  if (arguments.has("support")) return run_support(console);
  Json object = {{"status", "ok"},
                 {"kernels", Json::array()},
                 {"devices", Json::array()},
                 {"profiles", Json::array()}};
  std::string text = "kernels\n";
  for (const Kernel& kernel : kernels()) {
    const Expected<const KernelInfo*> info = info_of(kernel);
    if (!info) return fail(console, info.diags());
    Json row = {{"name", kernel.name}, {"command", kernel.command}, {"doc", (*info)->doc}};
    row["parameters"] = Json::array();
    std::string parameters;
    for (const ParameterInfo& parameter : (*info)->parameters) {
      row["parameters"].push_back(to_json(parameter));
      parameters += (parameters.empty() ? "" : ", ") + text_of(parameter);
    }
    object["kernels"].push_back(row);
    text += fmt::format("  {:26}gmm-run {}{}\n", kernel.name, kernel.command,
                        kernel.command == "run" ? fmt::format(" {}", kernel.name) : "");
    text += fmt::format("    {}\n    {}\n", first_sentence((*info)->doc), parameters);
  }
  text += "devices\n";
  for (const Device* device : devices()) {
    const Support support = device->available();
    Json row = {{"name", device->name()}, {"available", support.ok}};
    row["reason"] = support.ok ? Json() : Json(support.reason);
    object["devices"].push_back(row);
    text += fmt::format("  {:18}{}\n", device->name(), support.ok ? "available" : support.reason);
  }
  text += "profiles\n";
  for (const Profile& profile : profiles()) {
    Json row = {{"name", profile.machine.name},
                {"vmem", profile.machine.vmem_bytes},
                {"tiling", to_string(profile.tiling)},
                {"power_of_two_routes", profile.machine.power_of_two_routes},
                {"rates", Json::object()}};
    std::string rates;
    for (const AssumedRate& rate : assumed_rates(profile)) {
      row["rates"][std::string(rate.name)] = rate.value;
      rates += fmt::format("{}{} {:.3g}", rates.empty() ? "" : ", ", rate.name, rate.value);
    }
    object["profiles"].push_back(row);
    text += fmt::format("  {:18}vmem {}, tiling {}{}\n", profile.machine.name,
                        human_bytes(profile.machine.vmem_bytes), to_string(profile.tiling),
                        profile.machine.power_of_two_routes
                            ? ", copies to devices whose number differs by a power of two"
                            : "");
    text += fmt::format("    times assume {}\n", rates);
  }
  if (console.prints_json()) print(console, object);
  if (console.prints_text()) console.out << text;
  return 0;
}

}  // namespace

Command list_command() {
  return {"list",
          "",
          "list the kernels, the devices and the machine profiles",
          "  gmm-run list\n  gmm-run list --support\n  gmm-run list --json\n",
          {{"support", "",
            "show which devices support each operation, option and type, and the reasons if they "
            "do not"}},
          run};
}

}  // namespace tessera::cli
