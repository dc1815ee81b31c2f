#pragma once

#include "arguments.hpp"
#include "plotted.hpp"
#include "viewed_simulation.hpp"
#include <heddle/array.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <laplace/laplace.hpp>

namespace heddle::viewer {

/// How a view of Laplace begins.
template <class T>
struct laplace_start {
  array<T> points;                          ///< (H, W): the edges, and where the iteration begins
  array<T> source;                          ///< the same shape, or of no elements
  std::optional<array<std::uint8_t>> held;  ///< where points inside stay
  laplace::method how = laplace::method::multigrid;
  double tolerance = 1e-6;  ///< of the residual, at which it is finished
  /// The command's words that give it, without iterations and output.
  std::string words;
};

/// Laplace's and Poisson's equation: walls and charges are drawn while it is solved.
template <class T>
class laplace_view final : public viewed_simulation {
 public:
  /// Throws what a solver does.
  laplace_view(laplace_start<T> start, const target& where);

  std::string_view kind() const override { return "laplace"; }
  nlohmann::json description() const override;
  void step(std::uint64_t count) override;
  std::uint64_t steps() const override { return before_ + solver_->iterations(); }
  bool is_finished() const override;
  work work_of_step() const override;
  void restart() override;
  const target& where() const override { return solver_->where(); }
  void move_to(const target& where) override;
  window home(std::uint32_t width, std::uint32_t height) const override;
  rendering render(const window& shown, std::string_view palette) override;

  /// wall {from, to, radius, value}, charge {x, y, value}, erase {from, to, radius}, method {name}, level
  /// {number}, clear {}.
  void handle(std::string_view action, const nlohmann::json& arguments) override;

  nlohmann::json status() override;
  std::string command_line() const override;
  std::vector<std::string> formats() const override {
    return {"npy", "held.npy", "source.npy", "vti", "png"};
  }
  saved_file save(std::string_view format) override;

 private:
  std::size_t width() const { return start_.points.shape()[1]; }
  std::size_t height() const { return start_.points.shape()[0]; }
  bool is_inner(std::size_t column, std::size_t row) const;
  std::unique_ptr<laplace::solver<T>> made(const target& where, laplace::method how,
                                           const array<T>& points) const;
  void look();
  void set_wall(const stroke& drawn, T value);
  void set_charge(double x, double y, double charge);
  void erase(const stroke& drawn);
  void clear();
  rendering render_level(const window& shown, const laplace::grid_view<T>& of,
                         const std::vector<colour>& palette) const;

  laplace_start<T> start_;  // with the walls and charges of now
  std::unique_ptr<laplace::solver<T>> solver_;
  std::uint64_t before_ = 0;   // iterations of solvers before this one
  std::uint64_t at_once_ = 1;  // steps that were asked for last
  double residual_ = 0;
  std::size_t level_ = 0;  // 0: the points; above, the correction of a coarser grid
  bool is_edited_ = false;
  plotted residuals_;
  std::vector<plotted> of_levels_;
};

}  // namespace heddle::viewer
