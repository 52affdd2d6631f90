#include "text/numbers.h"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace tessera {
namespace {

// Without an exponent; about three significant figures from 1 on.
std::string figures(double value) {
  if (value == 0) return "0";
  const double size = std::fabs(value);
  return fmt::format("{:.{}f}", value, size >= 100 ? 0 : size >= 10 ? 1 : 2);
}

}  // namespace

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || stop != end) return std::nullopt;
  return value;
}

std::optional<std::vector<std::int64_t>> parse_integers(std::string_view text) {
  std::vector<std::int64_t> result;
  for (const std::string& part : split(text, ',')) {
    const std::optional<std::int64_t> value = parse_integer(part);
    if (!value) return std::nullopt;
    result.push_back(*value);
  }
  return result;
}

std::optional<std::vector<double>> parse_reals(std::string_view text) {
  std::vector<double> result;
  for (const std::string& part : split(text, ',')) {
    double value = 0;
    const char* const end = part.data() + part.size();
    const auto [stop, problem] = std::from_chars(part.data(), end, value);
    if (problem != std::errc() || stop != end) return std::nullopt;
    result.push_back(value);
  }
  return result;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else {
      parts.back().push_back(c);
    }
  }
  return parts;
}

std::string human_seconds(double seconds) {
  if (seconds >= 1) return figures(seconds) + " s";
  if (seconds >= 1e-3) return figures(seconds * 1e3) + " ms";
  return figures(seconds * 1e6) + " us";
}

std::string human_bytes(std::int64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"B", "KiB", "MiB", "GiB", "TiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; std::fabs(amount) >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  const bool is_integer = amount == std::floor(amount);
  return fmt::format("{} {}", is_integer ? fmt::format("{:.0f}", amount) : figures(amount),
                     units[unit]);
}

std::string human_count(double count) {
  if (count < 1e6) return fmt::format("{:.0f}", count);
  if (count < 1e9) return figures(count / 1e6) + " million";
  return figures(count / 1e9) + " billion";
}

std::string counted(std::int64_t count, std::string_view singular, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? singular : plural);
}

}  // namespace tessera
