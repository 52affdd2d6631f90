// Text templates with named holes, `@name@`, for kernel source. A hole that is alone on its line is
// replaced by whole lines, or by none. Other holes are replaced by text within the line.
#pragma once
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>

namespace tessera::cuda {

struct Hole {
  std::string_view name;
  std::string text;
};

// Fills the holes of a text. Each hole needs one text, and each text a hole; the process aborts
// otherwise. The text of a hole that is alone on its line must be empty or end with a newline.
// Arguments of the kernel are numbered as the texts are built (KernelNames): the braces evaluate
// the texts from left to right with every compiler.
std::string fill(std::string_view text, std::initializer_list<Hole> holes);

// One of templates/*.cu.in. Several functions fill its holes.
class SourceTemplate {
 public:
  // name: for example "general.cu.in"; must be one of them.
  explicit SourceTemplate(std::string_view name);
  // Sets the text of a hole. Each hole must be set exactly once.
  void set(std::string_view hole, std::string text);
  // The filled text. Requires that all holes are set.
  std::string text() const;

 private:
  std::string_view template_;
  std::map<std::string, std::string, std::less<>> holes_;
};

// Indents each line that is not empty by `columns`.
std::string indented(std::string_view text, int columns);

}  // namespace tessera::cuda
