// Origins from the `# line` directives of a text: the file and line of the following lines, and the
// calls that lead there.
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
  // Location in a file, then the location of its call, and so on outwards. Each location is a whole
  // line.
  using Origin = std::vector<Loc>;

  // Reads a directive, in ascending order of lines. text: the line without its end; line: its
  // number in `source`, from 1. An invalid directive is reported to diags and has no effect.
  void read(const std::shared_ptr<const Source>& source, std::string_view text, int line,
            Diags& diags);
  // Reads the text of each file that a directive names, with one call each, so that the sources of
  // all origins have a text; empty: not available.
  void read_files(const std::function<std::string(const std::string& name)>& reader);

  bool empty() const { return directives_.empty(); }
  // Returns the origin of a line of the text, from 1; null if no directive applies to it. Stays
  // valid until the next read().
  const Origin* find(int line) const;

 private:
  struct Directive {
    int line;       // line of the directive
    Origin origin;  // empty: the following lines have no other origin
  };
  std::vector<Directive> directives_;  // in ascending order of lines
  std::map<std::string, std::shared_ptr<Source>, std::less<>> files_;
};

// Returns the text without its `# line` directives: its content, independent of its origin.
std::string without_lines(std::string_view text);

}  // namespace tessera
