#include "core/lang/walk.h"

namespace tessera::ast {
namespace {

// Visits the parts of each form.
class Walk {
 public:
  explicit Walk(Visitor& visitor) : visitor_(visitor) {}

  void operator()(const Expression& e) {
    visitor_.meet(e);
    std::visit(*this, e.form);
  }
  void operator()(const Statement& s) {
    visitor_.meet(s);
    std::visit(*this, s.form);
  }
  void operator()(const Declaration& d) {
    visitor_.meet(d);
    std::visit(*this, d.form);
  }
  void operator()(const Block& block) {
    visitor_.enter(block);
    all(block.statements);
    visitor_.leave(block);
  }
  void operator()(const Parameter& p) {
    visitor_.meet(p);
    optional(p.fallback);
    optional(p.type);
  }
  void operator()(const Kernel& k) { parts(k.parameters, k.declarations, k.body); }
  void operator()(const Function& f) {
    parts(f.parameters, f.declarations);
    std::visit(*this, f.body);
  }

  // expressions
  void operator()(const Integer&) {}
  void operator()(const Real&) {}
  void operator()(const Text&) {}
  void operator()(const Name&) {}
  void operator()(const Call& c) { all(c.arguments); }
  void operator()(const MemberCall& c) { parts(c.member, c.arguments); }
  void operator()(const NamedArgument& a) { parts(a.value); }
  void operator()(const Index& i) {
    parts(i.base);
    for (const Item& item : i.items) std::visit(*this, item.form);
  }
  void operator()(const Child& c) { (*this)(*c); }
  void operator()(const WholeDimension&) {}
  void operator()(const Span& s) { parts(s.start, s.size); }
  void operator()(const Stepped& s) { parts(s.range, s.step); }
  void operator()(const Member& m) { parts(m.base); }
  void operator()(const Negative& n) { parts(n.operand); }
  void operator()(const Not& n) { parts(n.operand); }
  void operator()(const Binary& b) { parts(b.left, b.right); }
  void operator()(const Conditional& c) { parts(c.condition, c.a, c.b); }
  void operator()(const Range& r) { parts(r.lower, r.upper); }
  void operator()(const ViewAs& v) { parts(v.memory, v.type, v.extents); }

  // statements
  void operator()(const Definition& d) {
    visitor_.meet(d);
    for (const DefinitionParameter& parameter : d.parameters) std::visit(*this, parameter);
    parts(d.value);
  }
  void operator()(const LoopVariable& v) {
    parts(v.range);
    optional(v.step);
  }
  void operator()(const Assignment& a) { parts(a.target, a.value); }
  void operator()(const For& f) { parts(f.variable, f.body); }
  void operator()(const While& w) {
    optional(w.condition);
    parts(w.body);
  }
  void operator()(const If& i) {
    parts(i.condition, i.then);
    optional(i.otherwise);
  }
  void operator()(const TraceRegion& t) { parts(t.body); }
  void operator()(const Require& r) { parts(r.condition); }
  void operator()(const Assert& a) { parts(a.condition); }
  void operator()(const Print& p) { all(p.items); }
  void operator()(const Breakpoint& b) { optional(b.condition); }
  void operator()(const Pipeline& p) { parts(p.grid, p.body); }
  void operator()(const Grid& g) { parts(g.variable); }
  void operator()(const Window& w) {
    parts(w.source);
    for (const WindowAttribute& attribute : w.attributes) optional(attribute.value);
  }
  void operator()(const Start& s) { parts(s.source, s.destination, s.semaphore); }
  void operator()(const StartRemote& s) {
    parts(s.source, s.device, s.destination, s.sent, s.arrived);
    optional(s.core);
  }
  void operator()(const Copy& c) { parts(c.source, c.destination); }
  void operator()(const Wait& w) { parts(w.semaphore, w.count); }
  void operator()(const WaitFor& w) { parts(w.semaphore, w.slice); }
  void operator()(const WaitCopy& w) { parts(w.copy); }
  void operator()(const Await& a) { parts(a.semaphore, a.count); }
  void operator()(const Signal& s) {
    parts(s.semaphore, s.count);
    optional(s.device);
    optional(s.core);
  }
  void operator()(const Opaque& o) { parts(o.destinations, o.sources); }
  void operator()(const Operate& o) { parts(o.ref); }
  void operator()(const ScopedDeclaration& s) { parts(s.declaration); }
  void operator()(const CallStatement& c) { parts(c.call); }
  void operator()(const Return& r) { parts(r.value); }
  void operator()(const ReturnNamed& r) { all(r.entries); }

  // declarations
  void operator()(const Type& t) { parts(t.dtype, t.extents); }
  void operator()(const BufferDeclaration& b) {
    parts(b.type);
    if (b.order) all(b.order->dims);
  }
  void operator()(const SemaphoreDeclaration& s) { parts(s.kind, s.extents); }
  void operator()(const MeshDeclaration& m) {
    for (const MeshAxis& axis : m.axes) parts(axis.size);
  }
  void operator()(const ConditionalDeclarations& c) { parts(c.condition, c.then, c.otherwise); }

 private:
  template <typename... Parts>
  void parts(const Parts&... each) {
    (part(each), ...);
  }
  template <typename Part>
  void part(const Part& one) {
    (*this)(one);
  }
  template <typename Part>
  void part(const std::vector<Part>& many) {
    all(many);
  }
  template <typename Part>
  void all(const std::vector<Part>& many) {
    for (const Part& one : many) (*this)(one);
  }
  template <typename Part>
  void optional(const std::optional<Part>& one) {
    if (one) (*this)(*one);
  }

  Visitor& visitor_;
};

}  // namespace

void walk(const Expression& expression, Visitor& visitor) { Walk{visitor}(expression); }
void walk(const Kernel& kernel, Visitor& visitor) { Walk{visitor}(kernel); }
void walk(const Function& function, Visitor& visitor) { Walk{visitor}(function); }

}  // namespace tessera::ast
