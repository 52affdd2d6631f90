#include "debugger/dap/fields.h"

#include <fmt/format.h>

#include <variant>

#include "core/report/shown.h"

namespace tessera::debugger {

const Json* Fields::find(std::string_view name) const {
  const Json* const member = object_.find(name);
  const bool is_null = member != nullptr && std::holds_alternative<std::nullptr_t>(member->value());
  return is_null ? nullptr : member;
}

void Fields::wrong(std::string_view name, std::string_view expected, const Json& found) {
  diags_.push_back(
      error(fmt::format("`{}` is {}, found {}", name, expected, shown_text(found.text()))));
}

void Fields::missing(std::string_view name) {
  diags_.push_back(error(fmt::format("`{}` is missing", name)));
}

std::int64_t Fields::integer(std::string_view name, std::optional<std::int64_t> otherwise) {
  const Json* const member = find(name);
  if (member == nullptr) {
    if (!otherwise) missing(name);
    return otherwise.value_or(0);
  }
  if (const auto* const number = std::get_if<std::int64_t>(&member->value())) return *number;
  wrong(name, "an integer", *member);
  return 0;
}

std::string Fields::text(std::string_view name, std::optional<std::string> otherwise) {
  const Json* const member = find(name);
  if (member == nullptr) {
    if (!otherwise) missing(name);
    return otherwise.value_or("");
  }
  if (const auto* const text = std::get_if<std::string>(&member->value())) return *text;
  wrong(name, "a text", *member);
  return {};
}

bool Fields::flag(std::string_view name, bool otherwise) {
  const Json* const member = find(name);
  if (member == nullptr) return otherwise;
  if (const auto* const flag = std::get_if<bool>(&member->value())) return *flag;
  wrong(name, "true or false", *member);
  return otherwise;
}

std::vector<Json> Fields::list(std::string_view name) {
  const Json* const member = find(name);
  if (member == nullptr) return {};
  if (member->is_array()) return member->elements();
  wrong(name, "an array", *member);
  return {};
}

std::vector<std::string> Fields::texts(std::string_view name) {
  std::vector<std::string> all;
  for (const Json& element : list(name)) {
    if (!std::holds_alternative<std::string>(element.value())) {
      wrong(name, "an array of texts", element);
      return {};
    }
    all.push_back(element.text());
  }
  return all;
}

Json Fields::object(std::string_view name) {
  const Json* const member = find(name);
  if (member == nullptr) return {};
  if (std::holds_alternative<Json::Object>(member->value())) return *member;
  wrong(name, "an object", *member);
  return {};
}

Expected<void> Fields::checked() const {
  if (!diags_.empty()) return diags_;
  return {};
}

}  // namespace tessera::debugger
