// Recursive descent over the tokens of one file. Expressions are in parse_expression.cpp,
// statements in parse_statement.cpp, declarations and files in parse.cpp.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "core/lang/ast.h"
#include "core/lang/lexer.h"
#include "core/report/lines.h"

namespace tessera {

class Parser {
 public:
  Parser(std::shared_ptr<const Source> source, std::vector<Token> tokens, Diags& diags)
      : source_(std::move(source)),
        lines_(source_->text),
        tokens_(std::move(tokens)),
        diags_(diags) {}

  Node file();

 private:
  // A syntax error unwinds to the statement or declaration it stands in, which is then skipped.
  struct SyntaxError {};

  // Trees are walked by recursion: how deep they may be is limited while they are made. A level is
  // a bracket, a block or a prefix; a chain of operators adds a level for each.
  static constexpr int most_levels = 200, most_operators = 250;
  class Level {
   public:
    explicit Level(Parser& parser) : parser_(parser) {
      if (++parser_.levels_ <= most_levels) return;
      --parser_.levels_;
      parser_.fail(parser_.peek(), "expected at most 200 levels of nesting");
    }
    ~Level() { --parser_.levels_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    Parser& parser_;
  };

  // declarations
  Node kernel();
  Node function();
  void parameters(Node& into, bool of_kernel);
  Node type_parameters();
  Node declarations();
  Node declaration();
  void storage_order(Node& buffer);
  Node operand();
  Node scratch(bool scoped);
  Node semaphore(bool scoped);
  Node declare_if();
  Node type();
  bool declaration_starts() const;
  std::string doc_above(int line) const;

  // statements
  Node block();
  void statement(Node& into);
  Node for_loop();
  Node if_else();
  Node trace();
  Node require();
  Node pipeline();
  Node loop_variable(bool parallel_allowed);
  Node window();
  Node start();
  Node copy();
  Node wait();
  Node signal();
  Node returns();
  void refuse_early_returns(const Node& block, bool ends_function);
  void constants(Node& into);
  Node assignment_or_call();
  void refuse_foreign(const Token& first, const Node& target);  // a form of other languages
  bool defines_function() const;
  Node definition();

  // expressions, by rising precedence
  Node expression();
  Node disjunction();
  Node conjunction();
  Node negation();
  Node comparison();
  Node limit();
  Node sum();
  Node product();
  Node contraction();
  Node prefix();
  Node postfix();
  Node primary();
  Node range_or_count();
  Node item();
  void arguments(Node& call);

  // tokens
  const Token& peek(int ahead = 0) const;
  Token take();
  bool is(std::string_view text, int ahead = 0) const;
  bool continues(std::string_view text) const;  // is(text), on the same line or inside brackets
  bool accept(std::string_view text);
  Token expect(std::string_view text, std::string_view after);
  Token expect_name(std::string_view what);
  Token new_name(std::string_view what);  // one that the program gives
  void refuse_place(const Token& name);   // given to what says where the program runs
  void refuse_word(const Token& name);    // given to a function: it would be called instead
  void refuse_statement_word();           // assigned to
  void end_statement();
  void skip_statement();
  Loc loc(const Token& token) const;
  Node make(NodeKind kind, const Token& token) const;
  Node binary(const Token& op, Node left, Node right);
  Node chained(Node node);  // refuses a chain of operators that is too long
  // Widens a node's place to the end of the last token taken, if that is on its line.
  Node spanning(Node node) const;
  [[noreturn]] void fail(const Token& token, std::string message);

  std::shared_ptr<const Source> source_;
  Lines lines_;
  std::vector<Token> tokens_;
  Diags& diags_;
  std::size_t at_ = 0;
  int nesting_ = 0;  // open ( and [
  int levels_ = 0;
};

}  // namespace tessera
