#pragma once

#include "viewed_simulation.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <mandelbrot/colours.hpp>
#include <mandelbrot/mandelbrot.hpp>
#include <nlohmann/json.hpp>

namespace heddle::viewer {

/// How a view of the Mandelbrot set begins.
struct mandelbrot_start {
  std::string re = "-0.5", im = "0";
  double width = 3;              ///< of the plane
  std::uint32_t iterations = 0;  ///< 0: as many as the depth wants
  std::string palette;           ///< the default one where it is empty
  bool smooth = false;
};

/// The Mandelbrot set, to 10^-300: coarse at first, then finer. What a window shares with the one before,
/// moved by whole pixels, is not counted again; what it does not show any more is not counted to the end.
class mandelbrot_view final : public viewed_simulation {
 public:
  mandelbrot_view(mandelbrot_start start, const target& where);
  ~mandelbrot_view() override;

  std::string_view kind() const override { return "mandelbrot"; }
  nlohmann::json description() const override;
  void step(std::uint64_t) override {}
  std::uint64_t steps() const override { return 0; }
  bool is_finished() const override { return true; }
  work work_of_step() const override { return {0, "pixels/s", 0, "bound by arithmetic"}; }
  void restart() override;
  const target& where() const override { return where_; }
  void move_to(const target& where) override;
  window home(std::uint32_t width, std::uint32_t height) const override;
  rendering render(const window& shown, std::string_view palette) override;
  void look_at(const window& shown, std::string_view palette) override;

  /// iterations {count}, 0 for as many as the depth wants; smooth {on}.
  void handle(std::string_view action, const nlohmann::json& arguments) override;

  nlohmann::json status() override;
  std::string command_line() const override;
  std::vector<std::string> formats() const override { return {"png", "npy"}; }
  saved_file save(std::string_view format) override;

 private:
  struct painting;

  painting& painting_of(const window& shown, const std::string& palette);
  std::shared_ptr<const mandelbrot::reference_orbit> reference_for(const mandelbrot::picture& what);
  void count_for(painting& of, double seconds);

  mandelbrot_start start_;
  std::uint32_t iterations_;
  bool smooth_;
  target where_;
  std::shared_ptr<const mandelbrot::reference_orbit> reference_;
  // The newest first: a few, since each client has a window of its own.
  std::list<painting> paintings_;
  std::uint64_t pixels_ = 0;  // that have been counted so far
  window last_;
  std::string last_palette_;
};

}  // namespace heddle::viewer
