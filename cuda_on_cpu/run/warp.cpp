#include "cuda_on_cpu/run/warp.hpp"

#include "cuda_on_cpu/device/heddle_device/abi.hpp"

namespace heddle::cuda_on_cpu {
namespace {

using heddle_device::shuffle_kind;
using heddle_device::vote_kind;

void shuffle(warp_visit* const (&lanes)[32], std::uint32_t arrived) {
  for_each_lane(arrived, [&](std::uint32_t lane) {
    warp_visit& visit = *lanes[lane];
    const std::uint32_t source = shuffle_source(visit, lane);
    visit.result = (arrived >> source & 1) != 0 ? lanes[source]->value : visit.value;
  });
}

void vote(warp_visit* const (&lanes)[32], std::uint32_t arrived) {
  std::uint32_t set = 0;
  for_each_lane(arrived, [&](std::uint32_t lane) { set |= (lanes[lane]->value != 0 ? 1u : 0u) << lane; });
  const auto kind = static_cast<vote_kind>(lanes[__builtin_ctz(arrived)]->kind);
  std::uint64_t combined = 0;
  bool is_first = true;
  for_each_lane(arrived, [&](std::uint32_t lane) {
    const auto v = static_cast<std::uint32_t>(lanes[lane]->value), f = static_cast<std::uint32_t>(combined);
    const bool less =
        lanes[lane]->is_signed ? static_cast<std::int32_t>(v) < static_cast<std::int32_t>(f) : v < f;
    if (is_first) {
      combined = v;
      is_first = false;
      return;
    }
    combined = kind == vote_kind::reduce_add   ? v + f
               : kind == vote_kind::reduce_min ? (less ? v : f)
               : kind == vote_kind::reduce_max ? (less ? f : v)
               : kind == vote_kind::reduce_and ? (v & f)
               : kind == vote_kind::reduce_or  ? (v | f)
                                               : (v ^ f);
  });
  for_each_lane(arrived, [&](std::uint32_t lane) {
    warp_visit& visit = *lanes[lane];
    std::uint32_t same = 0;
    for_each_lane(arrived, [&](std::uint32_t other) {
      same |= (lanes[other]->value == visit.value ? 1u : 0u) << other;
    });
    switch (kind) {
      case vote_kind::all:
        visit.result = set == arrived;
        break;
      case vote_kind::any:
        visit.result = set != 0;
        break;
      case vote_kind::uniform:
        visit.result = set == arrived || set == 0;
        break;
      case vote_kind::ballot:
        visit.result = set;
        break;
      case vote_kind::match_any:
        visit.result = same;
        break;
      case vote_kind::match_all:
        visit.result = same == arrived ? arrived : 0;
        break;
      default:
        visit.result = static_cast<std::uint32_t>(combined);
    }
  });
}

}  // namespace

std::uint32_t shuffle_source(const warp_visit& visit, std::uint32_t lane) {
  const auto width = static_cast<std::uint32_t>(visit.width), by = static_cast<std::uint32_t>(visit.argument);
  const std::uint32_t segment = lane & ~(width - 1), end = segment + width;
  std::uint32_t source = lane;
  switch (static_cast<shuffle_kind>(visit.kind)) {
    case shuffle_kind::indexed:
      source = segment | (by & (width - 1));
      break;
    case shuffle_kind::up:
      if (by < 32 && lane >= segment + by) source = lane - by;
      break;
    case shuffle_kind::down:
      if (by < 32 && lane + by < end) source = lane + by;
      break;
    case shuffle_kind::exclusive_or:
      if ((lane ^ by) < end) source = lane ^ by;
      break;
  }
  return source % 32;
}

void finish_warp(warp_visit* const (&lanes)[32], std::uint32_t arrived) {
  if (arrived == 0) return;
  switch (lanes[__builtin_ctz(arrived)]->operation) {
    case warp_operation::sync:
      return;
    case warp_operation::shuffle:
      return shuffle(lanes, arrived);
    case warp_operation::vote:
      return vote(lanes, arrived);
  }
}

}  // namespace heddle::cuda_on_cpu
