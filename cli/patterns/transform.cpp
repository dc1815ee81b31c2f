#include "cli/commands.hpp"
#include "cli/files/interruption.hpp"
#include "cli/files/npy_input.hpp"
#include "cli/files/npy_output.hpp"
#include "cli/files/progress.hpp"
#include "cli/files/standard_output.hpp"
#include "cli/kernels/run_options.hpp"
#include "cli/options/file_options.hpp"
#include "cli/over_ranks.hpp"
#include "expressions/elementwise_source.hpp"
#include "expressions/numpy_expression.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/array.hpp>
#include <heddle/error.hpp>
#include <heddle/kernel.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstring>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

namespace heddle::cli {
namespace {

struct transform_options : run_options {
  std::string expression;
  std::vector<std::string> inputs;
};

/// A file and what the expression calls it.
struct named_file {
  std::string name;
  npy_file file;
};

/// "x=FILE", or a file that is called as its place says: a, b, c, … without i, which is the index.
std::deque<named_file> open_inputs(const std::vector<std::string>& texts) {
  std::deque<named_file> all;
  std::size_t unnamed = 0;
  for (const std::string& text : texts) {
    std::size_t word = 0;
    const auto is_letter = [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    while (word < text.size() &&
           (is_letter(text[word]) || (word > 0 && std::isdigit(static_cast<unsigned char>(text[word])))))
      ++word;
    std::string name, path = text;
    if (word > 0 && word < text.size() && text[word] == '=') {
      name = text.substr(0, word);
      path = text.substr(word + 1);
    } else {
      constexpr std::string_view letters = "abcdefghjklmnopqrstuvwxyz";
      if (unnamed == letters.size())
        throw error(fmt::format("{0}: name more than 25 inputs, as in x={0}", shown_path(text)));
      name = letters[unnamed++];
    }
    for (const named_file& other : all) {
      if (other.name == name)
        throw error(
            fmt::format("two inputs are called {}: {} and {}", name, other.file.path(), shown_path(path)));
    }
    all.push_back({name, npy_file(path)});
  }
  return all;
}

/// An input of the kernel: elements that go side by side with those of the result, a piece at a time;
/// or all of its elements, found by strides.
class kernel_input {
 public:
  kernel_input(const named_file& from, bool is_broadcast, const target& where, progress& shown)
      : from_(from), read_(from.file, from.file.dtype(), from.file.dtype(), where) {
    if (!is_broadcast) return;
    all_ = read_.bring_all(shown);
    pointer_ = all_->data();
  }
  kernel_input(const kernel_input&) = delete;

  bool is_broadcast() const { return all_.has_value(); }
  std::size_t piece() const { return is_broadcast() ? ~std::size_t{0} : read_.piece(); }
  std::size_t file_bytes(std::size_t elements) const {
    return is_broadcast() ? 0 : read_.file_bytes(elements);
  }

  untyped_argument argument(std::size_t first, std::size_t count) {
    if (is_broadcast()) return {&pointer_, sizeof pointer_, false};
    return {read_.load(first, count), size_of(from_.file.dtype())};
  }

 private:
  const named_file& from_;
  npy_input read_;
  std::optional<any_array> all_;
  void* pointer_ = nullptr;
};

/// Computes the elements of this rank, a piece at a time, and writes those of all.
template <class F>
void compute_over_ranks(const transform_options& options, const run_stats& stats, dtype type,
                        const shape& lengths, std::size_t piece, const F& computed) {
  any_distributed_array result(all_ranks().on(target()), type, lengths);
  const std::size_t n = result.local().size(), bytes = size_of(type),
                    begin = result.first_row() * result.shape().without_axis(0).elements();
  for (std::size_t done = 0; done < n; done += piece) {
    const std::size_t count = std::min(piece, n - done);
    std::memcpy(static_cast<std::byte*>(result.local().data()) + done * bytes, computed(begin + done, count),
                count * bytes);
  }
  stats.report(options);
  stop_if_interrupted();
  write_npy(options.output, result);
}

void run(const transform_options& options) {
  const target requested = target::parse(options.target);
  const std::deque<named_file> files = open_inputs(options.inputs);
  std::vector<expressions::expression_input> names;
  std::vector<expressions::array_input> arrays;
  std::size_t bytes_read = 0;
  for (const named_file& f : files) {
    names.push_back({f.name, f.file.dtype()});
    arrays.push_back({f.name, f.file.dtype(), f.file.shape()});
    bytes_read += f.file.size() * size_of(f.file.dtype());
  }
  const expressions::translated_expression translated =
      expressions::translate_expression(options.expression, names);
  const dtype type = options.element_type().value_or(translated.type);
  const shape lengths = expressions::broadcast_shape(arrays);
  const std::size_t n = lengths.elements(), element_bytes = size_of(type), bytes = n * element_bytes;
  const target where = is_over_ranks()
                           ? ranks_on(options.target).where()
                           : resolve(requested, {bytes_read, bytes, target(), can_compile_for_gpu()});
  std::optional<npy_output> output;
  if (!is_over_ranks() || all_ranks().rank() == 0) output.emplace(options.output);
  operation running("transform", n, name(type));
  running.runs_on(where);

  std::deque<kernel_input> inputs;
  const expressions::elementwise_source source = expressions::source_of(translated, arrays, lengths, type);
  const elementwise_kernel kernel(source.parameters, source.operation, source.options);
  begin_together();
  const run_stats stats("transform", options.expression, "single-pass", n, type, bytes_read + bytes, where);
  progress shown(bytes_read, options.quiet);
  std::size_t piece = (std::size_t{16} << 20) / element_bytes;
  for (std::size_t k = 0; k < files.size(); ++k) {
    const kernel_input& x =
        inputs.emplace_back(files[k], expressions::is_broadcast(arrays[k], lengths), where, shown);
    piece = std::min(piece, x.piece());
  }

  piece = std::max<std::size_t>(piece, 1);
  const memory written(std::min(piece, n) * element_bytes, where);
  memory brought;
  if (where.is_gpu()) brought = memory(written.bytes(), target());
  /// Elements first … first+count−1 of the result, on the CPU, until the next call.
  const auto computed = [&](std::size_t first, std::size_t count) -> const void* {
    stop_if_interrupted();
    std::vector<untyped_argument> arguments;
    for (kernel_input& x : inputs) arguments.push_back(x.argument(first, count));
    arguments.push_back({written.data(), element_bytes, true, true, where});
    kernel.on_piece(where, arguments, count, first, n);
    if (!where.is_gpu()) return written.data();
    copy(brought.data(), target(), written.data(), where, count * element_bytes);
    return brought.data();
  };
  if (is_over_ranks() && lengths.axes() > 0)
    return compute_over_ranks(options, stats, type, lengths, piece, computed);
  if (!output) return;  // one element, which the first rank computes
  output->begin(type, lengths);
  for (std::size_t first = 0; first < n; first += piece) {
    const std::size_t count = std::min(piece, n - first);
    output->append(computed(first, count), count * element_bytes);
    for (const kernel_input& x : inputs) shown.advance(x.file_bytes(count));
  }
  stats.report(options);
  output->commit();
}

}  // namespace

void keep_expression_from_options(const CLI::App& app, std::vector<std::string>& words) {
  if (words.empty() || words.front() != "transform") return;
  const CLI::App& command = *app.get_subcommand(words.front());
  for (std::size_t i = 1; i < words.size(); ++i) {
    std::string& word = words[i];
    if (word.size() < 2 || word.front() != '-' || word == "--") return;
    const bool is_short = word[1] != '-';
    const std::string name = is_short ? word.substr(0, 2) : word.substr(0, word.find('='));
    const CLI::Option* const option = command.get_option_no_throw(name);
    const bool takes_value = option != nullptr && option->get_items_expected_max() > 0;
    if (is_short && !takes_value && (option == nullptr || word != name)) {
      word.insert(0, " ");
      return;
    }
    if (takes_value && word == name) ++i;
  }
}

void add_transform(CLI::App& app) {
  CLI::App* command = app.add_subcommand("transform", "An expression of the elements of arrays, one by one");
  const auto options = std::make_shared<transform_options>();
  command->add_option("EXPR", options->expression, "Such as 'a * sqrt(b) + 1'")->required()->option_text(" ");
  reads_file(command->add_option("IN.npy", options->inputs, "The arrays: a, b, c, ... in order, or x=FILE")
                 ->required()
                 ->option_text("..."),
             file_text::named_path);
  writes_file(command->add_option("-o,--output", options->output, "Where the result goes")
                  ->required()
                  ->option_text("OUT.npy"));
  command->add_option("--dtype", options->dtype, "Convert the result to type D, such as float64 or uint8")
      ->option_text("D")
      ->check(check_dtype, set_of_dtypes());
  options->add_place_to(*command);
  command->footer(
      "Operators, functions and types are NumPy's, and shapes are broadcast as NumPy does; i is the index of "
      "the "
      "element.\n"
      "The expression is compiled: on a CPU by the system's C++ compiler, which must be there, on a GPU by "
      "NVRTC.\n"
      "What was compiled is kept for the next run.");
  command->callback([options] {
    if (options->expression.starts_with(" -")) options->expression.erase(0, 1);
    run(*options);
  });
}

}  // namespace heddle::cli
