#include "lattice_boltzmann/checkpoint.hpp"

#include "lattice_boltzmann/geometry.hpp"
#include <heddle/error.hpp>

#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

#include <sys/mman.h>
#include <unistd.h>

namespace {

using namespace heddle::lbm;

struct state {
  settings given;
  std::uint64_t steps;
  std::optional<std::uint64_t> compared;
  double force_x, force_y;
  std::vector<unsigned char> numbers, velocities_then;

  friend bool operator==(const state&, const state&) = default;
};

state read(const std::string& path) {
  checkpoint_reader from(path);
  state made{from.given(), from.steps(), from.compared(), from.last_force().x, from.last_force().y, {}, {}};
  // What a flow is made of before the rest is read.
  make_plan(made.given, describe(made.given));
  const std::size_t cells = made.given.width * made.given.height, bytes = bytes_of(made.given.kept);
  made.numbers.resize(velocities * cells * bytes);
  from.read(made.numbers.data(), made.numbers.size());
  if (made.compared) {
    made.velocities_then.resize(cells * bytes_of_velocity(made.given.kept));
    from.read(made.velocities_then.data(), made.velocities_then.size());
  }
  from.finish();
  return made;
}

}  // namespace

// Any bytes are either refused with one line that names the file or the method, or read as a state that is
// the same after it was written and read again.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
  const int file = memfd_create("checkpoint", MFD_CLOEXEC);
  if (file < 0 || write(file, bytes, size) != static_cast<ssize_t>(size)) std::abort();
  const std::string path = "/proc/self/fd/" + std::to_string(file);
  try {
    const state one = read(path);
    const std::string again = "/tmp/heddle_fuzz_checkpoint_" + std::to_string(getpid());
    checkpoint_writer to(again, one.given, one.steps, one.compared, {one.force_x, one.force_y});
    to.write(one.numbers.data(), one.numbers.size());
    to.write(one.velocities_then.data(), one.velocities_then.size());
    to.commit();
    const state other = read(again);
    unlink(again.c_str());
    if (!(one == other)) std::abort();
  } catch (const heddle::error& problem) {
    const std::string text = problem.what();
    const bool is_named = text.rfind(path + ": ", 0) == 0 || text.rfind("lbm: ", 0) == 0;
    if (!is_named || text.find('\n') != std::string::npos) std::abort();
  }
  close(file);
  return 0;
}
