#pragma once

/// Nodes of CUDA graphs: what they are made with, asked and changed.

#include "graph_types.hpp"

#define HEDDLE_GRAPH(...)                      \
  (heddle_device::program_runtime() == nullptr \
       ? cudaErrorNoDevice                     \
       : static_cast<cudaError_t>(heddle_device::program_runtime()->graphs().__VA_ARGS__))

namespace heddle_device {

template <class T>
void** handles(T* of) {
  return reinterpret_cast<void**>(const_cast<typename without_qualifiers<T>::type*>(of));
}

/// Calls f with a list's room and its length, which are size_t to the program.
template <class F>
cudaError_t list(size_t* count, F f) {
  if (count == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  unsigned long long n = *count;
  const cudaError_t error = f(&n);
  *count = n;
  return error;
}

template <class P>
node_request node_of(node_kind kind, const P& parameters) {
  node_request what{};
  what.kind = kind;
  what.parameters = &parameters;
  what.parameter_bytes = sizeof parameters;
  return what;
}
inline node_request describe_node(const char*, const cudaKernelNodeParams& p) {
  node_request what = node_of(node_kind::kernel, p);
  what.launch.function = p.func;
  what.launch.is_address = true;
  what.launch.grid = index_of(p.gridDim);
  what.launch.block = index_of(p.blockDim);
  what.launch.shared_bytes = p.sharedMemBytes;
  what.launch.arguments = p.kernelParams;
  return what;
}
inline node_request describe_node(const char* function, const cudaMemcpy3DParms& p) {
  node_request what = node_of(node_kind::copy, p);
  what.copy = box_of(function, p, nullptr, true);
  return what;
}
inline node_request describe_node(const char* function, const cudaMemsetParams& p) {
  node_request what = node_of(node_kind::fill, p);
  what.fill = {function,
               p.dst,
               static_cast<int>(p.value),
               p.width * p.elementSize,
               p.height,
               1,
               p.pitch,
               p.pitch * p.height,
               nullptr,
               true,
               p.elementSize};
  return what;
}
inline node_request describe_node(const char*, const cudaHostNodeParams& p) {
  node_request what = node_of(node_kind::host, p);
  what.function = p.fn;
  what.data = p.userData;
  return what;
}
inline node_request of_event(node_kind kind, cudaEvent_t event) {
  node_request what{};
  what.kind = kind;
  what.event = event;
  return what;
}
inline node_request of_child(cudaGraph_t child) {
  node_request what{};
  what.kind = node_kind::child;
  what.child = child;
  return what;
}
inline node_request describe_node(const char*, const cudaMemAllocNodeParams& p) {
  node_request what = node_of(node_kind::allocation, p);
  what.memory_bytes = p.bytesize;
  what.memory_name = of_unknown_type(nullptr);
  what.memory_device = p.poolProps.location.id;
  what.accesses = accesses(p.accessDescs);
  what.access_count = p.accessDescCount;
  return what;
}
inline node_request describe_node(const char*, const cudaMemFreeNodeParams& p) {
  node_request what = node_of(node_kind::release, p);
  what.data = p.dptr;
  return what;
}
inline cudaMemcpy3DParms bytes_to_copy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind) {
  cudaMemcpy3DParms p{};
  p.dstPtr = {to, bytes, bytes, 1};
  p.srcPtr = {const_cast<void*>(from), bytes, bytes, 1};
  p.extent = {bytes, 1, 1};
  p.kind = kind;
  return p;
}

/// A node of any kind. False for one that is not known.
inline bool describe_any(const char* function, const cudaGraphNodeParams& p, node_request& what) {
  switch (p.type) {
    case cudaGraphNodeTypeKernel:
      what = describe_node(function, p.kernel);
      return true;
    case cudaGraphNodeTypeMemcpy:
      what = describe_node(function, p.memcpy.copyParams);
      return true;
    case cudaGraphNodeTypeMemset:
      what = describe_node(function, p.memset);
      return true;
    case cudaGraphNodeTypeHost:
      what = describe_node(function, p.host);
      return true;
    case cudaGraphNodeTypeGraph:
      what = of_child(p.graph.graph);
      return true;
    case cudaGraphNodeTypeEmpty:
      what.kind = node_kind::empty;
      return true;
    case cudaGraphNodeTypeWaitEvent:
      what = of_event(node_kind::wait, p.eventWait.event);
      return true;
    case cudaGraphNodeTypeEventRecord:
      what = of_event(node_kind::record, p.eventRecord.event);
      return true;
    case cudaGraphNodeTypeMemAlloc:
      what = describe_node(function, p.alloc);
      return true;
    case cudaGraphNodeTypeMemFree:
      what = describe_node(function, p.free);
      return true;
    default:
      return false;
  }
}

HEDDLE_HOST add_node(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after, size_t count,
                     const node_request& what) {
  return HEDDLE_GRAPH(add_node(handles(made), graph, handles(after), count, what));
}
HEDDLE_HOST change_node(cudaGraphExec_t executable, cudaGraphNode_t node, const node_request& what) {
  return HEDDLE_GRAPH(change_node(executable, node, what));
}
/// What a node was made with.
template <class P>
cudaError_t parameters_of(cudaGraphNode_t node, node_kind kind, P* parameters) {
  node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(node, &facts));
  if (error != cudaSuccess) return error;
  if (facts.kind != kind || facts.parameters == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *parameters = *static_cast<const P*>(facts.parameters);
  if constexpr (__is_same(P, cudaKernelNodeParams)) parameters->kernelParams = facts.arguments;
  return cudaSuccess;
}
HEDDLE_HOST event_of(cudaGraphNode_t node, node_kind kind, cudaEvent_t* event) {
  node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(node, &facts));
  if (error != cudaSuccess) return error;
  if (facts.kind != kind) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  *event = static_cast<cudaEvent_t>(facts.event);
  return cudaSuccess;
}

}  // namespace heddle_device

