#pragma once

namespace heddle::gpu {

/// A position in a ring of `Stages` buffers in shared memory: the buffer, and the parity of the phase of its
/// barriers.
template <unsigned Stages>
struct pipeline_stage {
  unsigned stage = 0, parity = 0;
  __device__ void advance() {
    if (++stage == Stages) {
      stage = 0;
      parity ^= 1;
    }
  }
};

}  // namespace heddle::gpu
