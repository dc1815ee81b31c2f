#include "cli/commands.hpp"
#include "cli/files/distributed_input.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/option_checks.hpp"
#include "cli/options/whole_number.hpp"
#include "cli/over_ranks.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/array.hpp>
#include <heddle/distributed.hpp>
#include <heddle/error.hpp>
#include <heddle/random.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

struct random_options : run_options {
  std::string lengths, seed, offset = "0";
  std::optional<std::string> low, high;
  std::optional<double> mean, deviation;
};

/// "1000" or "300,200".
shape parse_shape(const std::string& text) {
  std::vector<std::size_t> lengths;
  for (const std::string& part : list_of(text)) {
    const auto length = parse_whole_number(part);
    if (!length)
      throw CLI::ValidationError("--shape", fmt::format("'{}' is no shape, such as 1000 or 300,200", text));
    lengths.push_back(*length);
  }
  return shape(lengths);
}

double real(const char* option, const std::optional<std::string>& text, double otherwise) {
  if (!text) return otherwise;
  double value = 0;
  const char* const end = text->data() + text->size();
  const auto [at, status] = std::from_chars(text->data(), end, value);
  if (status != std::errc() || at != end)
    throw CLI::ValidationError(option, fmt::format("'{}' is no number", *text));
  return value;
}

/// Room for all integers of 64 bits, whatever their sign.
using any_integer = __int128;

any_integer integer(const char* option, const std::optional<std::string>& text, any_integer otherwise) {
  if (!text) return otherwise;
  // Above all numbers of 64 bits, so that uint64 has an upper bound.
  if (*text == "18446744073709551616" || *text == "2^64") return any_integer{1} << 64;
  const bool negative = text->starts_with('-');
  const any_integer magnitude = whole_number(option, negative ? text->substr(1) : *text);
  return negative ? -magnitude : magnitude;
}

random::sequence integers(const random_options& options, dtype type, random::stream from) {
  return with_type(type, [&]<class T>(T) -> random::sequence {
    if constexpr (std::is_integral_v<T>) {
      // NOLINTNEXTLINE(bugprone-signed-char-misuse): numbers, not characters
      constexpr any_integer least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
      const any_integer low = integer("--low", options.low, 0),
                        high = integer("--high", options.high, most + 1);
      if (low < least || low > most || high > most + 1) {
        fail(fmt::format("{} holds integers from {} to {} only: --low is at least {}, and --high at most {}",
                         name(type), least, most, least, most + 1));
      }
      if (low >= high) {
        fail(fmt::format("random: there are no integers from {} to below {}: low must be less than high", low,
                         high));
      }
      return random::sequence::integers(type, from, static_cast<std::uint64_t>(low),
                                        static_cast<std::uint64_t>(high - 1));
    }
    fail(fmt::format("integers of {}: the type is bool, int8 to int64 or uint8 to uint64", name(type)));
  });
}

random::sequence asked_for(const random_options& options, dtype type, random::stream from) {
  if (options.op == "integers") return integers(options, type, from);
  if (type != dtype::float32 && type != dtype::float64)
    fail(fmt::format("{} numbers of {}: the type is float32 or float64", options.op, name(type)));
  if (options.op == "uniform") {
    return random::sequence::uniform(type, from, real("--low", options.low, 0),
                                     real("--high", options.high, 1));
  }
  if (options.op == "normal")
    return random::sequence::normal(type, from, options.mean.value_or(0), options.deviation.value_or(1));
  return random::sequence::exponential(type, from, options.mean.value_or(1));
}

/// Throws where an option means nothing to the distribution.
void check_options(const random_options& options) {
  const auto takes = [&](const char* option, bool given, std::string_view of) {
    if (given && of.find(options.op) == of.npos)
      throw CLI::ValidationError(option, fmt::format("{} takes none", options.op));
  };
  takes("--low", options.low.has_value(), "uniform integers");
  takes("--high", options.high.has_value(), "uniform integers");
  takes("--mean", options.mean.has_value(), "normal exponential");
  takes("--deviation", options.deviation.has_value(), "normal");
}

/// Over ranks each makes its own elements, which depend on their index alone: `make(ranks)` is the array.
template <class Make>
void make_over_ranks(const random_options& options, const shape& lengths, dtype type, const Make& make) {
  const ranks all = ranks_on(options.target);
  const std::size_t size = lengths.elements(), bytes = size * size_of(type);
  require_writable_over_ranks(options.output);
  begin_together();
  operation running("random", size, name(type));
  running.runs_on(all.where());
  const run_stats stats("random", options.op, "philox4x32-10", size, type, bytes, all.where());
  const any_distributed_array made = make(all);
  stats.report(options);
  stop_if_interrupted();
  write_npy(options.output, made);
}

