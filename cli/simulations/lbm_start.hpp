#pragma once

#include <functional>
#include <string>

#include <CLI/App.hpp>
#include <lattice_boltzmann/settings.hpp>

namespace heddle::cli {

/// The options that say what a flow begins with. A checkpoint has what they say but the case.
struct lbm_start_options {
  std::string which, size, collision = "trt", storage = "f32", drive, obstacles, resume, field;
  double reynolds = 0, velocity = 0.1, smagorinsky = 0;

  /// `of_the_flow` is called with each option that a checkpoint has too.
  void add_start_to(CLI::App& command, const std::function<void(CLI::Option*)>& of_the_flow);
  /// Throws heddle::error for obstacles that are none.
  lbm::settings settings() const;
  /// The words that give them again, for a shell, without the field and a checkpoint.
  std::string words() const;
};

}  // namespace heddle::cli
