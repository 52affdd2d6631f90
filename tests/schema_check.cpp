#include "tests/schema_check.h"

#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <valijson/adapters/nlohmann_json_adapter.hpp>
#include <valijson/schema.hpp>
#include <valijson/schema_parser.hpp>
#include <valijson/validation_results.hpp>
#include <valijson/validator.hpp>

#include "tests/source_dir.h"

namespace tessera::test {
namespace {

using Json = nlohmann::json;
using Adapter = valijson::adapters::NlohmannJsonAdapter;

// Commands without an entry are operations.
std::string path_of(const std::string& command, const Json& schema) {
  const bool has_entry = schema["definitions"]["command"].contains(command);
  return has_entry ? "#/definitions/command/" + command : "#/definitions/operation";
}

// Returns the schema for the output of a command or an error. "certificate": the schema of the file
// that verify --save writes.
const valijson::Schema& schema_of(const std::string& command) {
  static const Json whole = [] {
    std::ifstream in(source_dir() + "/docs/schema/gmm-run.json");
    return Json::parse(in);
  }();
  static std::map<std::string, std::unique_ptr<valijson::Schema>> known;
  std::unique_ptr<valijson::Schema>& schema = known[command];
  if (schema == nullptr) {
    Json one = {{"definitions", whole.at("definitions")}};
    if (command == "certificate")
      one["$ref"] = "#/definitions/certificate";
    else
      one["anyOf"] = {{{"$ref", "#/definitions/error"}}, {{"$ref", path_of(command, one)}}};
    schema = std::make_unique<valijson::Schema>();
    valijson::SchemaParser().populateSchema(Adapter(one), *schema);
  }
  return *schema;
}

}  // namespace

std::string schema_problem(const std::string& command, const std::string& text) {
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) return "this is no JSON: " + text.substr(0, 200);
  valijson::ValidationResults results;
  if (valijson::Validator().validate(schema_of(command), Adapter(json), &results)) return {};
  std::string problem;
  for (valijson::ValidationResults::Error error; results.popError(error);) {
    for (const std::string& step : error.context) problem += step;
    problem += ": " + error.description + "\n";
  }
  return problem;
}

std::string schema_check_is_missing() { return {}; }

}  // namespace tessera::test
