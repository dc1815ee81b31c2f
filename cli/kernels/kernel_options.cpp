#include "kernel_options.hpp"

#include "checker/build/arguments.hpp"
#include "checker/build/compiler_command.hpp"
#include "cli/options/file_options.hpp"
#include "cli/options/whole_number.hpp"
#include <heddle/error.hpp>
#include <heddle/target.hpp>

#include <algorithm>
#include <limits>
#include <string_view>

#include <CLI/CLI.hpp>
#include <fmt/core.h>

namespace heddle::cli {
namespace {

/// Reads X, X,Y or X,Y,Z; false for anything else.
bool read_extents(std::string_view text, heddle_device::index3& out) {
  std::uint32_t* const axes[] = {&out.x, &out.y, &out.z};
  out = {1, 1, 1};
  for (std::uint32_t* axis : axes) {
    const std::size_t end = std::min(text.find(','), text.size());
    const auto extent = parse_whole_number(text.substr(0, end));
    if (!extent || *extent == 0 || *extent > std::numeric_limits<std::uint32_t>::max()) return false;
    *axis = static_cast<std::uint32_t>(*extent);
    if (end == text.size()) return true;
    text.remove_prefix(end + 1);
  }
  return false;
}

std::string check_extents(const std::string& text) {
  heddle_device::index3 ignored{};
  return read_extents(text, ignored) ? "" : fmt::format("'{}' is not X, X,Y or X,Y,Z", text);
}

/// The argument again, with the count of an array in digits where it is a whole number.
std::string count_in_digits(const std::string& text) {
  const std::size_t open = text.find('['), close = text.find(']');
  if (open == text.npos || close == text.npos || close < open) return text;
  const auto count = parse_whole_number(std::string_view(text).substr(open + 1, close - open - 1));
  return count ? fmt::format("{}{}{}", text.substr(0, open + 1), *count, text.substr(close)) : text;
}

}  // namespace

void kernel_options::add_to(CLI::App& command) {
  reads_file(command.add_option("KERNEL.cu", source, "The file")->required()->option_text(" "));
  add_launch_to(command, true);
  add_compilation_to(command);
  add_place_to(command);
}

void kernel_options::add_launch_to(CLI::App& command, bool is_required) {
  CLI::Option* const named = command
                                 .add_option("--kernel", kernel,
                                             "Its __global__ function; of a template an instance, such as "
                                             "'sum<float>', of overloads one with "
                                             "its types, such as 'sum(float*, int)'")
                                 ->option_text("NAME");
  CLI::Option* const of_grid =
      command.add_option("--grid", grid, "Blocks")->option_text("X[,Y[,Z]]")->check(check_extents);
  CLI::Option* const of_block = command.add_option("--block", block, "Threads of a block")
                                    ->option_text("X[,Y[,Z]]")
                                    ->check(check_extents);
  CLI::Option* const of_shared =
      command.add_option("--shared", shared_bytes, "Dynamic shared memory of a block; default 0")
          ->option_text("BYTES")
          ->transform(byte_count());
  CLI::Option* const of_arguments = reads_file(
      command
          .add_option("--arg", arguments,
                      "The arguments, in order: i32:7, f64:0.5, a structure's i32:7,f32:0.5, f32[1024], "
                      "f32[1024]=random:SEED, i32[100]=zeros, "
                      "i32[100]=arange, f32[]=FILE.npy; :out=FILE.npy after an array writes it to a file")
          ->option_text("A ...")
          ->expected(1)
          ->take_all()
          ->transform(count_in_digits),
      file_text::kernel_argument);
  if (is_required) {
    for (CLI::Option* const o : {named, of_grid, of_block}) o->required();
    return;
  }
  named->needs(of_grid)->needs(of_block);
  for (CLI::Option* const o : {of_grid, of_block, of_shared, of_arguments}) o->needs(named);
}

void kernel_options::add_compilation_to(CLI::App& command) {
  command.add_option("-I", compile.include_folders, "A folder of headers")
      ->option_text("DIR")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  command.add_option("-D", compile.definitions, "A macro")
      ->option_text("NAME[=VALUE]")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  reads_file(command
                 .add_option("--include", compile.forced_includes,
                             "A header that is read first, also spelled -include")
                 ->option_text("FILE")
                 ->expected(1)
                 ->allow_extra_args(false)
                 ->take_all());
  command.add_option("--isystem", compile.include_folders, "As -I, also spelled -isystem")
      ->option_text("DIR")
      ->expected(1)
      ->allow_extra_args(false)
      ->take_all();
  compile.standard = "c++17";
  command
      .add_option("--std", compile.standard, "The language; default c++17, which stands for older ones too")
      ->option_text("S")
      ->transform(checker::newer_standard)
      ->check(CLI::IsMember({"c++17", "c++20", "c++23", "gnu++17", "gnu++20", "gnu++23"}));
}

heddle::target kernel_options::checked_target() const {
  if (target.starts_with("gpu")) throw error("kernels are checked on the CPU: --target serial or parallel");
  return heddle::target::parse(target);
}

std::size_t kernel_options::cores() const {
  const heddle::target where = checked_target();
  return static_cast<std::size_t>(where.is_automatic() ? available_cores() : where.threads());
}

checker::launch_options kernel_options::launch() const {
  checker::launch_options result;
  result.threads = cores();
  read_extents(grid, result.grid);
  read_extents(block, result.block);
  result.shared_bytes = shared_bytes;
  return result;
}

dimensions kernel_options::grid_dimensions() const {
  heddle_device::index3 extents{};
  read_extents(grid, extents);
  return {extents.x, extents.y, extents.z};
}

dimensions kernel_options::block_dimensions() const {
  heddle_device::index3 extents{};
  read_extents(block, extents);
  return {extents.x, extents.y, extents.z};
}

std::vector<checker::argument> kernel_options::read_arguments() const {
  std::vector<checker::argument> result;
  for (const std::string& a : arguments) result.push_back(checker::parse_argument(a));
  return result;
}

}  // namespace heddle::cli