void permute(const random_options& options, const target& requested, const shape& lengths,
             random::stream from) {
  if (lengths.axes() != 1) fail(fmt::format("permutation: shape {} has not one axis", lengths.text()));
  if (options.element_type().value_or(dtype::int64) != dtype::int64) fail("permutation: the type is int64");
  const std::size_t n = lengths[0];
  if (is_over_ranks()) {
    return make_over_ranks(options, lengths, dtype::int64,
                           [&](const ranks& all) { return as_int64(random::permutation(all, n, from)); });
  }
  npy_output output(options.output);
  const target where = resolve(requested, {64 * n, 64 * n, target(), true});
  const std::size_t bytes = n * sizeof(std::int64_t);
  const run_stats stats("random", options.op, "philox4x32-10", n, dtype::int64, bytes, where);
  const array<std::size_t> indices = random::permutation(where, n, from);
  const array<std::size_t> brought = indices.on(target());
  stats.report(options);
  output.write(dtype::int64, lengths, brought.data(), options.quiet);
}

void run(const random_options& options) {
  check_options(options);
  const target requested = target::parse(options.target);
  const shape lengths = parse_shape(options.lengths);
  const std::size_t size = lengths.elements();
  const dtype type =
      options.element_type().value_or(options.op == "integers" ? dtype::int64 : dtype::float64);
  const random::stream from{whole_number("--seed", options.seed), whole_number("--offset", options.offset)};
  if (options.op == "permutation") return permute(options, requested, lengths, from);

  const random::sequence numbers = asked_for(options, type, from);
  if (is_over_ranks()) {
    return make_over_ranks(options, lengths, type, [&](const ranks& all) {
      any_distributed_array made(all, type, lengths);
      const std::size_t row = lengths.without_axis(0).elements();
      numbers.fill(all.where(), made.first_row() * row, made.local().size(), made.local().data());
      return made;
    });
  }
  npy_output output(options.output);
  const std::size_t element_bytes = size_of(type), bytes = size * element_bytes;
  const target where = resolve(requested, {0, bytes, target(), true});
  operation running("random", size, name(type));
  running.runs_on(where);
  const run_stats stats("random", options.op, "philox4x32-10", size, type, bytes, where);
  progress shown(bytes, options.quiet);
  output.begin(type, lengths);
  // Elements depend on their index alone: a piece at a time needs no memory for all.
  const std::size_t piece = std::min((std::size_t{16} << 20) / element_bytes, size);
  const memory made(piece * element_bytes, where);
  const memory brought(where.is_gpu() ? made.bytes() : 0, target());
  for (std::size_t first = 0; first < size; first += piece) {
    stop_if_interrupted();
    const std::size_t count = std::min(piece, size - first);
    numbers.fill(where, first, count, made.data());
    if (where.is_gpu()) copy(brought.data(), target(), made.data(), where, count * element_bytes);
    output.append(where.is_gpu() ? brought.data() : made.data(), count * element_bytes);
    shown.advance(count * element_bytes);
  }
  stats.report(options);
  output.commit();
}

}  // namespace

void add_random(CLI::App& app) {
  CLI::App* command = app.add_subcommand("random", "An array of random numbers, the same on every target");
  const auto options = std::make_shared<random_options>();
  command->add_option("DISTRIBUTION", options->op, "uniform|normal|exponential|integers|permutation")
      ->required()
      ->option_text(" ")
      ->check(CLI::IsMember({"uniform", "normal", "exponential", "integers", "permutation"}));
  command->add_option("--shape", options->lengths, "Lengths of the axes, as 1000 or 300,200")
      ->required()
      ->option_text("N,...");
  command->add_option("--seed", options->seed, "The sequence, below 2^64")->required()->option_text("S");
  command->add_option("--offset", options->offset, "Begin with element K of the sequence; default 0")
      ->option_text("K");
  command->add_option("--low", options->low, "The least uniform number or integer; default 0")
      ->option_text("L");
  command
      ->add_option("--high", options->high,
                   "What they stay below; default 1, and of integers all that the type holds. Uniform "
                   "numbers from L to H = L are all L")
      ->option_text("H");
  command->add_option("--mean", options->mean, "Of normal numbers, default 0; of exponential ones, default 1")
      ->option_text("M");
  command
      ->add_option("--deviation", options->deviation, "The standard deviation of normal numbers; default 1")
      ->option_text("D");
  command
      ->add_option("--dtype", options->dtype,
                   "float64, which is the default, or float32; of integers int64 or any other integers")
      ->option_text("D")
      ->check(check_dtype, set_of_dtypes());
  writes_file(command->add_option("-o,--output", options->output, "Where the array goes")
                  ->required()
                  ->option_text("OUT.npy"));
  options->add_place_to(*command);
  command->footer(
      "Element i depends on the seed and on offset + i alone (Philox4x32-10): the same numbers come from "
      "every\n"
      "target, and parts that are made by themselves fit together.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
