#include "cli/reports/certificate_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "core/host/build_id.h"
#include "core/host/file.h"
#include "core/lang/line_map.h"
#include "core/report/try.h"
#include "devices/profiles/profile_property.h"
#include "interp/observe/content_hash.h"
#include "interp/run_identity.h"

namespace tessera::cli {
namespace {

constexpr std::string_view what_it_is = "tessera certificate";

std::string hash_text(std::uint64_t hash) { return fmt::format("{:016x}", hash); }

// Assumptions of the certificate, which it does not prove.
Json assumptions(const Certificate& c) {
  Json list = Json::array();
  list.push_back("control inputs are those whose hashes stand here");
  if (c.basis.has_automatic_barrier)
    list.push_back(
        "a barrier of all cores, added at the start, as the program has none of its own");
  if (c.basis.orders_parallel_loops)
    list.push_back("the points of parallel loops come in the order of the recorded run");
  if (!c.order.empty())
    list.push_back("additions in no fixed order decide nothing but the last bits of sums");
  return list;
}

Json conditions_json(const Certificate& c) {
  Json list = Json::array();
  for (const BrokenCondition& broken : c.basis.broken)
    list.push_back({{"condition", name(broken.condition)},
                    {"line", broken.loc.line},
                    {"message", broken.message}});
  return list;
}

// Checks that an object has members with the expected types, and collects the errors.
class Shape {
 public:
  explicit Shape(const Json& root) : root_(root) {}

  template <typename T>
  void wants(std::initializer_list<std::string_view> path, std::string_view kind) {
    const Json* at = &root_;
    std::string name;
    for (const std::string_view step : path) {
      name += name.empty() ? std::string(step) : fmt::format(".{}", step);
      at = at->find(step);
      if (at == nullptr) return complain(fmt::format("there is no `{}`", name));
    }
    if (!std::holds_alternative<T>(at->value()))
      complain(fmt::format("`{}` is {}, expected {}", name, at->text(), kind));
  }
  void complain(std::string message) { diags_.push_back(error(std::move(message))); }
  Diags take() { return std::move(diags_); }

 private:
  const Json& root_;
  Diags diags_;
};

}  // namespace

std::vector<std::string> kept_words(const std::vector<std::string>& given) {
  std::vector<std::string> words;
  for (std::size_t i = 1; i < given.size(); ++i) {
    if (given[i] == "--save" || given[i] == "--save-schedule") {
      ++i;
    } else if (given[i] != "--json" && given[i] != "--all" && !given[i].starts_with("--save=") &&
               !given[i].starts_with("--save-schedule=")) {
      words.push_back(given[i]);
    }
  }
  return words;
}

Json promises_json(const RunOptions& options, CopyGranularity granularity) {
  Json profile = {{"name", options.machine.profile.name}};
  for (const PropertyValue& property : promised_properties(options.machine.profile))
    std::visit([&](auto value) { profile[std::string(property.name)] = value; }, property.value);
  return {{"copy_granularity", name(granularity)},
          {"dma_order", options.copies.order == DmaOrder::fifo ? "fifo" : "unordered"},
          {"devices", options.machine.devices},
          {"cores", options.machine.cores},
          {"profile", std::move(profile)}};
}

Expected<Json> certificate_json(const std::vector<std::string>& words, const Prepared& prepared,
                                const Certificate& c, const CertifyOptions& how) {
  IdentityObserver observer;
  RunOptions identify = how.run;
  identify.observers = {&observer};
  TRY(prepared.simulate(identify));
  const RunIdentity& identity = observer.identity();
  Json inputs = Json::array();
  for (const ResultHash& input : identity.inputs)
    inputs.push_back(
        {{"device", input.device}, {"name", input.buffer}, {"hash", hash_text(input.hash)}});
  const Json text = prepared.module == nullptr
                        ? Json()
                        : Json(hash_text(text_hash(without_lines(prepared.module->source->text))));
  return Json{
      {"schema", output_schema},
      {"what", what_it_is},
      {"made_by", {{"version", c.basis.version}, {"build", build_id()}}},
      {"command", words},
      {"program",
       {{"kernel", prepared.kernel}, {"text", text}, {"expanded", hash_text(identity.program)}}},
      {"inputs", std::move(inputs)},
      {"promises", promises_json(how.run, c.basis.granularity)},
      {"verdict", name(c.verdict)},
      {"why", c.why_explored().empty() ? Json() : Json(c.why_explored())},
      {"findings", c.findings.size()},
      {"conditions", conditions_json(c)},
      {"assumptions", assumptions(c)},
      {"evidence",
       {{"method", c.is_exhausted() ? "exhaustion" : c.statistics.method},
        {"protocol", hash_text(c.statistics.protocol_hash)},
        {"races", c.races.size()},
        {"agents", c.statistics.agents},
        {"events", c.statistics.events},
        {"transfers", c.statistics.transfers},
        {"forks", c.statistics.forks},
        {"events_replayed", c.statistics.events_replayed},
        {"schedules", c.schedules()}}}};
}

Expected<Json> read_certificate(const std::string& path, ReadFiles* read) {
  Json json = Json::parse(TRY(read_whole(path, file_kinds::certificate, read)));
  if (!std::holds_alternative<Json::Object>(json.value()))
    return error(fmt::format("{} is not a certificate: expected a JSON object", path));
  Shape shape(json);
  shape.wants<std::int64_t>({"schema"}, "a number");
  shape.wants<std::string>({"what"}, "text");
  shape.wants<std::string>({"made_by", "version"}, "text");
  shape.wants<std::string>({"made_by", "build"}, "text");
  shape.wants<Json::Array>({"command"}, "a list of words");
  shape.wants<std::string>({"program", "expanded"}, "text");
  shape.wants<Json::Array>({"inputs"}, "a list");
  shape.wants<Json::Object>({"promises"}, "an object");
  shape.wants<std::string>({"verdict"}, "text");
  shape.wants<std::string>({"evidence", "protocol"}, "text");
  shape.wants<std::int64_t>({"evidence", "events"}, "a number");
  if (const Json* words = json.find("command"); words != nullptr && words->is_array()) {
    const auto is_text = [](const Json& word) {
      return std::holds_alternative<std::string>(word.value());
    };
    if (words->elements().empty() ||
        !std::all_of(words->elements().begin(), words->elements().end(), is_text))
      shape.complain("`command` is not a list of words");
  }
  Diags diags = shape.take();
  if (diags.empty() && json.find("what")->text() != what_it_is)
    diags.push_back(
        error(fmt::format("`what` is {}, expected {}", json.find("what")->text(), what_it_is)));
  if (diags.empty() && std::get<std::int64_t>(json.find("schema")->value()) != output_schema)
    diags.push_back(error(fmt::format("schema {}, and this tessera reads schema {}",
                                      json.find("schema")->text(), output_schema)));
  if (diags.empty()) return json;
  for (Diag& diag : diags) diag.message = fmt::format("{}: {}", path, diag.message);
  return diags;
}

}  // namespace tessera::cli
