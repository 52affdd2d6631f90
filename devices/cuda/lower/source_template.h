// Texts with named holes, `@name@`, from which a kernel's source is made. A hole that is alone in
// its line takes whole lines, or none; one within a line takes a piece of it.
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

// The text with its holes filled; each hole has one text, and each text a hole. What the texts name
// of a launch is numbered as they are made (KernelNames): braces evaluate them from left to right,
// whichever compiler built this.
std::string fill(std::string_view text, std::initializer_list<Hole> holes);

// One of templates/*.cu.in, whose holes several functions fill.
class SourceTemplate {
 public:
  // "general.cu.in", which must be one of them.
  explicit SourceTemplate(std::string_view name);
  // Each hole once.
  void set(std::string_view hole, std::string text);
  // When all are set.
  std::string text() const;

 private:
  std::string_view template_;
  std::map<std::string, std::string, std::less<>> holes_;
};

// Each line that is not empty, further to the right by `columns`.
std::string indented(std::string_view text, int columns);

}  // namespace tessera::cuda
