// Access to the arguments of a request, with type checks.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/report/expected.h"
#include "text/json.h"

namespace tessera::debugger {

// Typed access to the members of an object. A member that is absent or null has the default value;
// without a default, it is an error. A member of another type is an error. After an error, the
// functions return 0, an empty value or the default; checked() fails with all errors so far. The
// object must outlive this one.
class Fields {
 public:
  explicit Fields(const Json& object) : object_(object) {}

  std::int64_t integer(std::string_view name, std::optional<std::int64_t> otherwise = {});
  std::string text(std::string_view name, std::optional<std::string> otherwise = {});
  bool flag(std::string_view name, bool otherwise);
  std::vector<std::string> texts(std::string_view name);  // empty if absent
  // Elements of an array; empty if absent.
  std::vector<Json> list(std::string_view name);
  // Null if absent.
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
