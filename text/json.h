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

  static Json object() { return Json(Value(Object())); }
  static Json array(std::initializer_list<Json> elements = {}) {
    return Json(Value(Array(elements)));
  }
  // Returns null if the text is not valid JSON.
  static Json parse(std::string_view text);

  // Returns the member of that name, and adds it if it is missing. Null becomes an object.
  Json& operator[](std::string_view name);
  // Null if there is no such member.
  const Json* find(std::string_view name) const;
  template <std::integral I>
  Json& operator[](I index) {
    return std::get<Array>(value_)[static_cast<std::size_t>(index)];
  }
  void push_back(Json element);    // to an array; null becomes an array
  void update(const Json& other);  // adds or replaces the members of the other object

  const Object& members() const { return std::get<Object>(value_); }
  const Array& elements() const { return std::get<Array>(value_); }
  const Value& value() const { return value_; }
  bool is_array() const { return std::holds_alternative<Array>(value_); }
  // Returns the value of a string unchanged, and other values as JSON without line breaks.
  std::string text() const;
  // Returns JSON with line breaks, indented by two; invalid UTF-8 is replaced.
  std::string lines() const;

 private:
  explicit Json(Value value) : value_(std::move(value)) {}

  Value value_ = nullptr;
};

}  // namespace tessera
