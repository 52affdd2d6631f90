#include "kernels/definitions/definitions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/lang/language.h"
#include "core/report/try.h"
#include "kernels/definitions/embedded.h"
#include "kernels/programs/kernels.h"

namespace tessera {

std::vector<std::string> defined_kernels() {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < embedded_definition_count; ++i)
    names.emplace_back(embedded_definitions[i].name);
  return names;
}

Expected<Program> make_definition(const Program& kernel, int places) {
  for (std::size_t i = 0; i < embedded_definition_count; ++i) {
    const EmbeddedText& definition = embedded_definitions[i];
    if (definition.name != kernel.name) continue;
    const Module module = TRY(parse(std::make_shared<const Source>(
        Source{fmt::format("<definition of {}>", kernel.name), definition.text})));
    Settings settings;
    for (const ParameterInfo& parameter : module.kernels.front().parameters) {
      if (parameter.name == "places") settings["places"] = std::to_string(places);
      for (const Setting& setting : kernel.settings)
        if (setting.name == parameter.name) settings[setting.name] = setting.value;
    }
    return instantiate(module, module.kernels.front().name, settings, TRY(function_library()),
                       InstantiateOptions{.devices = 1, .cores = 1});
  }
  return error(ErrorCode::unsupported,
               fmt::format("{} has no definition; those that have one are {}", kernel.name,
                           fmt::join(defined_kernels(), ", ")));
}

}  // namespace tessera
