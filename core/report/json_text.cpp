#include "core/report/json_text.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using Json = nlohmann::ordered_json;

struct TooDeep {};
struct TooManyMembers {};

// Parser callback that detects duplicate members, which are lost in the built object, and values
// that nest too deep or have too many members, before they are built.
class Watch {
 public:
  Watch(std::string_view member, std::string_view left_out)
      : member_(member), left_out_(left_out) {}

  bool operator()(int depth, Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      if (depth >= deepest_json) throw TooDeep{};
      // The ends of values that are left out are not reported.
      names_.resize(static_cast<std::size_t>(depth));
      names_.emplace_back();
    } else if (event == Event::key) {
      names_.resize(static_cast<std::size_t>(depth));
      const auto& name = parsed.get_ref<const std::string&>();
      if (!names_.back().insert(name).second)
        twice_.push_back(error(fmt::format("{} {} is given twice", member_, shown_text(name))));
      if (names_.back().size() > most_json_members) throw TooManyMembers{};
      return left_out_.empty() || depth != 1 || name != left_out_;
    }
    return true;
  }
  const Diags& twice() const { return twice_; }

 private:
  std::string_view member_, left_out_;
  std::vector<std::set<std::string>> names_;  // per enclosing object; empty sets for arrays
  Diags twice_;
};

}  // namespace

Expected<nlohmann::ordered_json> parse_json(std::string_view text, std::string_view what,
                                            std::string_view member, std::string_view left_out) {
  Watch watch(member, left_out);
  try {
    Json value = Json::parse(text, [&watch](int depth, Json::parse_event_t event, Json& parsed) {
      return watch(depth, event, parsed);
    });
    if (!watch.twice().empty()) return watch.twice();
    return value;
  } catch (const TooDeep&) {
    return error(fmt::format("{}: it nests deeper than {}", what, deepest_json));
  } catch (const TooManyMembers&) {
    return error(fmt::format("{}: an object has more than {} members", what, most_json_members));
  } catch (const Json::exception& problem) {
    return error(fmt::format("{}: {}", what, shown_text(problem.what(), 200)));
  }
}

std::string json_string(std::string_view text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string shown_json(const nlohmann::ordered_json& value) {
  return shown_text(value.dump(-1, ' ', false, Json::error_handler_t::replace));
}

}  // namespace tessera
