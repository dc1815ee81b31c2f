#include "algorithm_names.hpp"
#include "cli/commands.hpp"
#include "cli/files/distributed_input.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/files/value_text.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/over_ranks.hpp"
#include "element_types.hpp"
#include <heddle/algorithm.hpp>
#include <heddle/any_array.hpp>
#include <heddle/any_distributed.hpp>
#include <heddle/any_patterns.hpp>
#include <heddle/error.hpp>
#include <heddle/runtime_op.hpp>
#include <heddle/streamed_scan.hpp>

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

constexpr std::pair<const char*, runtime_op> operators[] = {{"sum", runtime_op::plus},
                                                            {"prod", runtime_op::multiplies},
                                                            {"min", runtime_op::minimum},
                                                            {"max", runtime_op::maximum},
                                                            {"difference", runtime_op::minus}};

struct scan_options : run_options {
  bool exclusive = false;
  std::optional<std::string> init;
};

std::string check_init(const std::string& text) {
  return is_value_text(text) ? "" : fmt::format("'{}' is no number", text);
}

/// Scans all elements of the file on a CPU, a piece at a time, from the file into the output.
void scan_by_pieces(runtime_op op, const scan_options& options, npy_input& x,
                    const std::optional<any_value>& init, const shape& lengths, npy_output& output) {
  const std::size_t element_bytes = size_of(x.type());
  streamed_scan so_far(x.where(), op, x.type(), options.exclusive, init);
  const std::size_t piece =
      std::min(std::max<std::size_t>(x.piece() / so_far.unit(), 1) * so_far.unit(), x.size());
  const memory scanned(piece * element_bytes, target());
  progress shown(x.file_bytes(x.size()), options.quiet);
  output.begin(x.type(), lengths);
  for (std::size_t done = 0; done < x.size(); done += piece) {
    stop_if_interrupted();
    const std::size_t count = std::min(piece, x.size() - done);
    so_far.append(x.load(done, count), count, scanned.data());
    output.append(scanned.data(), count * element_bytes);
    shown.advance(x.file_bytes(count));
  }
}

/// The difference of each element of the file from the one before it, on a CPU and by pieces.
void subtract_by_pieces(const scan_options& options, npy_input& x, const shape& lengths, npy_output& output) {
  const std::size_t element_bytes = size_of(x.type()), piece = std::min(x.piece(), x.size());
  // The last element of the piece before, and a piece.
  const memory room((1 + piece) * element_bytes, target()), last(element_bytes, target());
  auto* const elements = static_cast<std::byte*>(room.data()) + element_bytes;
  progress shown(x.file_bytes(x.size()), options.quiet);
  output.begin(x.type(), lengths);
  for (std::size_t done = 0; done < x.size(); done += piece) {
    stop_if_interrupted();
    const std::size_t count = std::min(piece, x.size() - done), before = done > 0 ? 1 : 0;
    std::memcpy(elements, x.load(done, count), count * element_bytes);
    std::memcpy(last.data(), elements + (count - 1) * element_bytes, element_bytes);
    const any_view both(elements - before * element_bytes, x.type(), {before + count}, target());
    adjacent_difference_into(x.where(), both, both);
    std::memcpy(room.data(), last.data(), element_bytes);
    output.append(elements, count * element_bytes);
    shown.advance(x.file_bytes(count));
  }
}

/// All elements of the file scanned, on the CPU.
any_array scanned(runtime_op op, const scan_options& options, scan_algorithm algorithm, npy_input& x,
                  const axis_lines& all, const std::optional<any_value>& init) {
  progress shown(x.file_bytes(x.size()), options.quiet);
  // The elements are brought to where they are scanned, in place.
  any_array elements = x.bring_all(shown);
  const any_view lines = elements.reshaped(shape_of(all));
  if (op == runtime_op::minus && options.axis) {
    adjacent_difference_into(x.where(), lines, lines, axis{1});
  } else if (op == runtime_op::minus) {
    adjacent_difference_into(x.where(), lines, lines);
  } else if (options.axis && options.exclusive) {
    exclusive_scan_into(x.where(), lines, lines, axis{1}, op, init);
  } else if (options.axis) {
    inclusive_scan_into(x.where(), lines, lines, axis{1}, op, init);
  } else if (options.exclusive) {
    exclusive_scan_into(x.where(), lines, lines, op, init, algorithm);
  } else {
    inclusive_scan_into(x.where(), lines, lines, op, init, algorithm);
  }
  return brought_to_cpu(std::move(elements));
}

