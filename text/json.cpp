#include "text/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/report/json_text.h"
#include "text/read_json.h"

namespace tessera {
namespace {

using Library = nlohmann::ordered_json;

Library to_library(const Json& json) {
  return std::visit(
      [](const auto& value) -> Library {
        using T = std::decay_t<decltype(value)>;
        if constexpr (std::is_same_v<T, Json::Array>) {
          Library array = Library::array();
          for (const Json& element : value) array.push_back(to_library(element));
          return array;
        } else if constexpr (std::is_same_v<T, Json::Object>) {
          Library object = Library::object();
          for (const auto& [name, member] : value) object[name] = to_library(member);
          return object;
        } else {
          return value;
        }
      },
      json.value());
}

Json from_library(const Library& library) {
  switch (library.type()) {
    case Library::value_t::boolean:
      return library.get<bool>();
    case Library::value_t::number_integer:
      return library.get<std::int64_t>();
    case Library::value_t::number_unsigned:  // signed if it fits
      if (library.get<std::uint64_t>() <= INT64_MAX) return library.get<std::int64_t>();
      return library.get<std::uint64_t>();
    case Library::value_t::number_float:
      return library.get<double>();
    case Library::value_t::string:
      return library.get_ref<const std::string&>();
    case Library::value_t::array: {
      Json array = Json::array();
      for (const Library& element : library) array.push_back(from_library(element));
      return array;
    }
    case Library::value_t::object: {
      Json object = Json::object();
      for (const auto& [name, member] : library.items()) object[name] = from_library(member);
      return object;
    }
    default:
      return {};
  }
}

bool is_member(const Json& json) {
  return json.is_array() && json.elements().size() == 2 &&
         std::holds_alternative<std::string>(json.elements()[0].value());
}

constexpr auto replace = Library::error_handler_t::replace;

}  // namespace

Json::Json(std::initializer_list<Json> elements) {
  if (!std::all_of(elements.begin(), elements.end(), is_member)) {
    value_ = Array(elements);
    return;
  }
  Object object;
  for (const Json& element : elements)
    object.emplace_back(std::get<std::string>(element.elements()[0].value_), element.elements()[1]);
  value_ = std::move(object);
}

Expected<Json> read_json(std::string_view text, std::string_view what, std::string_view left_out) {
  const Expected<Library> value = parse_json(text, what, "member", left_out);
  if (!value) return value.diags();
  return from_library(*value);
}

Json Json::parse(std::string_view text) {
  const Expected<Json> value = read_json(text, "no JSON");
  return value ? *value : Json();
}

const Json* Json::find(std::string_view name) const {
  const auto* const object = std::get_if<Object>(&value_);
  if (object == nullptr) return nullptr;
  const auto found = std::find_if(object->begin(), object->end(),
                                  [&](const auto& member) { return member.first == name; });
  return found == object->end() ? nullptr : &found->second;
}

Json& Json::operator[](std::string_view name) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Object();
  if (const Json* const found = find(name)) return const_cast<Json&>(*found);
  return std::get<Object>(value_).emplace_back(name, Json()).second;
}

void Json::push_back(Json element) {
  if (std::holds_alternative<std::nullptr_t>(value_)) value_ = Array();
  std::get<Array>(value_).push_back(std::move(element));
}

void Json::update(const Json& other) {
  for (const auto& [name, member] : other.members()) (*this)[name] = member;
}

std::string Json::text() const {
  if (const auto* const text = std::get_if<std::string>(&value_)) return *text;
  return to_library(*this).dump(-1, ' ', false, replace);
}

std::string Json::lines() const { return to_library(*this).dump(2, ' ', false, replace); }

}  // namespace tessera
