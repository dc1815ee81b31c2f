#pragma once

/// Of host.hpp: where managed memory is to lie. That is of no account here, but may be asked for.

enum cudaMemRangeAttribute {
  cudaMemRangeAttributeReadMostly = 1,
  cudaMemRangeAttributePreferredLocation = 2,
  cudaMemRangeAttributeAccessedBy = 3,
  cudaMemRangeAttributeLastPrefetchLocation = 4
};

namespace heddle_device {

/// What was said of a range of memory; what comes later counts.
struct said_of_range {
  const char* begin;
  size_t bytes;
  cudaMemRangeAttribute attribute;
  int value;
  said_of_range* before;

  static said_of_range** last() {
    static said_of_range* all = nullptr;
    return &all;
  }
  static void say(const void* begin, size_t bytes, cudaMemRangeAttribute attribute, int value) {
    const auto* const first = static_cast<const char*>(begin);
    for (said_of_range* s = *last(); s != nullptr; s = s->before) {
      if (s->begin != first || s->bytes != bytes || s->attribute != attribute) continue;
      s->value = value;
      return;
    }
    *last() = new said_of_range{first, bytes, attribute, value, *last()};
  }
  /// Several devices may access a range.
  static void say_accessed(const void* begin, size_t bytes, int device, bool is_accessed) {
    const auto* const first = static_cast<const char*>(begin);
    said_of_range* s = *last();
    while (s != nullptr && (s->begin != first || s->bytes != bytes || s->value != device ||
                            s->attribute != cudaMemRangeAttributeAccessedBy))
      s = s->before;
    if (s != nullptr && !is_accessed) s->value = cudaInvalidDeviceId;
    if (s == nullptr && is_accessed)
      *last() = new said_of_range{first, bytes, cudaMemRangeAttributeAccessedBy, device, *last()};
  }
  /// Null where nothing was said of all of the range, or before what `from` has found.
  static const said_of_range* find(const void* begin, size_t bytes, cudaMemRangeAttribute attribute,
                                   const said_of_range* from = nullptr) {
    const auto* const first = static_cast<const char*>(begin);
    for (const said_of_range* s = from != nullptr ? from->before : *last(); s != nullptr; s = s->before) {
      if (s->attribute == attribute && s->begin <= first && first + bytes <= s->begin + s->bytes) return s;
    }
    return nullptr;
  }
};

inline int number_of(const cudaMemLocation& where) {
  return where.type == cudaMemLocationTypeDevice ? where.id : cudaCpuDeviceId;
}
/// Whether it is managed memory, or memory that the host has registered.
HEDDLE_HOST check_range(const void* begin, size_t bytes) {
  pointer_facts facts{};
  const cudaError_t error = HEDDLE_RUNTIME(describe(begin, &facts));
  if (error != cudaSuccess) return error;
  const bool is_managed =
      facts.is_known && (facts.kind == memory_kind::managed || facts.kind == memory_kind::registered);
  return HEDDLE_RUNTIME(fail(bytes != 0 && is_managed ? cudaSuccess : cudaErrorInvalidValue));
}
HEDDLE_HOST check_place(const void* begin, size_t bytes, int device) {
  const cudaError_t error = device == cudaCpuDeviceId ? cudaSuccess : HEDDLE_RUNTIME(devices().check(device));
  return error != cudaSuccess ? error : check_range(begin, bytes);
}

}  // namespace heddle_device

HEDDLE_HOST cudaMemPrefetchAsync(const void* begin, size_t bytes, int device, cudaStream_t = nullptr) {
  const cudaError_t error = heddle_device::check_place(begin, bytes, device);
  if (error == cudaSuccess)
    heddle_device::said_of_range::say(begin, bytes, cudaMemRangeAttributeLastPrefetchLocation, device);
  return error;
}
HEDDLE_HOST cudaMemPrefetchAsync(const void* begin, size_t bytes, cudaMemLocation where, unsigned = 0,
                                 cudaStream_t stream = nullptr) {
  return cudaMemPrefetchAsync(begin, bytes, heddle_device::number_of(where), stream);
}
HEDDLE_HOST cudaMemPrefetchBatchAsync(void** begins, size_t* bytes, size_t count, cudaMemLocation* where,
                                      size_t* first, size_t locations, unsigned long long,
                                      cudaStream_t stream) {
  for (size_t i = 0, l = 0; i < count; ++i) {
    while (l + 1 < locations && first[l + 1] <= i) ++l;
    if (const cudaError_t error = cudaMemPrefetchAsync(begins[i], bytes[i], where[l], 0, stream);
        error != cudaSuccess)
      return error;
  }
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaMemAdvise(const void* begin, size_t bytes, cudaMemoryAdvise what, int device) {
  const cudaError_t error = heddle_device::check_place(begin, bytes, device);
  if (error != cudaSuccess) return error;
  const auto say = [&](cudaMemRangeAttribute attribute, int value) {
    heddle_device::said_of_range::say(begin, bytes, attribute, value);
  };
  switch (what) {
    case cudaMemAdviseSetReadMostly:
    case cudaMemAdviseUnsetReadMostly:
      say(cudaMemRangeAttributeReadMostly, what == cudaMemAdviseSetReadMostly ? 1 : 0);
      break;
    case cudaMemAdviseSetPreferredLocation:
    case cudaMemAdviseUnsetPreferredLocation:
      say(cudaMemRangeAttributePreferredLocation,
          what == cudaMemAdviseSetPreferredLocation ? device : cudaInvalidDeviceId);
      break;
    case cudaMemAdviseSetAccessedBy:
    case cudaMemAdviseUnsetAccessedBy:
      heddle_device::said_of_range::say_accessed(begin, bytes, device, what == cudaMemAdviseSetAccessedBy);
      break;
  }
  return error;
}
HEDDLE_HOST cudaMemAdvise(const void* begin, size_t bytes, cudaMemoryAdvise what, cudaMemLocation where) {
  return cudaMemAdvise(begin, bytes, what, heddle_device::number_of(where));
}
/// One number, or for cudaMemRangeAttributeAccessedBy as many as there is room for.
HEDDLE_HOST cudaMemRangeGetAttribute(void* value, size_t room, cudaMemRangeAttribute attribute,
                                     const void* begin, size_t bytes) {
  const cudaError_t error = heddle_device::check_range(begin, bytes);
  if (error != cudaSuccess) return error;
  const size_t numbers = room / sizeof(int);
  if (numbers == 0) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  using said_of_range = heddle_device::said_of_range;
  const auto* said = said_of_range::find(begin, bytes, attribute);
  auto* const into = static_cast<int*>(value);
  for (size_t i = 0; i < numbers; ++i) into[i] = cudaInvalidDeviceId;
  if (attribute == cudaMemRangeAttributeAccessedBy) {
    for (size_t i = 0; said != nullptr && i < numbers;) {
      if (said->value != cudaInvalidDeviceId) into[i++] = said->value;
      said = said_of_range::find(begin, bytes, attribute, said);
    }
    return error;
  }
  into[0] = said != nullptr                                ? said->value
            : attribute == cudaMemRangeAttributeReadMostly ? 0
                                                           : cudaInvalidDeviceId;
  return error;
}
HEDDLE_HOST cudaMemRangeGetAttributes(void** values, size_t* rooms, cudaMemRangeAttribute* attributes,
                                      size_t count, const void* begin, size_t bytes) {
  for (size_t i = 0; i < count; ++i) {
    if (const cudaError_t error = cudaMemRangeGetAttribute(values[i], rooms[i], attributes[i], begin, bytes);
        error != cudaSuccess)
      return error;
  }
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