/// The same over ranks, each of which reads its own elements.
void scan_over_ranks(runtime_op op, const scan_options& options, const npy_file& file, dtype type,
                     const std::optional<any_value>& init, const shape& lengths) {
  const ranks all = ranks_on(options.target);
  require_writable_over_ranks(options.output);
  npy_input x(file, type, type, all.where());
  begin_together();
  const std::size_t bytes = file.size() * size_of(type);
  operation running(options.op.c_str(), file.size(), name(type));
  running.runs_on(all.where());
  const run_stats stats("scan", options.op, options.algorithm.c_str(), file.size(), type,
                        x.file_bytes(file.size()) + bytes, all.where());
  progress shown(x.file_bytes(file.size()) / static_cast<std::size_t>(all.size()), options.quiet);
  const any_distributed_array elements = spread(all, x, lengths, shown);
  const auto scan = [&](const auto&... along) {
    if (op == runtime_op::minus) return adjacent_difference(all, elements, along...);
    return options.exclusive ? exclusive_scan(all, elements, along..., op, init)
                             : inclusive_scan(all, elements, along..., op, init);
  };
  const any_distributed_array result = options.axis ? scan(axis{*options.axis}) : scan();
  stats.report(options);
  stop_if_interrupted();
  write_npy(options.output, result);
}

void run(const scan_options& options) {
  const runtime_op op = std::find_if(std::begin(operators), std::end(operators), [&](const auto& named) {
                          return named.first == options.op;
                        })->second;
  const bool is_order = op == runtime_op::minimum || op == runtime_op::maximum,
             is_difference = op == runtime_op::minus;
  if (is_difference && (options.exclusive || options.init || options.algorithm != "single-pass"))
    throw CLI::ValidationError("--op", "difference takes no --exclusive, --init or --algorithm");
  const target requested = target::parse(options.target);
  const scan_algorithm algorithm = parse_scan_algorithm(options.algorithm);
  if (options.axis && algorithm != scan_algorithm::single_pass) fail_axis_with_textbook(name(algorithm));
  const npy_file file(options.input);
  const std::optional<dtype> asked_for = options.element_type();
  const dtype type = asked_for                   ? *asked_for
                     : is_order || is_difference ? file.dtype()
                                                 : accumulating_type(file.dtype());
  if (is_order && type >= dtype::complex64) fail_complex_order(options.op.c_str(), type);

  axis_lines all{1, file.size(), 1};
  shape lengths{file.size()};
  if (options.axis) {
    all = along(file.shape(), file.shape().resolve_axis(*options.axis));
    lengths = file.shape();
  }

  std::optional<any_value> init;
  if (options.init) {
    alignas(largest_element_bytes) std::byte first[largest_element_bytes];
    try {
      parse_value(*options.init, type, first);
    } catch (const error& wrong) {
      throw error(fmt::format("--init: {}", wrong.what()));
    }
    init.emplace(type, first);
  }

  refuse_over_ranks(algorithm != scan_algorithm::single_pass, "--algorithm", "only single-pass does");
  if (is_over_ranks()) return scan_over_ranks(op, options, file, type, init, lengths);
  npy_output output(options.output);
  const std::size_t bytes = file.size() * size_of(type);
  const target where = resolve(requested, {bytes, bytes, target(), true});
  npy_input x(file, type, type, where);
  operation running(options.op.c_str(), file.size(), name(type));
  running.runs_on(where);
  const run_stats stats("scan", options.op, name(algorithm), file.size(), type,
                        x.file_bytes(file.size()) + bytes, where);
  if (!options.axis && !where.is_gpu() && algorithm == scan_algorithm::single_pass) {
    is_difference ? subtract_by_pieces(options, x, lengths, output)
                  : scan_by_pieces(op, options, x, init, lengths, output);
    stats.report(options);
    output.commit();
  } else {
    const any_array out = scanned(op, options, algorithm, x, all, init);
    stats.report(options);
    output.write(type, lengths, out.data(), options.quiet);
  }
}

}  // namespace

void add_scan(CLI::App& app) {
  CLI::App* command = app.add_subcommand("scan", "Running combinations of the elements of an array");
  const auto options = std::make_shared<scan_options>();
  options->add_to(*command, true);
  std::vector<std::string> names;
  for (const auto& named : operators) names.emplace_back(named.first);
  command->add_option("--op", options->op, "sum|prod|min|max|difference; default sum")
      ->option_text("OP")
      ->check(CLI::IsMember(names));
  options->add_algorithm_to(*command, names_of(scan_algorithms));
  command->add_flag("--exclusive", options->exclusive, "Element i combines those before it, without itself");
  command->add_option("--init", options->init, "Combine V with every result, from the left")
      ->option_text("V")
      ->check(check_init);
  command->footer(
      "Writes an array of as many elements to -o: flat, in C order, without --axis; of the same shape with "
      "it.\n"
      "Types are NumPy's: integers are summed in 64 bits unless --dtype says otherwise; min, max and "
      "difference keep the type.\n"
      "An exclusive scan begins with V, which is the operator's identity unless given: 0, 1, the largest, "
      "the smallest.\n"
      "A difference is an element minus the one before it; the first is kept.");
  command->callback([options] { run(*options); });
}

}  // namespace heddle::cli