// Of a node with a structure of its own: it is added, asked, and changed in a graph or in what is launched.
#define HEDDLE_NODE(KIND, PARAMETERS, NODE)                                                                 \
  HEDDLE_HOST cudaGraphAdd##NODE##Node(cudaGraphNode_t* made, cudaGraph_t graph,                            \
                                       const cudaGraphNode_t* after, size_t count, const PARAMETERS* p) {   \
    if (p == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));                                   \
    return heddle_device::add_node(made, graph, after, count,                                               \
                                   heddle_device::describe_node("cudaGraphAdd" #NODE "Node", *p));          \
  }                                                                                                         \
  HEDDLE_HOST cudaGraph##NODE##NodeGetParams(cudaGraphNode_t node, PARAMETERS* p) {                         \
    return heddle_device::parameters_of(node, heddle_device::node_kind::KIND, p);                           \
  }                                                                                                         \
  HEDDLE_HOST cudaGraph##NODE##NodeSetParams(cudaGraphNode_t node, const PARAMETERS* p) {                   \
    if (p == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));                                   \
    return heddle_device::change_node(nullptr, node,                                                        \
                                      heddle_device::describe_node("cudaGraph" #NODE "NodeSetParams", *p)); \
  }                                                                                                         \
  HEDDLE_HOST cudaGraphExec##NODE##NodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,          \
                                                 const PARAMETERS* p) {                                     \
    if (p == nullptr || executable == nullptr) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));          \
    return heddle_device::change_node(                                                                      \
        executable, node, heddle_device::describe_node("cudaGraphExec" #NODE "NodeSetParams", *p));         \
  }
HEDDLE_NODE(kernel, cudaKernelNodeParams, Kernel)
HEDDLE_NODE(copy, cudaMemcpy3DParms, Memcpy)
HEDDLE_NODE(fill, cudaMemsetParams, Memset)
HEDDLE_NODE(host, cudaHostNodeParams, Host)
#undef HEDDLE_NODE

HEDDLE_HOST cudaGraphAddEmptyNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                                  size_t count) {
  heddle_device::node_request what{};
  what.kind = heddle_device::node_kind::empty;
  return heddle_device::add_node(made, graph, after, count, what);
}
HEDDLE_HOST cudaGraphAddChildGraphNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                                       size_t count, cudaGraph_t child) {
  return heddle_device::add_node(made, graph, after, count, heddle_device::of_child(child));
}
HEDDLE_HOST cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t* child) {
  heddle_device::node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(node, &facts));
  if (error == cudaSuccess) *child = static_cast<cudaGraph_t>(facts.child);
  return error;
}
HEDDLE_HOST cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                 cudaGraph_t child) {
  return heddle_device::change_node(executable, node, heddle_device::of_child(child));
}

