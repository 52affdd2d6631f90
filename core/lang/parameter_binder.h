// The parameters of a kernel, as settings give them or as their defaults are.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "core/lang/draft.h"
#include "core/lang/language.h"
#include "core/lang/names.h"

namespace tessera {

class Elaborator;
class ExpressionLowering;
class RealArithmetic;

class ParameterBinder {
 public:
  explicit ParameterBinder(Elaborator& elaborator);

  // Reports settings that are of no parameter.
  void bind(const ast::Kernel& kernel, const Settings& settings);

 private:
  void bind_types(const std::vector<ast::TypeParameter>& types, Settings& left);
  void bind_parameters(const std::vector<ast::Parameter>& parameters, Settings& left);
  bool bind_real(const ast::Parameter& parameter, Settings& left);
  std::optional<std::int64_t> integer_of(const ast::Parameter& parameter, Settings& left);
  void refuse_settings(const ast::Kernel& kernel, const Settings& left);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  ExpressionLowering& expressions_;
  RealArithmetic& reals_;
};

}  // namespace tessera
