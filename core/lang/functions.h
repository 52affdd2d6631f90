// The functions that a kernel can call: those of its file, then those of the libraries.
#pragma once
#include <string_view>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/language.h"
#include "core/lang/names.h"

namespace tessera {

class Functions {
 public:
  // The first module that has a name is asked for it.
  Functions(Draft& draft, const Names& names, std::vector<const Module*> modules)
      : draft_(draft), names_(names), modules_(std::move(modules)) {}

  const ast::Function* find(std::string_view name) const;
  // Reports that there is none of that name, and which is near.
  Entity unknown(const ast::Call& call);
  // Reports what the kernel calls and nobody defines, also where nothing reaches it: behind
  // conditions that are known, and in functions that are called there only.
  void check(const ast::Kernel& kernel);

 private:
  Draft& draft_;
  const Names& names_;
  std::vector<const Module*> modules_;
};

}  // namespace tessera
