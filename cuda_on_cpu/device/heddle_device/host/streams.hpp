#pragma once

/// Of host.hpp: streams and events.

HEDDLE_HOST cudaStreamCreateWithFlags(cudaStream_t* stream, unsigned flags) {
  return HEDDLE_RUNTIME(make_stream(reinterpret_cast<void**>(stream), (flags & cudaStreamNonBlocking) == 0));
}
HEDDLE_HOST cudaStreamCreate(cudaStream_t* stream) {
  return cudaStreamCreateWithFlags(stream, cudaStreamDefault);
}
HEDDLE_HOST cudaStreamCreateWithPriority(cudaStream_t* stream, unsigned flags, int) {
  return cudaStreamCreateWithFlags(stream, flags);
}
HEDDLE_HOST cudaStreamDestroy(cudaStream_t stream) {
  return HEDDLE_RUNTIME(end_stream(stream));
}
HEDDLE_HOST cudaStreamSynchronize(cudaStream_t stream) {
  return HEDDLE_RUNTIME(wait_for_stream(stream));
}
HEDDLE_HOST cudaStreamQuery(cudaStream_t stream) {
  return HEDDLE_RUNTIME(ask_stream(stream));
}
HEDDLE_HOST cudaStreamGetFlags(cudaStream_t, unsigned* flags) {
  *flags = cudaStreamDefault;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaStreamGetPriority(cudaStream_t, int* priority) {
  *priority = 0;
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaStreamGetDevice(cudaStream_t stream, int* device) {
  return HEDDLE_RUNTIME(devices().of_stream(stream, device));
}
HEDDLE_HOST cudaStreamGetId(cudaStream_t stream, unsigned long long* id) {
  *id = reinterpret_cast<unsigned long long>(stream);
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

namespace heddle_device {

/// What was said of streams, which makes a difference to nothing but speed: it is there to be asked for.
struct said_of_stream {
  cudaStream_t stream;
  cudaStreamAttrID attribute;
  cudaStreamAttrValue value;
  said_of_stream* before;

  static said_of_stream** last() {
    static said_of_stream* all = nullptr;
    return &all;
  }
  static said_of_stream* find(cudaStream_t stream, cudaStreamAttrID attribute) {
    said_of_stream* s = *last();
    while (s != nullptr && !(s->stream == stream && s->attribute == attribute)) s = s->before;
    return s;
  }
};

}  // namespace heddle_device

HEDDLE_HOST cudaStreamSetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   const cudaStreamAttrValue* value) {
  if (attribute == cudaLaunchAttributeAccessPolicyWindow) {
    const cudaAccessPolicyWindow& window = value->accessPolicyWindow;
    int most = 0;
    (void)cudaDeviceGetAttribute(&most, cudaDevAttrMaxAccessPolicyWindowSize, 0);
    const bool is_ratio = window.hitRatio >= 0 && window.hitRatio <= 1;
    if (!is_ratio || window.num_bytes > static_cast<size_t>(most) ||
        window.missProp == cudaAccessPropertyPersisting)
      return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  }
  using said = heddle_device::said_of_stream;
  if (said* const known = said::find(stream, attribute)) {
    known->value = *value;
  } else {
    *said::last() = new said{stream, attribute, *value, *said::last()};
  }
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaStreamGetAttribute(cudaStream_t stream, cudaStreamAttrID attribute,
                                   cudaStreamAttrValue* value) {
  const auto* const known = heddle_device::said_of_stream::find(stream, attribute);
  *value = known != nullptr ? known->value : cudaStreamAttrValue{};
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaStreamCopyAttributes(cudaStream_t to, cudaStream_t from) {
  cudaStreamAttrValue value;
  for (const cudaStreamAttrID attribute :
       {cudaLaunchAttributeAccessPolicyWindow, cudaLaunchAttributePriority}) {
    if (heddle_device::said_of_stream::find(from, attribute) == nullptr) continue;
    (void)cudaStreamGetAttribute(from, attribute, &value);
    if (const cudaError_t error = cudaStreamSetAttribute(to, attribute, &value); error != cudaSuccess)
      return error;
  }
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}
HEDDLE_HOST cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags = 0) {
  return HEDDLE_RUNTIME(make_stream_wait(stream, event, (flags & cudaEventWaitExternal) != 0));
}
HEDDLE_HOST cudaLaunchHostFunc(cudaStream_t stream, cudaHostFn_t function, void* data) {
  return HEDDLE_RUNTIME(call_host(stream, function, data));
}
HEDDLE_HOST cudaStreamAddCallback(cudaStream_t stream, cudaStreamCallback_t function, void* data, unsigned) {
  struct call {
    cudaStreamCallback_t function;
    cudaStream_t stream;
    void* data;
  } what{function, stream, data};
  return HEDDLE_RUNTIME(call_host(
      stream,
      [](void* p) {
        const call& c = *static_cast<call*>(p);
        c.function(c.stream, cudaSuccess, c.data);
      },
      &what));
}
HEDDLE_HOST cudaEventCreateWithFlags(cudaEvent_t* event, unsigned flags) {
  return HEDDLE_RUNTIME(make_event(reinterpret_cast<void**>(event), (flags & cudaEventDisableTiming) == 0));
}
HEDDLE_HOST cudaEventCreate(cudaEvent_t* event) {
  return cudaEventCreateWithFlags(event, cudaEventDefault);
}
HEDDLE_HOST cudaEventCreate(cudaEvent_t* event, unsigned flags) {
  return cudaEventCreateWithFlags(event, flags);
}
HEDDLE_HOST cudaEventDestroy(cudaEvent_t event) {
  return HEDDLE_RUNTIME(end_event(event));
}
HEDDLE_HOST cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t stream = nullptr, unsigned flags = 0) {
  return HEDDLE_RUNTIME(record(event, stream, (flags & cudaEventRecordExternal) != 0));
}
HEDDLE_HOST cudaEventRecord(cudaEvent_t event, cudaStream_t stream = nullptr) {
  return cudaEventRecordWithFlags(event, stream);
}
HEDDLE_HOST cudaEventSynchronize(cudaEvent_t event) {
  return HEDDLE_RUNTIME(wait_for_event(event));
}
HEDDLE_HOST cudaEventQuery(cudaEvent_t event) {
  return HEDDLE_RUNTIME(ask_event(event));
}
HEDDLE_HOST cudaEventElapsedTime(float* milliseconds, cudaEvent_t from, cudaEvent_t to) {
  return HEDDLE_RUNTIME(elapsed(milliseconds, from, to));
}
