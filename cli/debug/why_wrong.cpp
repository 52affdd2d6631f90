#include "cli/debug/why_wrong.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "core/report/try.h"
#include "debugger/commands/why.h"
#include "debugger/session/inspect.h"
#include "debugger/session/session.h"
#include "interp/findings/describe.h"
#include "interp/launch.h"

namespace tessera::cli {
namespace {

constexpr int shown_lines = 12;

Expected<std::string> answer(const ComparedResult& result, const Index& index,
                             const RunOptions& options, const Again& simulate) {
  std::optional<KeptRun> launch = TRY(launch_of(simulate, options));
  if (!launch) return std::string();
  const std::unique_ptr<Session> session = TRY(Session::open(*std::move(launch)));
  TRY(session->go_to(Turn::unlimited));
  const Buffer& declared = *result.expected->buffer;
  const auto buffer = find_buffer(session->program(), declared.name);
  if (!buffer) return std::string();
  Box box{.rank = static_cast<std::int8_t>(declared.shape.size())};
  for (std::size_t d = 0; d < declared.shape.size(); ++d) {
    box.start[d] = index[d];
    box.size[d] = 1;
    box.dropped |= static_cast<std::uint8_t>(1U << d);
  }
  const CoreIndex core = session->machine().topology().first_of(result.expected->device);
  return debugger::why_elements(*session,
                                {owner_of(session->machine(), core, *buffer), *buffer, box});
}

}  // namespace

std::string why_wrong(const Program& program, const std::vector<ComparedResult>& compared,
                      const RunOptions& options, const Again& simulate) {
  const auto wrong = std::find_if(compared.begin(), compared.end(), [](const ComparedResult& one) {
    return one.comparison.wrong > 0;
  });
  if (wrong == compared.end()) return {};
  const Buffer& buffer = *wrong->expected->buffer;
  const Index index = Layout(buffer).index(wrong->comparison.first_wrong);
  const Expected<std::string> all = answer(*wrong, index, options, simulate);
  if (!all) return {};
  std::size_t end = 0;
  for (int i = 0; i < shown_lines && end < all->size(); ++i) end = all->find('\n', end) + 1;
  std::string text = all->substr(0, end);
  if (end < all->size())
    text += fmt::format("  ... `gmm-run why` with --of 'dev{}.{}' shows the rest\n",
                        wrong->expected->device,
                        element_text(program, program.buffers.id_of(buffer), index));
  return text;
}

}  // namespace tessera::cli
