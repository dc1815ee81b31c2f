#include "lattice_boltzmann/checkpoint.hpp"

#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <string_view>
#include <system_error>

#include <fmt/core.h>

namespace heddle::lbm {
namespace {

constexpr std::string_view title = "heddle lbm checkpoint ", version = "4";
constexpr std::uint64_t sum_of_nothing = 0xcbf29ce484222325u;

/// FNV-1a over words of eight bytes; the last one is filled up with 0.
void add_to(std::uint64_t& sum, const void* data, std::size_t bytes) {
  const auto* from = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < bytes; i += 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, from + i, std::min<std::size_t>(8, bytes - i));
    sum = (sum ^ word) * 0x100000001b3u;
  }
}

template <class T>
std::optional<T> number(std::string_view text) {
  T value{};
  const auto [end, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return status == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

}  // namespace

checkpoint_writer::checkpoint_writer(const std::string& path, const settings& given, std::uint64_t steps,
                                     std::optional<std::uint64_t> compared, const force& last)
    : file_(path), sum_(sum_of_nothing) {
  // The shortest digits that are read back as the same number.
  const std::string head = fmt::format(
      "{}{}\ncase {}\nwidth {}\nheight {}\nreynolds {}\nvelocity {}\ncollision {}\nstorage {}\nsmagorinsky "
      "{}\n"
      "fraction_bits {}\ndrive {}\nobstacles {}\nsteps {}\ncompared {}\nforce_x {}\nforce_y "
      "{}\n\n",
      title, version, name(given.which), given.width, given.height, given.reynolds, given.velocity,
      name(given.how), name(given.kept), given.smagorinsky, given.fraction_bits, name(given.by),
      given.obstacles.empty() ? 0 : 1, steps, compared ? std::to_string(*compared) : "none", last.x, last.y);
  write(head.data(), head.size());
  if (!given.obstacles.empty()) write(given.obstacles.data(), given.obstacles.size());
}

void checkpoint_writer::write(const void* data, std::size_t bytes) {
  add_to(sum_, data, bytes);
  file_.write(data, bytes);
}

void checkpoint_writer::commit() {
  file_.write(&sum_, sizeof sum_);
  file_.commit();
}

void checkpoint_reader::fail(const std::string& what) const {
  heddle::fail(fmt::format("{}: {}", path_, what));
}

checkpoint_reader::checkpoint_reader(const std::string& path)
    : path_(shown_path(path)), sum_(sum_of_nothing) {
  errno = 0;
  file_.open(path, std::ios::binary);
  if (!file_) fail(fmt::format("cannot open: {}", std::generic_category().message(errno)));
  std::string head, line;
  const auto next = [&](std::string_view wanted) {
    line.clear();
    // Nothing here is long; what is not a checkpoint may have no lines at all.
    for (char c; line.size() < 100 && file_.get(c) && c != '\n';) line += c;
    head += line + "\n";
    if (!std::string_view(line).starts_with(wanted)) {
      fail(fmt::format("no checkpoint of lbm: line {} does not begin with '{}'",
                       std::count(head.begin(), head.end(), '\n'), wanted));
    }
    return std::string_view(line).substr(wanted.size());
  };
  const auto take = [&](const auto& value, auto& into) {
    if (!value) fail(fmt::format("no checkpoint of lbm: '{}' has no value that is known", line));
    into = *value;
  };
  if (const std::string_view found = next(title); found != version) {
    fail(
        fmt::format("a checkpoint of lbm of version {}, where version {} is read: it goes on with the heddle "
                    "that wrote it",
                    found, version));
  }
  take(named(flow_cases, next("case ")), given_.which);
  take(number<std::size_t>(next("width ")), given_.width);
  take(number<std::size_t>(next("height ")), given_.height);
  take(number<double>(next("reynolds ")), given_.reynolds);
  take(number<double>(next("velocity ")), given_.velocity);
  take(named(collisions, next("collision ")), given_.how);
  take(named(storages, next("storage ")), given_.kept);
  take(number<double>(next("smagorinsky ")), given_.smagorinsky);
  take(number<int>(next("fraction_bits ")), given_.fraction_bits);
  if (given_.fraction_bits < 0 || given_.fraction_bits > 30) fail("no checkpoint of lbm: fraction_bits");
  take(named(drives, next("drive ")), given_.by);
  int has_obstacles = 0;
  take(number<int>(next("obstacles ")), has_obstacles);
  take(number<std::uint64_t>(next("steps ")), steps_);
  if (const std::string_view compared = next("compared "); compared != "none") {
    take(number<std::uint64_t>(compared), compared_.emplace());
    if (*compared_ > steps_)
      fail(fmt::format("no checkpoint of lbm: {} is after its {} steps", line, steps_));
  }
  take(number<double>(next("force_x ")), last_force_.x);
  take(number<double>(next("force_y ")), last_force_.y);
  if (!std::isfinite(last_force_.x) || !std::isfinite(last_force_.y))
    fail("no checkpoint of lbm: the force on obstacles is not finite");
  next("");
  if (!line.empty()) fail("no checkpoint of lbm: its head does not end with an empty line");
  add_to(sum_, head.data(), head.size());
  const auto begin = file_.tellg();
  file_.seekg(0, std::ios::end);
  const auto left = static_cast<double>(file_.tellg() - begin);
  file_.seekg(begin);
  // Before memory is asked for.
  const double cells = static_cast<double>(given_.width) * static_cast<double>(given_.height);
  const double bytes = static_cast<double>(bytes_of(given_.kept));
  const double compared_bytes = compared_ ? static_cast<double>(bytes_of_velocity(given_.kept)) : 0;
  const double wanted = cells * (9 * bytes + compared_bytes + (has_obstacles != 0 ? 1 : 0)) + 8;
  if (left != wanted) {
    fail(fmt::format("not a whole checkpoint: {:.0f} bytes after its head, where {}x{} cells take {:.0f}",
                     left, given_.width, given_.height, wanted));
  }
  if (has_obstacles != 0) {
    given_.obstacles.resize(given_.width * given_.height);
    read(given_.obstacles.data(), given_.obstacles.size());
  }
  try {
    if (completed(given_) == given_) return;
  } catch (const error& wrong) {
    fail(wrong.what());
  }
  fail("no checkpoint of lbm: its settings are not whole");
}

void checkpoint_reader::read(void* data, std::size_t bytes) {
  if (!file_.read(static_cast<char*>(data), static_cast<std::streamsize>(bytes)))
    fail("cannot be read to its end");
  add_to(sum_, data, bytes);
}

void checkpoint_reader::finish() {
  std::uint64_t wanted = 0;
  if (!file_.read(reinterpret_cast<char*>(&wanted), sizeof wanted)) fail("cannot be read to its end");
  if (wanted != sum_) fail("a damaged checkpoint: its sum is not that of its bytes");
}

}  // namespace heddle::lbm
