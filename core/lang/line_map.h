// What the `# line` directives of a text say: from which line of which file what follows comes, and
// by which calls that is reached.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/report/diag.h"

namespace tessera {

class LineMap {
 public:
  // A line of a file, then the line that called it, and so on; whole lines.
  using Origin = std::vector<Loc>;

  // Reads the directive, which is the line `text` without its end, at that line (from 1) of
  // `source`. What is wrong with it is appended to diags; it then says nothing.
  void read(const std::shared_ptr<const Source>& source, std::string_view text, int line,
            Diags& diags);
  // Gives each file that is named its text.
  void read_files(const std::function<std::string(const std::string& name)>& reader);

  bool empty() const { return directives_.empty(); }
  // Where that line of the text comes from; null where no directive speaks of it.
  const Origin* find(int line) const;

 private:
  struct Directive {
    int line;       // of the text
    Origin origin;  // empty: from here on the text is its own
  };
  std::vector<Directive> directives_;  // by their lines
  std::map<std::string, std::shared_ptr<Source>, std::less<>> files_;
};

// The text without its `# line`s: what it says, wherever it comes from.
std::string without_lines(std::string_view text);

}  // namespace tessera
