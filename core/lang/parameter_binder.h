// The parameters of a kernel, as settings give them or as their defaults are.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/language.h"
#include "core/lang/names.h"

namespace tessera {

class Expressions;
class RealArithmetic;

class ParameterBinder {
 public:
  ParameterBinder(Draft& draft, Names& names, Expressions& expressions, RealArithmetic& reals);

  // Reports settings that are of no parameter.
  void bind(const ast::Kernel& kernel, const Settings& settings);

 private:
  void bind_types(const std::vector<ast::TypeParameter>& types, Settings& left);
  void bind_parameters(const std::vector<ast::Parameter>& parameters, Settings& left);
  bool bind_real(const ast::Parameter& parameter, Settings& left);
  std::optional<std::int64_t> integer_of(const ast::Parameter& parameter, Settings& left);
  void refuse_settings(const ast::Kernel& kernel, const Settings& left);

  std::string kernel_;  // whose parameters are bound
  Draft& draft_;
  Builder& builder_;
  Names& names_;
  Expressions& expressions_;
  RealArithmetic& reals_;
};

}  // namespace tessera
