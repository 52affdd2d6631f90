// Expressions: what they stand for, with the ops that compute it.
#pragma once
#include <cstdint>
#include <optional>
#include <string_view>

#include "core/lang/draft.h"
#include "core/lang/expressions.h"
#include "core/lang/language.h"
#include "core/lang/names.h"

namespace tessera {

class CallLowering;
class Functions;
class OrderWords;
class PlaceLowering;
class ProductLowering;
class RealArithmetic;
class TileLowering;

class ExpressionLowering : public Expressions {
 public:
  ExpressionLowering(Draft& draft, Names& names, const Functions& functions, RealArithmetic& reals,
                     PlaceLowering& places, TileLowering& tiles, ProductLowering& products,
                     OrderWords& order_words, CallLowering& calls,
                     const InstantiateOptions& launch);

  Entity evaluate(const ast::Expression& node) override;
  Entity evaluate_into(const ast::Expression& node, const Slice* to) override;
  Entity evaluate_known(const ast::Expression& node, std::string_view what) override;
  ValueId scalar(const ast::Expression& node) override;
  ValueId scalar(const Entity& entity, const Loc& loc) override;
  std::optional<std::int64_t> constant(const ast::Expression& node, std::string_view what) override;
  Entity range(const ast::Expression& node) override;

 private:
  Entity form(const ast::Integer& node);
  Entity form(const ast::Real& node);
  Entity form(const ast::Text& node);
  Entity form(const ast::Name& node);
  Entity form(const ast::Call& node);
  Entity form(const ast::MemberCall& node);
  Entity form(const ast::NamedArgument& node);
  Entity form(const ast::Index& node);
  Entity form(const ast::Member& node);
  Entity form(const ast::Negative& node);
  Entity form(const ast::Not& node);
  Entity form(const ast::Binary& node);
  Entity form(const ast::Conditional& node);
  Entity form(const ast::Range& node);
  Entity form(const ast::ViewAs& node);
  Entity count_of(const ast::Name& node);
  Entity binary(const ast::Binary& node, const Slice* to);
  Entity scalar_binary(const ast::Binary& node, const Entity& left, const Entity& right);

  Draft& draft_;
  Builder& builder_;
  Names& names_;
  const Functions& functions_;
  RealArithmetic& reals_;
  PlaceLowering& places_;
  TileLowering& tiles_;
  ProductLowering& products_;
  OrderWords& order_words_;
  CallLowering& calls_;
  const InstantiateOptions launch_;
  int levels_ = 0;              // of nested expressions, through calls
  std::string_view known_for_;  // what is evaluated must be known now: what it is for
};

}  // namespace tessera
