// A value, or the diagnostics that say why there is none.
#pragma once  // public
#include <utility>
#include <variant>

#include "core/report/check.h"
#include "core/report/diag.h"

namespace tessera {

// How failure is reported: one act that fails says so by Expected<T>, by Expected<void> where it
// gives no value, and its callers hand that on with TRY (core/report/try.h). A function that goes
// on after a mistake, to report all of them at once, appends to Diags: readers of arguments and
// verifiers. An optional is for what may be absent without anything being wrong.

// What a function returns that can fail. Reading the value of an error, or the errors of a value,
// aborts the process: test first.
template <typename T>
class [[nodiscard]] Expected {
 public:
  // From a value, from errors (at least one), or from one error.
  Expected(T value)
      : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Expected(Diags diags) : state_(std::in_place_index<1>, std::move(diags)) {}      // NOLINT
  Expected(Diag diag) : state_(std::in_place_index<1>, Diags{std::move(diag)}) {}  // NOLINT

  // Whether there is a value.
  explicit operator bool() const { return state_.index() == 0; }
  // The value.
  T& operator*() & { return value(); }
  const T& operator*() const& { return const_cast<Expected*>(this)->value(); }
  T&& operator*() && { return std::move(value()); }
  T* operator->() { return &value(); }
  const T* operator->() const { return &const_cast<Expected*>(this)->value(); }
  // The errors, at least one.
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

// Success, or why not: for functions that give no value.
template <>
class [[nodiscard]] Expected<void> {
 public:
  Expected() = default;
  // From errors (at least one), or from one error.
  Expected(Diags diags) : diags_(std::move(diags)) { CHECK(!diags_.empty()); }  // NOLINT
  Expected(Diag diag) : diags_{std::move(diag)} {}                              // NOLINT

  // Whether it succeeded.
  explicit operator bool() const { return diags_.empty(); }
  // Aborts unless it succeeded.
  void operator*() const { CHECK(diags_.empty()); }
  // The errors, at least one.
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

// Adds the errors of what was tried, for a function that goes on and reports all of them.
inline void collect(Diags& diags, const Expected<void>& tried) {
  if (!tried) diags.insert(diags.end(), tried.diags().begin(), tried.diags().end());
}

// An error without a place in a text; invalid_value where no code is named.
inline Diag error(ErrorCode code, std::string message) {
  return Diag{code, {}, std::move(message), {}};
}
inline Diag error(std::string message) {
  return error(ErrorCode::invalid_value, std::move(message));
}

}  // namespace tessera
