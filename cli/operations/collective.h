// What the commands of the collectives have in common: operands on every device, one launch and a
// verdict over all devices.
#pragma once
#include <deque>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/args/options.h"
#include "cli/args/run_request.h"
#include "cli/operations/operation_command.h"
#include "core/data/dtype.h"
#include "core/kernel/tiling.h"
#include "kernels/inputs/fill.h"
#include "kernels/launch/launch.h"
#include "kernels/oracle/check_grouped.h"

namespace tessera::cli {

// A call of a collective, ready to run.
struct Collective {
  using Tensors = std::vector<Tensor>;

  RunRequest request;
  CollectiveOptions options;     // its `run` is filled in when it runs
  std::deque<Tensors> operands;  // what the launch's inputs point to
  std::optional<Launch> launch;
  Json shape = Json::object();
  std::string types;       // "bf16 . bf16 -> f32"
  DType dtype = DType::bf16;  // of its first operand
  std::int64_t flops = 0;  // on all devices
  bool whole = false;      // operands are small whole numbers
  bool has_given_config = false;
  std::vector<std::string> notes;
  std::function<Verdict(const Launch&, const CheckOptions&)> judge;
};

// Where the copies of a collective go.
enum class Peers : std::uint8_t { neighbours, all };

// Reads what the commands share, one problem after the other.
class CollectiveReader {
 public:
  explicit CollectiveReader(const Arguments& arguments) : arguments_(arguments) {}

  // The options of every collective: devices, rings, fill, run; and a profile that has the routes.
  void begin(Collective& collective, Peers peers = Peers::neighbours);
  const Tensor& rings() const { return rings_; }
  std::int64_t length() const { return rings_.dim(1); }
  std::size_t devices() const { return static_cast<std::size_t>(rings_.elements()); }
  // An extent that must be given, and the share of it that each place of a ring has.
  std::int64_t extent(std::string_view option, std::int64_t lowest = 0);
  std::int64_t shared(std::string_view option, std::int64_t extent);
  std::int64_t integer(std::string_view option, std::int64_t fallback, std::int64_t lowest = 0);
  std::optional<std::int64_t> optional(std::string_view option, std::int64_t lowest = 0);
  DType type(std::string_view option, DType fallback);
  std::size_t choice(std::string_view option, std::span<const std::string_view> words);
  bool has(std::string_view option) const { return arguments_.has(option); }
  std::string_view text(std::string_view option) const { return arguments_.text(option); }
  std::uint64_t seed() const { return seed_; }

  // --tiling, if given: three positive sides.
  std::optional<Tiling> tiling();
  // --group-sizes, of `rows` rows: a list, or a distribution by a seed of its own.
  std::vector<std::int64_t> group_sizes(std::int64_t groups, std::int64_t rows,
                                        std::uint64_t stream);

  // One tensor for each device, or `count`, by the fill; sums have `terms` products.
  const Collective::Tensors& fill(Collective& collective, DType type, const Shape& shape,
                                  FillRole role, std::int64_t terms,
                                  std::optional<std::size_t> count = {});
  void complain(std::string text) { diags_.push_back(error(std::move(text))); }
  bool ok() const { return diags_.empty(); }
  Diags diags() const { return diags_; }

 private:
  const Arguments& arguments_;
  Tensor rings_;
  Fill fill_ = Fill::normal;
  bool fills_lazily_ = false;
  std::uint64_t seed_ = 0, stream_ = 0;
  Diags diags_;
};

// --m, --k, ... of one command, then those of all; devices without neighbours have no --rings.
Options collective_options(Options own, Peers peers = Peers::neighbours);
// What the commands of all operations run.
Expected<OperationCall> as_call(Collective collective);

}  // namespace tessera::cli
