#pragma once

#include "viewed_simulation.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <life/universe.hpp>
#include <nlohmann/json.hpp>

namespace heddle::viewer {

/// How a view of Life begins.
struct life_start {
  life::placed_grid cells;
  life::topology shape = life::topology::torus;
  life::rule law;
  std::uint64_t generation = 0;
  life::algorithm how = life::algorithm::packed;
  /// The command's words that give it, with neither generations nor output: "--random 64x64 --seed 3".
  std::string words;
};

/// Life: cells that are drawn, erased and pasted while it runs.
class life_view final : public viewed_simulation {
 public:
  /// Throws what a universe does.
  life_view(life_start start, const target& where);

  std::string_view kind() const override { return "life"; }
  nlohmann::json description() const override;
  void step(std::uint64_t count) override;
  std::uint64_t steps() const override { return world_.generation(); }
  work work_of_step() const override;
  void restart() override;
  const target& where() const override { return world_.where(); }
  void move_to(const target& where) override;
  window home(std::uint32_t width, std::uint32_t height) const override;
  rendering render(const window& shown, std::string_view palette) override;

  /// cells {alive, points}, pattern {text, x, y, turn, flip}, rule {rule}, random {density, x, y, width,
  /// height}, clear {}.
  void handle(std::string_view action, const nlohmann::json& arguments) override;

  nlohmann::json status() override;
  std::string command_line() const override;
  std::vector<std::string> formats() const override { return {"rle", "cells", "npy", "png"}; }
  saved_file save(std::string_view format) override;

 private:
  void set_cells(const nlohmann::json& arguments);
  void put_pattern(const nlohmann::json& arguments);
  void fill_randomly(const nlohmann::json& arguments);
  void clear();
  void count();

  life_start start_;
  life::universe world_;
  std::uint64_t at_once_ = 1;  // steps that were asked for last
  bool is_edited_ = false;
  std::uint64_t seed_ = 0;  // of the next random cells
  bool is_counted_ = false;
  std::uint64_t population_ = 0;
  std::chrono::steady_clock::time_point counted_{};
  std::vector<std::pair<std::uint64_t, std::uint64_t>> history_;  // generations and populations
};

}  // namespace heddle::viewer
