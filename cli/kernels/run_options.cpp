#include "run_options.hpp"

#include "cli/files/standard_output.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include <heddle/error.hpp>

#include <charconv>
#include <cstdio>
#include <string_view>
#include <system_error>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace heddle::cli {
namespace {

bool is_count(std::string_view text, int least) {
  int number = -1;
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), number);
  return status == std::errc() && end == text.data() + text.size() && number >= least;
}

}  // namespace

std::string check_target(const std::string& text) {
  const std::string_view all = text;
  const std::size_t colon = all.find(':');
  const std::string_view kind = all.substr(0, colon);
  const bool numbered = colon != std::string_view::npos;
  const bool known = (kind == "parallel" && (!numbered || is_count(all.substr(colon + 1), 1))) ||
                     (kind == "gpu" && (!numbered || is_count(all.substr(colon + 1), 0))) ||
                     (!numbered && (kind == "auto" || kind == "serial"));
  if (known) return "";
  try {
    target::parse(text);
    return "";
  } catch (const error& wrong) {
    return wrong.what();
  }
}

std::string target_in_digits(const std::string& text) {
  const std::size_t colon = text.find(':');
  if (colon == text.npos) return text;
  const auto number = parse_whole_number(std::string_view(text).substr(colon + 1));
  return number ? fmt::format("{}:{}", text.substr(0, colon), *number) : text;
}

std::string check_dtype(const std::string& text) {
  try {
    parse_dtype(text);
    return "";
  } catch (const error& wrong) {
    return wrong.what();
  }
}

std::string set_of_dtypes() {
  std::vector<const char*> names;
  for (int type = 0; type <= static_cast<int>(dtype::complex128); ++type) {
    names.push_back(name(static_cast<dtype>(type)));
  }
  return fmt::format("{{{}}}", fmt::join(names, ","));
}

void add_target_to(CLI::App& command, std::string& target) {
  command.add_option("--target", target, "auto, serial, parallel[:N] (threads) or gpu[:ID]; default auto")
      ->option_text("T")
      ->transform(target_in_digits)
      ->check(check_target, "{auto,serial,parallel,gpu}");
}

void place_options::add_place_to(CLI::App& command) {
  add_target_to(command, target);
  command.add_flag("--stats", stats, "One line of JSON on standard error: what ran where, and how fast");
  command.add_flag("--quiet", quiet, "No progress line");
}

void run_options::add_input_to(CLI::App& command) {
  reads_file(command.add_option("IN.npy", input, "The array")->required()->option_text(" "));
  command.add_option("--dtype", dtype, "Convert the elements to type D first, such as float64 or uint8")
      ->option_text("D")
      ->check(check_dtype, set_of_dtypes());
}

void run_options::add_to(CLI::App& command, bool output_is_required) {
  add_input_to(command);
  CLI::Option* to =
      writes_file(command.add_option("-o,--output", output, "Where the result goes")->option_text("OUT.npy"));
  CLI::Option* along = command.add_option("--axis", axis, "Each row or column along axis K by itself")
                           ->option_text("K")
                           ->check(check_axis);
  if (output_is_required) {
    to->required();
  } else {
    along->needs(to);
  }
  add_place_to(command);
}

void run_options::add_algorithm_to(CLI::App& command, const std::vector<std::string>& names) {
  command
      .add_option("--algorithm", algorithm, fmt::format("{}; default {}", fmt::join(names, "|"), names[0]))
      ->option_text("A")
      ->check(CLI::IsMember(names));
}

void fail_axis_with_textbook(const char* algorithm) {
  throw CLI::ValidationError(
      "--algorithm", fmt::format("{} takes an array flat; with --axis only single-pass does", algorithm));
}

std::optional<heddle::dtype> run_options::element_type() const {
  if (dtype.empty()) return std::nullopt;
  return parse_dtype(dtype);
}

run_stats::run_stats(const char* pattern, const std::string& op, const char* algorithm, std::size_t elements,
                     dtype type, std::size_t bytes, const heddle::target& where)
    : pattern_(pattern),
      op_(op),
      algorithm_(algorithm),
      elements_(elements),
      type_(type),
      bytes_(bytes),
      where_(where) {}

void run_stats::report(const run_options& options) const {
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - began_;
  if (!options.stats) return;
  nlohmann::ordered_json line;
  line["pattern"] = pattern_;
  line["op"] = op_;
  line["target"] = where_.text();
  line["algorithm"] = algorithm_;
  line["n"] = elements_;
  line["dtype"] = name(type_);
  line["seconds"] = elapsed.count();
  line["gb_per_s"] = static_cast<double>(bytes_) / elapsed.count() / 1e9;
  print_error(line.dump() + "\n");
}

}  // namespace heddle::cli