// Nodes that record an event or wait for one.
#define HEDDLE_EVENT_NODE(KIND, NODE)                                                                        \
  HEDDLE_HOST cudaGraphAddEvent##NODE##Node(cudaGraphNode_t* made, cudaGraph_t graph,                        \
                                            const cudaGraphNode_t* after, size_t count, cudaEvent_t event) { \
    return heddle_device::add_node(made, graph, after, count,                                                \
                                   heddle_device::of_event(heddle_device::node_kind::KIND, event));          \
  }                                                                                                          \
  HEDDLE_HOST cudaGraphEvent##NODE##NodeGetEvent(cudaGraphNode_t node, cudaEvent_t* event) {                 \
    return heddle_device::event_of(node, heddle_device::node_kind::KIND, event);                             \
  }                                                                                                          \
  HEDDLE_HOST cudaGraphEvent##NODE##NodeSetEvent(cudaGraphNode_t node, cudaEvent_t event) {                  \
    return heddle_device::change_node(nullptr, node,                                                         \
                                      heddle_device::of_event(heddle_device::node_kind::KIND, event));       \
  }                                                                                                          \
  HEDDLE_HOST cudaGraphExecEvent##NODE##NodeSetEvent(cudaGraphExec_t executable, cudaGraphNode_t node,       \
                                                     cudaEvent_t event) {                                    \
    return heddle_device::change_node(executable, node,                                                      \
                                      heddle_device::of_event(heddle_device::node_kind::KIND, event));       \
  }
HEDDLE_EVENT_NODE(record, Record)
HEDDLE_EVENT_NODE(wait, Wait)
#undef HEDDLE_EVENT_NODE

