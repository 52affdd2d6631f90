// A value, or the diagnostics for its absence.
#pragma once  // public
#include <utility>
#include <variant>

#include "core/report/check.h"
#include "core/report/diag.h"

namespace tessera {

// Error handling. A function that stops at an error returns Expected<T>, or Expected<void> if it
// has no result; its callers propagate the errors with TRY (core/report/try.h). A function that
// continues after an error, to report all errors together, appends to Diags: readers of arguments,
// and verifiers. An optional is a value that may be absent without an error.

// Result of a function that can fail. Reading the value if there are errors, or the errors if there
// is a value, aborts the process: test first.
template <typename T>
class [[nodiscard]] Expected {
 public:
  // From a value, from several errors (at least one, unchecked), or from one error.
  Expected(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Expected(Diags diags) : state_(std::in_place_index<1>, std::move(diags)) {}      // NOLINT
  Expected(Diag diag) : state_(std::in_place_index<1>, Diags{std::move(diag)}) {}  // NOLINT

  // True if there is a value.
  explicit operator bool() const { return state_.index() == 0; }
  // The value. Aborts if there is none.
  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Expected*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Expected*>(this)->value(); }
  // The errors, at least one. Aborts if there is a value.
  const Diags& diags() const& {
    CHECK(state_.index() == 1);
    return std::get<1>(state_);
  }
  Diags&& diags() && {
    CHECK(state_.index() == 1);
    return std::get<1>(std::move(state_));
  }

 private:
  T& value() {
    CHECK(state_.index() == 0);
    return std::get<0>(state_);
  }
  std::variant<T, Diags> state_;
};

// Success or errors, for functions without a result.
template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  // From several errors (aborts if there is none), or from one error.
  Expected(Diags diags) : diags_(std::move(diags)) { CHECK(!diags_.empty()); }  // NOLINT
  Expected(Diag diag) : diags_{std::move(diag)} {}                              // NOLINT

  // True if there is no error.
  explicit operator bool() const { return diags_.empty(); }
  // Aborts if there is an error.
  void operator*() const { CHECK(diags_.empty()); }
  // The errors, at least one. Aborts if there is none.
  const Diags& diags() const& {
    CHECK(!diags_.empty());
    return diags_;
  }
  Diags&& diags() && {
    CHECK(!diags_.empty());
    return std::move(diags_);
  }

 private:
  Diags diags_;
};

// Appends the errors of `tried`, if it failed, to `diags`: for a function that continues and
// reports all errors together.
inline void collect(Diags& diags, const Expected<void>& tried) {
  if (!tried) diags.insert(diags.end(), tried.diags().begin(), tried.diags().end());
}

// Return an error without a location and notes; its code is invalid_value by default.
inline Diag error(ErrorCode code, std::string message) {
  return Diag{code, {}, std::move(message), {}};
}
inline Diag error(std::string message) {
  return error(ErrorCode::invalid_value, std::move(message));
}

}  // namespace tessera
