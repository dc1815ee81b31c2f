#include "checker/engine/engine.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

/// What functions of textures and surfaces read and write.
namespace heddle::checker {

using heddle_device::texture_access;
using heddle_device::texture_problem;

namespace {

/// "(3, 7) of (4, 4)".
std::string place_text(const texture_access& a) {
  return fmt::format("({}) of ({})", fmt::join(a.at, a.at + a.axes, ", "),
                     fmt::join(a.extent, a.extent + a.axes, ", "));
}

}  // namespace

/// Whether the launch goes on after what is wrong with an access.
bool engine::report_texture(thread_state& t, const texture_access& a, std::uintptr_t pc) {
  const char* const thing = a.is_surface ? "surface" : "texture";
  const auto told = [&](finding_kind kind, severity level, std::string detail) {
    finding* const f = report(kind, pc, static_cast<std::uintptr_t>(a.problem), nullptr);
    if (f == nullptr) return;
    f->level = level;
    f->places.push_back(place_of(t, fmt::format("calls {}", a.function), pc));
    f->detail = std::move(detail);
  };
  switch (a.problem) {
    case texture_problem::none:
      return true;
    case texture_problem::no_object:
      told(finding_kind::invalid_texture, severity::error,
           fmt::format("it is no {} object, or one that is destroyed", thing));
      return false;
    case texture_problem::wrong_kind:
      told(finding_kind::invalid_texture, severity::error,
           fmt::format("{} is not for {}", a.function, a.detail));
      return false;
    case texture_problem::wrong_type:
      told(finding_kind::invalid_texture, severity::error,
           fmt::format("{}, and is read as the other: CUDA does not say what that gives", a.detail));
      return true;
    case texture_problem::outside:
      told(finding_kind::out_of_bounds, severity::note,
           fmt::format("{} of element {} of {}: a texture gives 0 there", a.function, a.at[0], a.extent[0]));
      return true;
    case texture_problem::trap:
      told(finding_kind::out_of_bounds, severity::error,
           fmt::format(
               "{} at {}: the launch stops there, unless cudaBoundaryModeZero or cudaBoundaryModeClamp "
               "is asked for",
               a.function, place_text(a)));
      return false;
    case texture_problem::misaligned:
      told(finding_kind::misaligned_access, severity::error,
           fmt::format("{} takes columns in bytes: {} is no multiple of the {} bytes of an element",
                       a.function, a.at[0], a.bytes));
      return false;
  }
  return true;
}

/// What a texture or a surface reads is cached: what the same launch wrote is there or is not, in whatever
/// order. Where nothing orders the two it is a race as elsewhere.
void engine::compare_with_cache(thread_state& t, const texture_access& a, std::uintptr_t address,
                                std::uintptr_t pc) {
  const region* const r = find(t, address);
  if (r == nullptr || r->is_shared || r->last == nullptr || !r->has(address, a.bytes)) return;
  const std::size_t first = (address - r->begin) >> r->shift,
                    last = (address - r->begin + a.bytes - 1) >> r->shift;
  for (std::size_t word = first; word <= last; ++word) {
    r->for_each_record(word, grid_base_, [&](const record& before) {
      if (before.block < first_serial_ || (before.kind() & record::write) == 0) return;
      const bool is_own = before.block == t.block->serial && before.thread == t.index;
      if (!is_own && !comes_before(before, t, *t.block)) return;
      finding* const f = report(finding_kind::incoherent_read, pc, before.pc, r->identity());
      if (f == nullptr) return;
      f->places.push_back(place_of(t, fmt::format("reads, by {},", a.function), pc));
      f->places.push_back(place_of(before, first_serial_, options_.block, options_.grid));
      name_element(*f, *r, address);
      f->detail = "a launch may read so only what earlier launches and copies have written";
    });
  }
}

void engine::texture(thread_state& t, const texture_access& a, std::uintptr_t pc) {
  if (!t.is_watched) {
    if (a.writes) note_change();
    return;
  }
  if (!report_texture(t, a, pc)) stop(t);
  for (std::uint32_t i = 0; i < a.count; ++i) {
    if (a.address[i] == nullptr) continue;
    const auto address = reinterpret_cast<std::uintptr_t>(a.address[i]);
    if (!a.writes) compare_with_cache(t, a, address, pc);
    access(t, address, a.bytes, a.writes ? record::write : 0, pc);
  }
}

}  // namespace heddle::checker