HEDDLE_HOST cudaGraphAddMemcpyNode1D(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, void* to, const void* from, size_t bytes,
                                     cudaMemcpyKind kind) {
  return heddle_device::add_node(
      made, graph, after, count,
      heddle_device::describe_node("cudaGraphAddMemcpyNode1D",
                                   heddle_device::bytes_to_copy(to, from, bytes, kind)));
}
HEDDLE_HOST cudaGraphMemcpyNodeSetParams1D(cudaGraphNode_t node, void* to, const void* from, size_t bytes,
                                           cudaMemcpyKind kind) {
  return heddle_device::change_node(
      nullptr, node,
      heddle_device::describe_node("cudaGraphMemcpyNodeSetParams1D",
                                   heddle_device::bytes_to_copy(to, from, bytes, kind)));
}
HEDDLE_HOST cudaGraphExecMemcpyNodeSetParams1D(cudaGraphExec_t executable, cudaGraphNode_t node, void* to,
                                               const void* from, size_t bytes, cudaMemcpyKind kind) {
  return heddle_device::change_node(
      executable, node,
      heddle_device::describe_node("cudaGraphExecMemcpyNodeSetParams1D",
                                   heddle_device::bytes_to_copy(to, from, bytes, kind)));
}
template <class T>
HEDDLE_HOST cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t* made, cudaGraph_t graph,
                                           const cudaGraphNode_t* after, size_t count, const T& symbol,
                                           const void* from, size_t bytes, size_t offset,
                                           cudaMemcpyKind kind) {
  void* where = nullptr;
  const cudaError_t error = heddle_device::find_in_variable(&symbol, offset, &where);
  return error != cudaSuccess ? error
                              : cudaGraphAddMemcpyNode1D(made, graph, after, count, where, from, bytes, kind);
}
template <class T>
HEDDLE_HOST cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t* made, cudaGraph_t graph,
                                             const cudaGraphNode_t* after, size_t count, void* to,
                                             const T& symbol, size_t bytes, size_t offset,
                                             cudaMemcpyKind kind) {
  void* where = nullptr;
  const cudaError_t error = heddle_device::find_in_variable(&symbol, offset, &where);
  return error != cudaSuccess ? error
                              : cudaGraphAddMemcpyNode1D(made, graph, after, count, to, where, bytes, kind);
}
template <class T>
HEDDLE_HOST cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                     const T& symbol, const void* from, size_t bytes,
                                                     size_t offset, cudaMemcpyKind kind) {
  void* where = nullptr;
  const cudaError_t error = heddle_device::find_in_variable(&symbol, offset, &where);
  return error != cudaSuccess
             ? error
             : cudaGraphExecMemcpyNodeSetParams1D(executable, node, where, from, bytes, kind);
}
template <class T>
HEDDLE_HOST cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t executable, cudaGraphNode_t node,
                                                       void* to, const T& symbol, size_t bytes, size_t offset,
                                                       cudaMemcpyKind kind) {
  void* where = nullptr;
  const cudaError_t error = heddle_device::find_in_variable(&symbol, offset, &where);
  return error != cudaSuccess ? error
                              : cudaGraphExecMemcpyNodeSetParams1D(executable, node, to, where, bytes, kind);
}

namespace heddle_device {

/// Of a node that allocates, where its memory is.
HEDDLE_HOST memory_of(cudaGraphNode_t node, void** where) {
  node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(node, &facts));
  if (error == cudaSuccess) *where = facts.memory;
  return error;
}

}  // namespace heddle_device

HEDDLE_HOST cudaGraphAddMemAllocNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                                     size_t count, cudaMemAllocNodeParams* p) {
  const cudaError_t error = heddle_device::add_node(
      made, graph, after, count, heddle_device::describe_node("cudaGraphAddMemAllocNode", *p));
  return error != cudaSuccess ? error : heddle_device::memory_of(*made, &p->dptr);
}
HEDDLE_HOST cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, cudaMemAllocNodeParams* p) {
  const cudaError_t error = heddle_device::parameters_of(node, heddle_device::node_kind::allocation, p);
  return error != cudaSuccess ? error : heddle_device::memory_of(node, &p->dptr);
}
HEDDLE_HOST cudaGraphAddMemFreeNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                                    size_t count, void* what) {
  return heddle_device::add_node(
      made, graph, after, count,
      heddle_device::describe_node("cudaGraphAddMemFreeNode", cudaMemFreeNodeParams{what}));
}
HEDDLE_HOST cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void* where) {
  return heddle_device::memory_of(node, static_cast<void**>(where));
}
HEDDLE_HOST cudaDeviceGetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  constexpr cudaMemPoolAttr same[] = {cudaMemPoolAttrUsedMemCurrent, cudaMemPoolAttrUsedMemHigh,
                                      cudaMemPoolAttrReservedMemCurrent, cudaMemPoolAttrReservedMemHigh};
  if (heddle_device::program_runtime() == nullptr) return cudaErrorNoDevice;
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  if (static_cast<unsigned>(attribute) > 3) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  void* const pool = heddle_device::program_runtime()->pools().pool_of_graphs(device);
  return cudaMemPoolGetAttribute(static_cast<cudaMemPool_t>(pool), same[attribute], value);
}
HEDDLE_HOST cudaDeviceSetGraphMemAttribute(int device, cudaGraphMemAttributeType attribute, void* value) {
  if (heddle_device::program_runtime() == nullptr) return cudaErrorNoDevice;
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  if (static_cast<unsigned>(attribute) > 3) return HEDDLE_RUNTIME(fail(cudaErrorInvalidValue));
  void* const pool = heddle_device::program_runtime()->pools().pool_of_graphs(device);
  return cudaMemPoolSetAttribute(static_cast<cudaMemPool_t>(pool),
                                 attribute < 2 ? cudaMemPoolAttrUsedMemHigh : cudaMemPoolAttrReservedMemHigh,
                                 value);
}
HEDDLE_HOST cudaDeviceGraphMemTrim(int device) {
  if (heddle_device::program_runtime() == nullptr) return cudaErrorNoDevice;
  if (const cudaError_t error = HEDDLE_RUNTIME(devices().check(device)); error != cudaSuccess) return error;
  return HEDDLE_POOLS(trim(heddle_device::program_runtime()->pools().pool_of_graphs(device), 0));
}

