#pragma once

#include "kernels/module_state.hpp"
#include <heddle/impl/core/order.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace heddle::impl {

/// "float x, const int* k" as a list; `operation` shows which are written. Throws heddle::error.
std::vector<expression_parameter> parse_parameters(std::string_view text, std::string_view operation);

/// Whether a statement assigns to the variable: x = …, x += …, ++x, x.y = …, x[0] = ….
bool assigns_to(std::string_view operation, std::string_view name);

/// The parts of the source that depend on which parameters of a call are arrays.
struct expression_text {
  std::vector<expression_parameter> parameters;
  std::vector<bool> is_array;
  std::string preamble, name;
};
std::string elementwise_source(const expression_text& text, const std::string& operation);

/// How a reduction or a scan combines.
struct combination {
  std::string type, map, combine, identity;
  std::size_t element_bytes = 4;
  bool is_floating = false, is_commutative = false;

  /// As order.hpp cuts an array.
  std::size_t lanes() const { return is_commutative ? 512 / element_bytes : 32; }
  std::size_t tile() const { return order::rows * lanes(); }
};
/// Threads of a block that reduces with an operator that does not commute, a warp to a tile.
inline constexpr std::size_t ordered_threads = 256, ordered_tiles = ordered_threads / 32;
std::string reduction_source(const expression_text& text, const combination& how);

/// Elements in a tile of a scan, and threads that take its runs.
inline constexpr std::size_t scan_threads = 128, scan_run = 8, scan_tile = scan_threads * scan_run;
std::string scan_source(const expression_text& text, const combination& how);

/// An elementwise operation on some elements of more: they are numbers `offset` and on of `n`.
void run_elements(expression_state& state, const expression_call& call, const expression_argument* arguments,
                  std::size_t n, std::size_t offset);

/// "a + b" and its like on numbers.
bool is_known_to_commute(std::string_view combine);

}  // namespace heddle::impl
