#pragma once

/// What the lanes of a warp tell one another.

#include "atomics.hpp"

namespace heddle_device {

template <class T>
HEDDLE_DEVICE T shuffle(shuffle_kind kind, unsigned mask, T value, int argument, int width) {
  return from_bits<T>(heddle_shuffle(kind, mask, bits_of(value), argument, width));
}

}  // namespace heddle_device

#define HEDDLE_SHUFFLE(T)                                                                               \
  HEDDLE_DEVICE T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {                       \
    return heddle_device::shuffle(heddle_device::shuffle_kind::indexed, mask, value, lane, width);      \
  }                                                                                                     \
  HEDDLE_DEVICE T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {                 \
    return heddle_device::shuffle(heddle_device::shuffle_kind::up, mask, value, static_cast<int>(by),   \
                                  width);                                                               \
  }                                                                                                     \
  HEDDLE_DEVICE T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {               \
    return heddle_device::shuffle(heddle_device::shuffle_kind::down, mask, value, static_cast<int>(by), \
                                  width);                                                               \
  }                                                                                                     \
  HEDDLE_DEVICE T __shfl_xor_sync(unsigned mask, T value, int with, int width = 32) {                   \
    return heddle_device::shuffle(heddle_device::shuffle_kind::exclusive_or, mask, value, with, width); \
  }
HEDDLE_SHUFFLE(int)
HEDDLE_SHUFFLE(unsigned)
HEDDLE_SHUFFLE(long)
HEDDLE_SHUFFLE(unsigned long)
HEDDLE_SHUFFLE(long long)
HEDDLE_SHUFFLE(unsigned long long)
HEDDLE_SHUFFLE(float)
HEDDLE_SHUFFLE(double)
HEDDLE_SHUFFLE(__half)
HEDDLE_SHUFFLE(__half2)

HEDDLE_DEVICE int __all_sync(unsigned mask, int predicate) {
  return static_cast<int>(heddle_vote(heddle_device::vote_kind::all, mask, predicate != 0, 0));
}
HEDDLE_DEVICE int __any_sync(unsigned mask, int predicate) {
  return static_cast<int>(heddle_vote(heddle_device::vote_kind::any, mask, predicate != 0, 0));
}
HEDDLE_DEVICE int __uni_sync(unsigned mask, int predicate) {
  return static_cast<int>(heddle_vote(heddle_device::vote_kind::uniform, mask, predicate != 0, 0));
}
HEDDLE_DEVICE unsigned __ballot_sync(unsigned mask, int predicate) {
  return static_cast<unsigned>(heddle_vote(heddle_device::vote_kind::ballot, mask, predicate != 0, 0));
}
HEDDLE_DEVICE unsigned __activemask() {
  return heddle_active_mask(1);
}

#define HEDDLE_MATCH(T)                                                                            \
  HEDDLE_DEVICE unsigned __match_any_sync(unsigned mask, T value) {                                \
    return static_cast<unsigned>(                                                                  \
        heddle_vote(heddle_device::vote_kind::match_any, mask, heddle_device::bits_of(value), 0)); \
  }                                                                                                \
  HEDDLE_DEVICE unsigned __match_all_sync(unsigned mask, T value, int* predicate) {                \
    const unsigned result = static_cast<unsigned>(                                                 \
        heddle_vote(heddle_device::vote_kind::match_all, mask, heddle_device::bits_of(value), 0)); \
    *predicate = result != 0;                                                                      \
    return result;                                                                                 \
  }
HEDDLE_MATCH(int)
HEDDLE_MATCH(unsigned)
HEDDLE_MATCH(long)
HEDDLE_MATCH(unsigned long)
HEDDLE_MATCH(long long)
HEDDLE_MATCH(unsigned long long)
HEDDLE_MATCH(float)
HEDDLE_MATCH(double)
#undef HEDDLE_MATCH

#define HEDDLE_REDUCE(NAME, KIND, T, IS_SIGNED)                                                       \
  HEDDLE_DEVICE T NAME(unsigned mask, T value) {                                                      \
    return static_cast<T>(                                                                            \
        heddle_vote(heddle_device::vote_kind::KIND, mask, heddle_device::bits_of(value), IS_SIGNED)); \
  }
HEDDLE_REDUCE(__reduce_add_sync, reduce_add, int, 1)
HEDDLE_REDUCE(__reduce_add_sync, reduce_add, unsigned, 0)
HEDDLE_REDUCE(__reduce_min_sync, reduce_min, int, 1)
HEDDLE_REDUCE(__reduce_min_sync, reduce_min, unsigned, 0)
HEDDLE_REDUCE(__reduce_max_sync, reduce_max, int, 1)
HEDDLE_REDUCE(__reduce_max_sync, reduce_max, unsigned, 0)
HEDDLE_REDUCE(__reduce_and_sync, reduce_and, unsigned, 0)
HEDDLE_REDUCE(__reduce_or_sync, reduce_or, unsigned, 0)
HEDDLE_REDUCE(__reduce_xor_sync, reduce_xor, unsigned, 0)
#undef HEDDLE_REDUCE