HEDDLE_HOST cudaGraphAddNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                             size_t count, cudaGraphNodeParams* p) {
  heddle_device::node_request what{};
  if (p == nullptr || !heddle_device::describe_any("cudaGraphAddNode", *p, what))
    return HEDDLE_RUNTIME(fail(cudaErrorNotSupported));
  const cudaError_t error = heddle_device::add_node(made, graph, after, count, what);
  return error != cudaSuccess || p->type != cudaGraphNodeTypeMemAlloc
             ? error
             : heddle_device::memory_of(*made, &p->alloc.dptr);
}
HEDDLE_HOST cudaGraphAddNode(cudaGraphNode_t* made, cudaGraph_t graph, const cudaGraphNode_t* after,
                             const cudaGraphEdgeData*, size_t count, cudaGraphNodeParams* p) {
  return cudaGraphAddNode(made, graph, after, count, p);
}
HEDDLE_HOST cudaGraphNodeSetParams(cudaGraphNode_t node, cudaGraphNodeParams* p) {
  heddle_device::node_request what{};
  if (p == nullptr || !heddle_device::describe_any("cudaGraphNodeSetParams", *p, what))
    return HEDDLE_RUNTIME(fail(cudaErrorNotSupported));
  return heddle_device::change_node(nullptr, node, what);
}
HEDDLE_HOST cudaGraphExecNodeSetParams(cudaGraphExec_t executable, cudaGraphNode_t node,
                                       cudaGraphNodeParams* p) {
  heddle_device::node_request what{};
  if (p == nullptr || !heddle_device::describe_any("cudaGraphExecNodeSetParams", *p, what))
    return HEDDLE_RUNTIME(fail(cudaErrorNotSupported));
  return heddle_device::change_node(executable, node, what);
}

// Of these only whether the launch is cooperative makes a difference to more than speed.
HEDDLE_HOST cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            const cudaLaunchAttributeValue* value) {
  if (attribute != cudaLaunchAttributeCooperative) return HEDDLE_RUNTIME(fail(cudaSuccess));
  return HEDDLE_GRAPH(make_cooperative(node, value->cooperative != 0));
}
HEDDLE_HOST cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaLaunchAttributeID attribute,
                                            cudaLaunchAttributeValue* value) {
  heddle_device::node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(node, &facts));
  *value = {};
  if (attribute == cudaLaunchAttributeCooperative) value->cooperative = facts.is_cooperative ? 1 : 0;
  return error;
}
HEDDLE_HOST cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t from, cudaGraphNode_t to) {
  heddle_device::node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(from, &facts));
  return error != cudaSuccess ? error : HEDDLE_GRAPH(make_cooperative(to, facts.is_cooperative));
}
