#include "lattice_boltzmann/checkpoint.hpp"
#include "lattice_boltzmann/flow.hpp"
#include "lattice_boltzmann/flow_state.hpp"

#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace heddle::lbm {

void flow::save(const std::string& path) const {
  check();
  const bool compares = state_->compared && state_->steps - *state_->compared <= steps_between_comparisons();
  const force last = state_->force_of_last_step();
  std::optional<checkpoint_writer> to;  // of the rank that writes
  state_->on_first([&] {
    to.emplace(path, state_->given, state_->steps, compares ? state_->compared : std::nullopt, last);
  });
  state_->write_populations(to);
  if (compares) state_->write_compared(to);
  state_->on_first([&] { to->commit(); });
}

flow flow::resume(const target& where, const std::string& path) {
  return resume(where, std::nullopt, path);
}
flow flow::resume(const ranks& all, const std::string& path) {
  return resume(all.where(), all, path);
}
flow flow::resume(const target& where, const std::optional<ranks>& all, const std::string& path) {
  checkpoint_reader from(path);
  std::unique_ptr<state> made = make(where, all, from.given(), from.compared().has_value());
  made->steps = from.steps();
  made->compared = from.compared();
  made->kept_force = from.last_force();
  {
    const operation running("lbm", made->given.width * made->given.height, name(made->given.kept));
    made->read_populations(from);
    if (made->compared) made->read_compared(from);
  }
  from.finish();
  made->look_at_first();
  return flow(std::move(made));
}

}  // namespace heddle::lbm
