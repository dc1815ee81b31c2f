#include "live_view.hpp"

#include "cli/files/interruption.hpp"
#include <heddle/error.hpp>
#include <heddle/support/named_stream.hpp>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <iterator>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

namespace heddle::cli {
namespace {

// Those of the only view; a handler of signals reads them.
volatile std::sig_atomic_t terminal = -1;
termios settings_before;

constexpr std::string_view begin_view = "\033[?1049h\033[?25l\033[2J";  // another screen, no cursor
constexpr std::string_view end_view = "\033[?2026l\033[0m\033[?25h\033[?1049l";
// Terminals that know these show all that is between them at once.
constexpr std::string_view begin_picture = "\033[?2026h", end_picture = "\033[0m\033[?2026l";
constexpr const char* upper_half = "\u2580";

bool send(std::string_view text) noexcept {
  return write_bytes(terminal, text.data(), text.size()) == text.size();
}

[[noreturn]] void fail_without_terminal(int descriptor) {
  const int code = errno;
  if (descriptor >= 0) ::close(descriptor);
  fail(fmt::format(
      "--watch: no terminal to show pictures in: /dev/tty: {}: start it in one, or leave out --watch",
      std::generic_category().message(code)));
}

}  // namespace

void give_terminal_back() noexcept {
  const int descriptor = terminal;
  if (descriptor < 0) return;
  send(end_view);
  ::tcsetattr(descriptor, TCSANOW, &settings_before);
  terminal = -1;
  ::close(descriptor);
}

live_view::live_view() {
  stop_if_interrupted();
  // Not a standard stream: those may be files.
  const int descriptor = ::open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
  if (descriptor < 0 || ::tcgetattr(descriptor, &settings_before) != 0) fail_without_terminal(descriptor);
  termios keys = settings_before;
  keys.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
  keys.c_cc[VMIN] = 0;
  keys.c_cc[VTIME] = 0;
  // A process that waits in the background, or dumps its core, would leave its picture to the shell.
  keys.c_cc[VSUSP] = _POSIX_VDISABLE;
  keys.c_cc[VQUIT] = _POSIX_VDISABLE;
  if (::tcsetattr(descriptor, TCSANOW, &keys) != 0) fail_without_terminal(descriptor);
  terminal = descriptor;
  send(begin_view);
}

live_view::~live_view() {
  give_terminal_back();
}

bool live_view::end_is_asked() {
  read_keys(clock::duration::zero());
  return ended_;
}

void live_view::stay() {
  while (!ended_) read_keys(std::chrono::milliseconds(100));
}

void live_view::read_keys(clock::duration wait) {
  const clock::time_point until = clock::now() + wait;
  do {
    stop_if_interrupted();
    pollfd input{terminal, POLLIN, 0};
    const auto left = std::chrono::ceil<std::chrono::milliseconds>(until - clock::now()).count();
    const int ready = ::poll(&input, 1, paused_ ? 100 : static_cast<int>(std::clamp<long>(left, 0, 100)));
    if (ready <= 0) continue;
    char typed[64];
    const ssize_t count = ::read(terminal, typed, sizeof typed);
    if (count <= 0) {
      // A signal has closed it; or it is gone, and nobody watches.
      stop_if_interrupted();
      ended_ = true;
    }
    for (const char key : std::string_view(typed, static_cast<std::size_t>(std::max<ssize_t>(0, count)))) {
      if (key == 'q') ended_ = true;
      if (key == ' ') paused_ = !paused_;
    }
  } while (!ended_ && (paused_ || clock::now() < until));
}

void live_view::show(std::size_t width, std::size_t height, function_ref<colour(const block&)> colour_of,
                     std::string_view caption) {
  winsize room{};
  if (::ioctl(terminal, TIOCGWINSZ, &room) != 0 || room.ws_col == 0 || room.ws_row < 2) {
    room.ws_col = 80;
    room.ws_row = 24;
  }
  if (room.ws_col != columns_ || room.ws_row != lines_) {
    columns_ = room.ws_col;
    lines_ = room.ws_row;
    shown_.clear();
    send("\033[0m\033[2J");
  }
  const std::size_t across = columns_, down = 2 * (lines_ - 1);
  width = std::max<std::size_t>(1, width);
  height = std::max<std::size_t>(1, height);
  const std::size_t larger = std::max<std::size_t>(1, std::min(across / width, down / height));
  const std::size_t smaller = std::max((width + across - 1) / across, (height + down - 1) / down);
  const auto pixels_for = [&](std::size_t cells) { return (cells + smaller - 1) / smaller * larger; };
  const std::size_t left = (across - pixels_for(width)) / 2, top = (down - pixels_for(height)) / 2;

  constexpr colour around{40, 40, 40};
  std::vector<colour> pixels(across * down, around);
  for (std::size_t y = 0; y < height; y += smaller) {
    for (std::size_t x = 0; x < width; x += smaller) {
      const colour here = colour_of({x, y, std::min(smaller, width - x), std::min(smaller, height - y)});
      for (std::size_t row = 0; row < larger; ++row) {
        std::fill_n(pixels.begin() + static_cast<std::ptrdiff_t>((top + y / smaller * larger + row) * across +
                                                                 left + x / smaller * larger),
                    larger, here);
      }
    }
  }
  draw(pixels, caption);
  read_keys(next_ - clock::now());
  next_ = clock::now() + std::chrono::milliseconds(33);
}

void live_view::draw(const std::vector<colour>& pixels, std::string_view caption) {
  // Only what changed is sent, because the terminal may be far away.
  fmt::memory_buffer text;
  const auto add = [&text]<class... T>(fmt::format_string<T...> form, T&&... what) {
    fmt::format_to(std::back_inserter(text), form, std::forward<T>(what)...);
  };
  add("{}", begin_picture);
  const colour* upper_now = nullptr;
  const colour* lower_now = nullptr;
  for (std::size_t line = 0; line + 1 < lines_; ++line) {
    bool cursor_is_here = false;
    for (std::size_t column = 0; column < columns_; ++column) {
      const std::size_t above = 2 * line * columns_ + column, below = above + columns_;
      if (!shown_.empty() && shown_[above] == pixels[above] && shown_[below] == pixels[below]) {
        cursor_is_here = false;
        continue;
      }
      if (!cursor_is_here) add("\033[{};{}H", line + 1, column + 1);
      cursor_is_here = true;
      const colour &upper = pixels[above], &lower = pixels[below];
      if (!upper_now || *upper_now != upper) add("\033[38;2;{};{};{}m", upper[0], upper[1], upper[2]);
      if (!lower_now || *lower_now != lower) add("\033[48;2;{};{};{}m", lower[0], lower[1], lower[2]);
      upper_now = &upper;
      lower_now = &lower;
      add("{}", upper_half);
    }
  }
  add("\033[0m\033[{};1H\033[K{:.{}}{}", lines_, caption, columns_, end_picture);
  if (!send({text.data(), text.size()})) ended_ = true;
  shown_ = pixels;
}

}  // namespace heddle::cli
