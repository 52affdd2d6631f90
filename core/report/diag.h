// What is wrong with an input: a message with its place, and notes with theirs.
#pragma once  // public
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// A named text that places point into; `name` is shown as given (a path, or "<gmm>" for an embedded
// program).
struct Source {
  std::string name;
  std::string text;
};

// Where something stands in a source: 1-based line and column, and how many characters it covers.
struct Loc {
  std::shared_ptr<const Source> source;
  int line = 0;
  int column = 0;
  int width = 1;

  explicit operator bool() const { return source != nullptr && line > 0; }
};

// The class of an error, as the operations' sources name them (ValueError, TypeError, ...).
// interrupted: by a signal, or by who set the work's stop (core/report/stop.h).
enum class ErrorCode {
  invalid_value,
  invalid_type,
  unsupported,
  runtime,
  environment,
  interrupted
};

struct Note {
  Loc loc;
  std::string message;
};

struct Diag {
  ErrorCode code = ErrorCode::invalid_value;
  Loc loc;  // empty when the error has no place in a text
  std::string message;
  std::vector<Note> notes;
};

using Diags = std::vector<Diag>;

// "file:line:col: kind: text", the source line and a caret under what is meant; notes follow in the
// same form.
std::string render(const Diag& diag);
// The first twenty, and how many more there are.
std::string render(const Diags& diags);
// The same form for any word in place of "error" (findings use it).
std::string render_place(const Loc& loc, std::string_view kind, std::string_view message);

}  // namespace tessera
