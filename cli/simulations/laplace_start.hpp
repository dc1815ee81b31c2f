#pragma once

#include <heddle/array.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/shape.hpp>

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/App.hpp>
#include <laplace/laplace.hpp>

namespace heddle::cli {

/// The options that say what a run of Laplace begins with.
struct laplace_start_options {
  std::string size;
  std::string edges = "sine";
  std::string source, held, dtype;
  std::string method = "multigrid";

  void add_start_to(CLI::App& command);
  /// The words that give them again, for a shell, without the method.
  std::string words() const;
  laplace::method how() const;
};

/// Its files, each opened once, as they may be pipes, and what they have in common. Throws heddle::error for
/// arrays that do not fit together.
struct laplace_files {
  std::optional<npy_file> edges, source, held;  // nothing for sine, for 0 and for none
  shape lengths;

  explicit laplace_files(const laplace_start_options& options);
  /// The arithmetic that options and edges ask for.
  bool is_float(const laplace_start_options& options) const;
  /// 1 where `held` is not 0.
  array<std::uint8_t> mask() const;
};

}  // namespace heddle::cli
