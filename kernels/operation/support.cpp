#include "kernels/operation/support.h"

#include <fmt/format.h>

#include <functional>
#include <map>
#include <string_view>

#include "devices/devices.h"
#include "kernels/grouped_matmul/run.h"
#include "kernels/grouped_matmul/settings.h"
#include "kernels/grouped_matmul/validate.h"
#include "kernels/launch/config_request.h"
#include "kernels/operation/platform.h"
#include "kernels/programs/kernels.h"

namespace tessera {
namespace {

// Returns the platforms of all devices, then the reference.
std::vector<Platform> executions() {
  std::vector<Platform> all;
  for (const Device* device : devices_as_listed()) all.emplace_back(device->name());
  all.push_back(Platform::Reference);
  return all;
}

Support refusal(const Diags& diags) { return {false, diags.front().message}; }

// A call that every device supports. Each row of the table changes one property of this call.
struct Example {
  bool is_transposed = false;  // tgmm
  DType lhs = DType::bf16, rhs = DType::bf16;
  std::int64_t m = 512, k = 512, n = 512;
  bool has_existing = false;
  GroupedMatmulOptions options;

  Support on(Platform platform) const {
    const std::int64_t groups = 4, offset = options.window.offset;
    GroupedMatmulOptions call = options;
    call.device = device_of(platform);
    const std::int64_t local = groups - offset;
    const Tensor sizes_of_groups = i32_tensor({m / 4, m / 4, m / 4, m / 4});
    const Tensor left(lhs, {m, k});
    const Shape weights = options.transpose_rhs ? Shape{local, n, k} : Shape{local, k, n};
    const Tensor right(rhs, is_transposed ? Shape{m, n} : weights);
    const Tensor existing(options.out_dtype, is_transposed ? Shape{local, k, n} : Shape{m, n});
    if (has_existing) call.existing_out = &existing;
    if (is_transposed) call.lhs_layout = GroupedMatmulOptions::LhsLayout::mk;
    const auto describe = is_transposed ? describe_tgmm : describe_gmm;
    const Expected<GroupedDesc> desc = describe(left, right, sizes_of_groups, call);
    if (!desc) return refusal(desc.diags());
    const Device* const device = find_device(platform);
    if (device == nullptr) {
      const Expected<void> uncut = refuse_config(config_request(call));
      return uncut ? Support() : refusal(uncut.diags());
    }
    return supports_product(*device, *desc, call);
  }
};

struct Variant {
  std::string option;
  std::function<void(Example&)> change;
};

std::vector<Variant> variants(bool is_transposed) {
  std::vector<Variant> all;
  const auto types = [&](DType lhs, DType rhs, DType out) {
    all.push_back(
        {fmt::format("{} . {} -> {}", name(lhs), name(rhs), name(out)), [=](Example& example) {
           example.lhs = lhs;
           example.rhs = rhs;
           example.options.out_dtype = out;
         }});
  };
  types(DType::bf16, DType::bf16, DType::f32);
  types(DType::bf16, DType::bf16, DType::bf16);
  types(DType::f16, DType::f16, DType::f32);
  types(DType::f16, DType::f16, DType::f16);
  types(DType::f32, DType::f32, DType::f32);
  types(DType::bf16, DType::f32, DType::f32);
  types(DType::i8, DType::i8, DType::i32);
  types(DType::i8, DType::i8, DType::f32);
  types(DType::e4m3, DType::e4m3, DType::f32);
  types(DType::e4m3, DType::e5m2, DType::f32);
  if (!is_transposed)
    all.push_back({"transpose_rhs", [](Example& e) { e.options.transpose_rhs = true; }});
  all.push_back({"group_offset", [](Example& e) { e.options.window.offset = 1; }});
  all.push_back({"rows local", [](Example& e) {
                   e.options.window = {1, GroupWindow::Local};
                   e.m = 384;
                   e.options.strict_sum = false;
                 }});
  all.push_back({"existing_out accumulate", [](Example& e) { e.has_existing = true; }});
  all.push_back({"existing_out overwrite", [](Example& e) {
                   e.has_existing = true;
                   e.options.existing_mode = ExistingOut::Overwrite;
                 }});
  all.push_back({"k and n that no tile divides", [](Example& e) { e.k = e.n = 200; }});
  all.push_back({"k and n that are odd", [](Example& e) { e.k = e.n = 201; }});
  all.push_back(
      {"precision highest", [](Example& e) { e.options.precision = Precision::Highest; }});
  all.push_back({"input_buffer_count 3", [](Example& e) { e.options.input_buffer_count = 3; }});
  if (is_transposed)
    all.push_back({"num_actual_groups", [](Example& e) { e.options.num_actual_groups = 2; }});
  return all;
}

void add_grouped(const std::string& algorithm, SupportTable& table) {
  const bool is_transposed = algorithm == "transposed_grouped_matmul";
  for (const Variant& variant : variants(is_transposed)) {
    Example example;
    example.is_transposed = is_transposed;
    variant.change(example);
    SupportRow row{algorithm, variant.option, {}};
    for (const Platform platform : executions()) row.on.push_back(example.on(platform));
    table.rows.push_back(std::move(row));
  }
}

// True if the reference can run the operation instead of the kernel. Not for grouped_matmul.
bool has_reference(const Kernel& kernel) {
  return kernel.command == "ragged-dot" || kernel.command == "grouped-gemm";
}

// Returns a value for the parameter that every kernel accepts.
std::string sample(const ParameterInfo& parameter) {
  static const std::map<std::string_view, std::string_view> known = {
      {"rings", "1"},  {"length", "2"},       {"ranks", "2"},
      {"groups", "4"}, {"local_groups", "2"}, {"slices", "2"}};
  const auto found = known.find(parameter.name);
  return std::string(found == known.end() ? "256" : found->second);
}

// Adds a kernel other than a grouped matmul: one row per type that it supports.
void add_kernel(const Kernel& kernel, SupportTable& table) {
  const Expected<const Module*> module = embedded_module(kernel.name);
  const KernelInfo* const info = module ? (*module)->find(kernel.name) : nullptr;
  if (info == nullptr) return;
  Settings settings;
  std::vector<std::string> types = {""};
  std::string type_name;
  for (const ParameterInfo& parameter : info->parameters) {
    if (parameter.kind == ParameterInfo::Kind::dtype) {
      if (type_name.empty()) {
        type_name = parameter.name;
        types = parameter.choices;
      } else {
        settings[parameter.name] = parameter.choices.front();
      }
    } else if (parameter.default_text.empty()) {
      settings[parameter.name] = sample(parameter);
    }
  }
  for (const std::string& type : types) {
    if (!type_name.empty()) settings[type_name] = type;
    SupportRow row{std::string(kernel.name), type.empty() ? "every option" : type, {}};
    const Expected<Program> program = make_kernel(kernel.name, settings);
    for (const Platform platform : executions()) {
      if (!program)
        row.on.push_back(refusal(program.diags()));
      else if (platform == Platform::Reference && has_reference(kernel))
        row.on.push_back({});
      else if (platform == Platform::Reference)
        row.on.push_back({false, "the reference only checks its results"});
      else
        row.on.push_back(find_device(platform)->supports(*program));
    }
    table.rows.push_back(std::move(row));
  }
}

}  // namespace

SupportTable support_table() {
  SupportTable table;
  for (const Platform platform : executions()) table.executions.emplace_back(name(platform));
  add_grouped("grouped_matmul", table);
  SupportRow row{"grouped_matmulv2", "the same as grouped_matmul", {}};
  row.on.resize(table.executions.size());
  table.rows.push_back(std::move(row));
  add_grouped("transposed_grouped_matmul", table);
  for (const Kernel& kernel : kernels()) {
    if (kernel.name != "gmm" && kernel.name != "tgmm") add_kernel(kernel, table);
  }
  return table;
}

}  // namespace tessera
