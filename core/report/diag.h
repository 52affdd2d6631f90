// What is wrong with an input: a message with its place, and notes with theirs.
#pragma once  // public
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// A text that places point into.
struct Source {
  std::string name;  // as messages show it: a path, or "<gmm>" for an embedded program
  std::string text;  // all of it, UTF-8
};

// Where something stands in a source: 1-based line and column, and how many characters it covers.
struct Loc {
  std::shared_ptr<const Source> source;  // null: the place is not known
  int line = 0;                          // from 1; 0: the place is not known
  int column = 0;                        // from 1, in bytes of the line; 0: the whole line
  int width = 1;                         // bytes under the caret

  // Whether the place is known.
  explicit operator bool() const { return source != nullptr && line > 0; }
};

// The class of an error; the projects whose operations these are raise exceptions of such names.
enum class ErrorCode {
  invalid_value,  // ValueError: extents, sizes, options and texts that do not fit
  invalid_type,   // TypeError: element types, and in some operations ranks
  unsupported,    // NotImplementedError: sound, but not built; the message has the reason
  runtime,        // RuntimeError: the work failed, or what it needs is not there any more
  environment,    // a file, a device, a library or memory that is not there
  interrupted,    // by a signal, the stop of the work (core/report/stop.h), or a limit
  unused_option   // ValueError: an option that has no effect on the given call
};

// What else there is to know about an error, and where.
struct Note {
  Loc loc;              // may be empty
  std::string message;  // one sentence without a full stop
};

// One error of an input or of the environment.
struct Diag {
  ErrorCode code = ErrorCode::invalid_value;  // its class
  Loc loc;                                    // empty when the error has no place in a text
  std::string message;                        // one sentence without a full stop
  std::vector<Note> notes;                    // in the order in which they are shown
};

// Several errors. Where a function returns only this, empty means success.
using Diags = std::vector<Diag>;

// "file:line:col: kind: text", the source line and a caret under what is meant; notes follow in the
// same form.
std::string render(const Diag& diag);
// The first twenty, one after the other, and how many more there are.
std::string render(const Diags& diags);
// The same form for any word in place of "error" (findings use it).
std::string render_place(const Loc& loc, std::string_view kind, std::string_view message);

}  // namespace tessera
