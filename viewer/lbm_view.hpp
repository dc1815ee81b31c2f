#pragma once

#include "arguments.hpp"
#include "plotted.hpp"
#include "viewed_simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <lattice_boltzmann/field.hpp>
#include <lattice_boltzmann/flow.hpp>
#include <lattice_boltzmann/tracers.hpp>

namespace heddle::viewer {

/// How a view of a flow begins.
struct lbm_start {
  lbm::settings given;
  /// A checkpoint to go on from instead, or nothing.
  std::string resume;
  lbm::field shown = lbm::field::velocity;
  /// The command's words that give it, without steps and output.
  std::string words;
};

/// A flow by the lattice Boltzmann method: obstacles are drawn, erased and dragged while it runs.
class lbm_view final : public viewed_simulation {
 public:
  /// Throws what a flow does.
  lbm_view(lbm_start start, const target& where);

  std::string_view kind() const override { return "lbm"; }
  nlohmann::json description() const override;
  void step(std::uint64_t count) override;
  std::uint64_t steps() const override { return flow_->steps(); }
  work work_of_step() const override;
  void restart() override;
  const target& where() const override { return flow_->where(); }
  void move_to(const target& where) override;
  window home(std::uint32_t width, std::uint32_t height) const override;
  rendering render(const window& shown, std::string_view palette) override;

  /// solid, fluid and dye {from, to, radius}; cylinder {x, y, radius}, which is grabbed then; grab {x, y} of
  /// an obstacle, drag {x, y} to a place, nudge {right, up} by cells; speed {value}, viscosity {value}, show
  /// {name}, clear {}.
  void handle(std::string_view action, const nlohmann::json& arguments) override;

  nlohmann::json status() override;
  std::string command_line() const override;
  std::vector<std::string> formats() const override { return {"checkpoint", "npy", "obstacles.npy", "png"}; }
  saved_file save(std::string_view format) override;

 private:
  /// The picture: a field, lines along the flow or dye.
  enum class picture { velocity, vorticity, density, lines, dye };
  static constexpr const char* pictures[] = {"velocity", "vorticity", "density", "lines", "dye"};
  static_assert(std::size(pictures) == static_cast<std::size_t>(picture::dye) + 1);

  std::size_t width() const { return flow_->given().width; }
  std::size_t height() const { return flow_->given().height; }
  std::vector<std::uint8_t> obstacles() const;
  void set_obstacles(const std::vector<std::uint8_t>& wanted);
  void begin_dye();
  std::uint64_t steps_of_dye() const;
  void carry_dye();
  /// Those of the flow of now, which take a look at all cells.
  const lbm::bounds& within();
  void approach_wanted();
  void grab(double x, double y);
  /// The obstacle that is grabbed moves as the pointer does from here.
  void hold_at(double x, double y);
  void drag(double x, double y);
  void add_to_plots();
  std::vector<std::uint8_t> pixels_of(const picture_part& part);
  std::vector<colour> colours_of(std::string_view palette) const;
  std::string picture_name() const { return pictures[static_cast<int>(shown_)]; }

  lbm_start start_;
  std::unique_ptr<lbm::flow> flow_;
  std::unique_ptr<lbm::dye> dye_;
  std::vector<std::uint8_t> dye_sources_;
  std::uint64_t dye_waits_ = 0;  // steps
  picture shown_ = picture::velocity;
  double velocity_wanted_ = 0, viscosity_wanted_ = 0;
  std::optional<lbm::bounds> within_;
  bool is_edited_ = false;
  std::uint64_t began_ = 0;  // the step of the beginning
  plotted drag_, lift_;
  // The cells of the obstacle that is dragged, where it was grabbed, where it is, and the other obstacles.
  std::vector<std::pair<std::ptrdiff_t, std::ptrdiff_t>> grabbed_;
  double grabbed_x_ = 0, grabbed_y_ = 0, dragged_x_ = 0, dragged_y_ = 0;
  std::vector<std::uint8_t> others_;
  // The numbers of the field that is shown, until something changes.
  std::optional<array<float>> values_;
};

}  // namespace heddle::viewer
