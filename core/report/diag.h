// An error of an input: a message with its location, and notes with theirs.
#pragma once  // public
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// A text that locations refer to.
struct Source {
  std::string name;  // name in messages: a path, or "<gmm>" for an embedded program
  std::string text;  // whole text, UTF-8
};

// Location in a source.
struct Loc {
  std::shared_ptr<const Source> source;  // null: unknown location
  int line = 0;                          // from 1; 0: unknown location
  int column = 0;                        // from 1, in bytes of the line; 0: the whole line
  int width = 1;                         // number of bytes to underline

  // True if the location is known.
  explicit operator bool() const { return source != nullptr && line > 0; }
};

// Class of an error, with the exception that the implemented operations raise in their original
// libraries.
enum class ErrorCode {
  invalid_value,  // ValueError: invalid extents, sizes, options or texts
  invalid_type,   // TypeError: invalid element types, in some operations ranks
  unsupported,    // NotImplementedError: valid, but not implemented; the message gives the reason
  runtime,        // RuntimeError: the work failed, or a resource is no longer available
  environment,    // missing file, device, library or memory
  interrupted,    // stopped by a signal, a stop request (core/report/stop.h) or a limit
  unused_option   // ValueError: an option without effect on this call
};

// Additional information on an error.
struct Note {
  Loc loc;              // may be empty
  std::string message;  // one sentence without a full stop
};

// One error of an input or of the environment.
struct Diag {
  ErrorCode code = ErrorCode::invalid_value;  // class
  Loc loc;                                    // empty: not in a text
  std::string message;                        // one sentence without a full stop
  std::vector<Note> notes;                    // in display order
};

// Several errors. As a return value, empty means success.
using Diags = std::vector<Diag>;

// Returns "file:line:col: error: text", the source line, and a caret under the location; then the
// notes in the same form. Without a location only "error: text". Without a column, there is no
// caret; if the source has no such line, no source line either. Control characters are escaped, and
// messages are truncated to longest_message bytes (shown.h). Each line ends in a newline.
std::string render(const Diag& diag);
// Returns the first twenty errors in order, rendered, and a note with the number of further errors
// if there are any. Empty without errors.
std::string render(const Diags& diags);
// Returns the errors with "PATH: " in front of each error's message. Notes are unchanged.
Diags in_file(const std::string& path, Diags diags);
// Returns a message in the same form, with `kind` instead of "error": "note", or a kind of finding.
std::string render_place(const Loc& loc, std::string_view kind, std::string_view message);

}  // namespace tessera
