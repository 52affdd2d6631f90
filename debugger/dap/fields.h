// What the arguments of a request say, and what is wrong with them.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "text/json.h"

namespace tessera::debugger {

// Members of an object by name. One that is not there, or is null, is what stands behind its name,
// or is missing; one of another type is wrong. checked() says all that was missing and wrong.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::int64_t integer(std::string_view name, std::optional<std::int64_t> otherwise = {});
  std::string text(std::string_view name, std::optional<std::string> otherwise = {});
  bool flag(std::string_view name, bool otherwise);
  std::vector<std::string> texts(std::string_view name);  // empty where it is not there
  // The elements of an array; empty where it is not there.
  std::vector<Json> list(std::string_view name);
  // Null where it is not there.
  Json object(std::string_view name);
  bool has(std::string_view name) const { return find(name) != nullptr; }

  Expected<void> checked() const;

 private:
  const Json* find(std::string_view name) const;
  void wrong(std::string_view name, std::string_view expected, const Json& found);
  void missing(std::string_view name);

  const Json& object_;
  Diags diags_;
};

}  // namespace tessera::debugger
