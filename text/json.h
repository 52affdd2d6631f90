// JSON values: a tree in which objects keep the order of their members. Only json.cpp includes the
// library that parses and writes JSON, because its templates compile slowly.
#pragma once
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

class Json {
 public:
  using Array = std::vector<Json>;
  using Object = std::vector<std::pair<std::string, Json>>;
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             Array, Object>;

  Json() = default;
  Json(std::nullptr_t) {}
  template <std::same_as<bool> T>
  Json(T value) : value_(value) {}
  template <std::signed_integral T>
  Json(T value) : value_(static_cast<std::int64_t>(value)) {}
  template <std::unsigned_integral T>
  requires(!std::same_as<T, bool>) Json(T value) : value_(static_cast<std::uint64_t>(value)) {}
  Json(double value) : value_(value) {}
  Json(const char* text) : value_(std::string(text)) {}
  Json(std::string_view text) : value_(std::string(text)) {}
  Json(std::string text) : value_(std::move(text)) {}
  template <typename T>
  Json(const std::vector<T>& elements) : value_(Array(elements.begin(), elements.end())) {}
  // An object if every element is a pair that begins with text; else an array.
  Json(std::initializer_list<Json> elements);

  // Return an empty object, and an array of the elements, also if all of them are pairs.
  static Json object() { return Json(Value(Object())); }
  static Json array(std::initializer_list<Json> elements = {}) {
    return Json(Value(Array(elements)));
  }
  // Returns the parsed value; null if read_json() would fail.
  static Json parse(std::string_view text);

  // Returns the member of that name; if it is missing, adds it as null. Null becomes an object;
  // other values must be objects (std::bad_variant_access). Stays valid until members are added.
  Json& operator[](std::string_view name);
  // Returns the member of that name; null if there is none or this value is not an object. Stays
  // valid until members are added.
  const Json* find(std::string_view name) const;
  // Returns the element at that index of an array. The index, from 0, must exist (unchecked); the
  // value must be an array (std::bad_variant_access).
  template <std::integral I>
  Json& operator[](I index) {
    return std::get<Array>(value_)[static_cast<std::size_t>(index)];
  }
  // Appends to an array; null becomes an array. Throws std::bad_variant_access for other values.
  void push_back(Json element);
  // Adds the members of another object to an object; replaces members of the same name. Null
  // becomes an object. Throws std::bad_variant_access for other values.
  void update(const Json& other);

  // Return the members and the elements. Require an object and an array (std::bad_variant_access).
  const Object& members() const { return std::get<Object>(value_); }
  const Array& elements() const { return std::get<Array>(value_); }
  // Returns the value as a variant.
  const Value& value() const { return value_; }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  // Returns the value of a string unchanged, and other values as JSON without line breaks.
  std::string text() const;
  // Returns JSON with line breaks, indented by two, without a newline at the end. In all JSON,
  // invalid UTF-8 is replaced, and infinities and NaN become null.
  std::string lines() const;

 private:
  explicit Json(Value value) : value_(std::move(value)) {}

  Value value_ = nullptr;
};

}  // namespace tessera
