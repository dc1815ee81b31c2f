#pragma once

/// CUDA graphs: what a program makes of nodes, and what it launches. Names, values and members are the
/// interface's (CUDA Runtime API, toolkits 12 and 13, whose forms of a function stand side by side).

#include "host.hpp"

using cudaGraph_t = struct CUgraph_st*;
using cudaGraphNode_t = struct CUgraphNode_st*;
using cudaGraphExec_t = struct CUgraphExec_st*;

enum cudaGraphNodeType {
  cudaGraphNodeTypeKernel = 0,
  cudaGraphNodeTypeMemcpy = 1,
  cudaGraphNodeTypeMemset = 2,
  cudaGraphNodeTypeHost = 3,
  cudaGraphNodeTypeGraph = 4,
  cudaGraphNodeTypeEmpty = 5,
  cudaGraphNodeTypeWaitEvent = 6,
  cudaGraphNodeTypeEventRecord = 7,
  cudaGraphNodeTypeExtSemaphoreSignal = 8,
  cudaGraphNodeTypeExtSemaphoreWait = 9,
  cudaGraphNodeTypeMemAlloc = 10,
  cudaGraphNodeTypeMemFree = 11,
  cudaGraphNodeTypeConditional = 13
};
enum cudaGraphExecUpdateResult {
  cudaGraphExecUpdateSuccess = 0,
  cudaGraphExecUpdateError = 1,
  cudaGraphExecUpdateErrorTopologyChanged = 2,
  cudaGraphExecUpdateErrorNodeTypeChanged = 3,
  cudaGraphExecUpdateErrorFunctionChanged = 4,
  cudaGraphExecUpdateErrorParametersChanged = 5,
  cudaGraphExecUpdateErrorNotSupported = 6,
  cudaGraphExecUpdateErrorUnsupportedFunctionChange = 7,
  cudaGraphExecUpdateErrorAttributesChanged = 8
};
enum cudaGraphInstantiateFlags {
  cudaGraphInstantiateFlagAutoFreeOnLaunch = 1,
  cudaGraphInstantiateFlagUpload = 2,
  cudaGraphInstantiateFlagDeviceLaunch = 4,
  cudaGraphInstantiateFlagUseNodePriority = 8
};
enum cudaGraphInstantiateResult {
  cudaGraphInstantiateSuccess = 0,
  cudaGraphInstantiateError = 1,
  cudaGraphInstantiateInvalidStructure = 2,
  cudaGraphInstantiateNodeOperationNotSupported = 3,
  cudaGraphInstantiateMultipleDevicesNotSupported = 4
};
enum cudaGraphMemAttributeType {
  cudaGraphMemAttrUsedMemCurrent = 0,
  cudaGraphMemAttrUsedMemHigh = 1,
  cudaGraphMemAttrReservedMemCurrent = 2,
  cudaGraphMemAttrReservedMemHigh = 3
};
enum cudaGraphDebugDotFlags { cudaGraphDebugDotFlagsVerbose = 1 };

struct cudaKernelNodeParams {
  void* func;
  dim3 gridDim, blockDim;
  unsigned sharedMemBytes;
  void** kernelParams;
  void** extra;
};
struct cudaMemsetParams {
  void* dst;
  size_t pitch;
  unsigned value, elementSize;
  size_t width, height;
};
struct cudaHostNodeParams {
  cudaHostFn_t fn;
  void* userData;
};
struct cudaKernelNodeParamsV2 : cudaKernelNodeParams {
  void* ctx;
};
using cudaMemsetParamsV2 = cudaMemsetParams;
using cudaHostNodeParamsV2 = cudaHostNodeParams;
struct cudaMemcpyNodeParams {
  int flags, reserved[3];
  cudaMemcpy3DParms copyParams;
};
struct cudaChildGraphNodeParams {
  cudaGraph_t graph;
};
struct cudaEventRecordNodeParams {
  cudaEvent_t event;
};
struct cudaEventWaitNodeParams {
  cudaEvent_t event;
};
struct cudaMemAllocNodeParams {
  cudaMemPoolProps poolProps;
  const cudaMemAccessDesc* accessDescs;
  size_t accessDescCount, bytesize;
  void* dptr;
};
using cudaMemAllocNodeParamsV2 = cudaMemAllocNodeParams;
struct cudaMemFreeNodeParams {
  void* dptr;
};
struct cudaGraphNodeParams {
  cudaGraphNodeType type;
  int reserved0[3];
  union {
    cudaKernelNodeParamsV2 kernel;
    cudaMemcpyNodeParams memcpy;
    cudaMemsetParamsV2 memset;
    cudaHostNodeParamsV2 host;
    cudaChildGraphNodeParams graph;
    cudaEventRecordNodeParams eventRecord;
    cudaEventWaitNodeParams eventWait;
    cudaMemAllocNodeParamsV2 alloc;
    cudaMemFreeNodeParams free;
  };
};
struct cudaGraphEdgeData {
  unsigned char from_port, to_port, type, reserved[5];
};
struct cudaGraphExecUpdateResultInfo {
  cudaGraphExecUpdateResult result;
  cudaGraphNode_t errorNode, errorFromNode;
};
struct cudaGraphInstantiateParams {
  unsigned long long flags;
  cudaStream_t uploadStream;
  cudaGraphNode_t errNode_out;
  cudaGraphInstantiateResult result_out;
};
using cudaKernelNodeAttrID = cudaLaunchAttributeID;
using cudaKernelNodeAttrValue = cudaLaunchAttributeValue;
#define cudaKernelNodeAttributeCooperative cudaLaunchAttributeCooperative
#define cudaKernelNodeAttributeAccessPolicyWindow cudaLaunchAttributeAccessPolicyWindow
#define cudaKernelNodeAttributePriority cudaLaunchAttributePriority

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

// ------------------------------------------------------------------------------------- graphs and edges

HEDDLE_HOST cudaGraphCreate(cudaGraph_t* graph, unsigned) {
  return HEDDLE_GRAPH(make_graph(heddle_device::handles(graph)));
}
HEDDLE_HOST cudaGraphDestroy(cudaGraph_t graph) {
  return HEDDLE_GRAPH(end_graph(graph));
}
HEDDLE_HOST cudaGraphClone(cudaGraph_t* clone, cudaGraph_t graph) {
  return HEDDLE_GRAPH(clone_graph(heddle_device::handles(clone), graph));
}
HEDDLE_HOST cudaGraphNodeFindInClone(cudaGraphNode_t* found, cudaGraphNode_t node, cudaGraph_t clone) {
  return HEDDLE_GRAPH(node_of_clone(heddle_device::handles(found), node, clone));
}
HEDDLE_HOST cudaGraphDestroyNode(cudaGraphNode_t node) {
  return HEDDLE_GRAPH(end_node(node));
}
HEDDLE_HOST cudaGraphAddDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                     size_t count) {
  return HEDDLE_GRAPH(add_edges(heddle_device::handles(from), heddle_device::handles(to), count));
}
HEDDLE_HOST cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                     const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return cudaGraphAddDependencies(graph, from, to, count);
}
HEDDLE_HOST cudaGraphRemoveDependencies(cudaGraph_t, const cudaGraphNode_t* from, const cudaGraphNode_t* to,
                                        size_t count) {
  return HEDDLE_GRAPH(remove_edges(heddle_device::handles(from), heddle_device::handles(to), count));
}
HEDDLE_HOST cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t* from,
                                        const cudaGraphNode_t* to, const cudaGraphEdgeData*, size_t count) {
  return cudaGraphRemoveDependencies(graph, from, to, count);
}
HEDDLE_HOST cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return heddle_device::list(count, [&](unsigned long long* n) {
    return HEDDLE_GRAPH(list_nodes(graph, false, heddle_device::handles(nodes), n));
  });
}
HEDDLE_HOST cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t* nodes, size_t* count) {
  return heddle_device::list(count, [&](unsigned long long* n) {
    return HEDDLE_GRAPH(list_nodes(graph, true, heddle_device::handles(nodes), n));
  });
}
HEDDLE_HOST cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to, size_t* count) {
  return heddle_device::list(count, [&](unsigned long long* n) {
    return HEDDLE_GRAPH(list_edges(graph, heddle_device::handles(from), heddle_device::handles(to), n));
  });
}
HEDDLE_HOST cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t* from, cudaGraphNode_t* to,
                              cudaGraphEdgeData* edges, size_t* count) {
  const cudaError_t error = cudaGraphGetEdges(graph, from, to, count);
  for (size_t i = 0; edges != nullptr && error == cudaSuccess && i < *count; ++i) edges[i] = {};
  return error;
}
HEDDLE_HOST cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return heddle_device::list(count, [&](unsigned long long* n) {
    return HEDDLE_GRAPH(list_neighbours(node, true, heddle_device::handles(nodes), n));
  });
}
HEDDLE_HOST cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                         cudaGraphEdgeData* edges, size_t* count) {
  const cudaError_t error = cudaGraphNodeGetDependencies(node, nodes, count);
  for (size_t i = 0; edges != nullptr && error == cudaSuccess && i < *count; ++i) edges[i] = {};
  return error;
}
HEDDLE_HOST cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes, size_t* count) {
  return heddle_device::list(count, [&](unsigned long long* n) {
    return HEDDLE_GRAPH(list_neighbours(node, false, heddle_device::handles(nodes), n));
  });
}
HEDDLE_HOST cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t* nodes,
                                           cudaGraphEdgeData* edges, size_t* count) {
  const cudaError_t error = cudaGraphNodeGetDependentNodes(node, nodes, count);
  for (size_t i = 0; edges != nullptr && error == cudaSuccess && i < *count; ++i) edges[i] = {};
  return error;
}
HEDDLE_HOST cudaGraphNodeGetType(cudaGraphNode_t node, cudaGraphNodeType* type) {
  heddle_device::node_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_node(node, &facts));
  if (error == cudaSuccess) *type = static_cast<cudaGraphNodeType>(facts.kind);
  return error;
}

// ------------------------------------------------------------------------------------------------- nodes

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

// ---------------------------------------------------------------------------------------- what is launched

HEDDLE_HOST cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph,
                                 unsigned long long flags = 0) {
  return HEDDLE_GRAPH(instantiate(heddle_device::handles(executable), graph,
                                  (flags & cudaGraphInstantiateFlagAutoFreeOnLaunch) != 0));
}
HEDDLE_HOST cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                 char* log, size_t bytes) {
  if (wrong != nullptr) *wrong = nullptr;
  if (log != nullptr && bytes != 0) *log = 0;
  return cudaGraphInstantiate(executable, graph);
}
HEDDLE_HOST cudaGraphInstantiateWithFlags(cudaGraphExec_t* executable, cudaGraph_t graph,
                                          unsigned long long flags = 0) {
  return cudaGraphInstantiate(executable, graph, flags);
}
HEDDLE_HOST cudaGraphInstantiateWithParams(cudaGraphExec_t* executable, cudaGraph_t graph,
                                           cudaGraphInstantiateParams* p) {
  const cudaError_t error = cudaGraphInstantiate(executable, graph, p->flags);
  p->errNode_out = nullptr;
  p->result_out = error == cudaSuccess ? cudaGraphInstantiateSuccess : cudaGraphInstantiateInvalidStructure;
  return error;
}
HEDDLE_HOST cudaGraphExecDestroy(cudaGraphExec_t executable) {
  return HEDDLE_GRAPH(end_executable(executable));
}
HEDDLE_HOST cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph,
                                cudaGraphExecUpdateResultInfo* result) {
  heddle_device::update_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(update(executable, graph, &facts));
  if (result != nullptr)
    *result = {static_cast<cudaGraphExecUpdateResult>(facts.result), static_cast<cudaGraphNode_t>(facts.node),
               nullptr};
  return error;
}
HEDDLE_HOST cudaGraphExecUpdate(cudaGraphExec_t executable, cudaGraph_t graph, cudaGraphNode_t* wrong,
                                cudaGraphExecUpdateResult* result) {
  cudaGraphExecUpdateResultInfo all{};
  const cudaError_t error = cudaGraphExecUpdate(executable, graph, &all);
  if (wrong != nullptr) *wrong = all.errorNode;
  if (result != nullptr) *result = all.result;
  return error;
}
HEDDLE_HOST cudaGraphNodeSetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned is_enabled) {
  return HEDDLE_GRAPH(enable_node(executable, node, is_enabled != 0));
}
HEDDLE_HOST cudaGraphNodeGetEnabled(cudaGraphExec_t executable, cudaGraphNode_t node, unsigned* is_enabled) {
  bool is = false;
  const cudaError_t error = HEDDLE_GRAPH(is_node_enabled(executable, node, &is));
  *is_enabled = is ? 1 : 0;
  return error;
}
HEDDLE_HOST cudaGraphLaunch(cudaGraphExec_t executable, cudaStream_t stream) {
  return HEDDLE_GRAPH(launch_graph(executable, stream));
}
HEDDLE_HOST cudaGraphUpload(cudaGraphExec_t, cudaStream_t) {
  return HEDDLE_RUNTIME(fail(cudaSuccess));
}

// ----------------------------------------------------------------------------------------------- captures

enum cudaStreamCaptureMode {
  cudaStreamCaptureModeGlobal = 0,
  cudaStreamCaptureModeThreadLocal = 1,
  cudaStreamCaptureModeRelaxed = 2
};
enum cudaStreamCaptureStatus {
  cudaStreamCaptureStatusNone = 0,
  cudaStreamCaptureStatusActive = 1,
  cudaStreamCaptureStatusInvalidated = 2
};
enum cudaStreamUpdateCaptureDependenciesFlags {
  cudaStreamAddCaptureDependencies = 0,
  cudaStreamSetCaptureDependencies = 1
};

HEDDLE_HOST cudaStreamBeginCapture(cudaStream_t stream, cudaStreamCaptureMode mode) {
  return HEDDLE_GRAPH(begin_capture(stream, mode, nullptr, nullptr, 0));
}
HEDDLE_HOST cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph,
                                          const cudaGraphNode_t* after, const cudaGraphEdgeData*,
                                          size_t count, cudaStreamCaptureMode mode) {
  return HEDDLE_GRAPH(begin_capture(stream, mode, graph, heddle_device::handles(after), count));
}
HEDDLE_HOST cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
  return HEDDLE_GRAPH(end_capture(stream, heddle_device::handles(graph)));
}
HEDDLE_HOST cudaStreamIsCapturing(cudaStream_t stream, cudaStreamCaptureStatus* status) {
  heddle_device::capture_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_capture(stream, &facts));
  *status = static_cast<cudaStreamCaptureStatus>(facts.status);
  return error;
}
HEDDLE_HOST cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                     const cudaGraphNode_t** after = nullptr, size_t* count = nullptr) {
  heddle_device::capture_facts facts{};
  const cudaError_t error = HEDDLE_GRAPH(describe_capture(stream, &facts));
  *status = static_cast<cudaStreamCaptureStatus>(facts.status);
  if (id != nullptr) *id = facts.id;
  if (graph != nullptr) *graph = static_cast<cudaGraph_t>(facts.graph);
  if (after != nullptr) *after = reinterpret_cast<const cudaGraphNode_t*>(facts.after);
  if (count != nullptr) *count = facts.count;
  return error;
}
HEDDLE_HOST cudaStreamGetCaptureInfo(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                     unsigned long long* id, cudaGraph_t* graph,
                                     const cudaGraphNode_t** after, const cudaGraphEdgeData** edges,
                                     size_t* count) {
  if (edges != nullptr) *edges = nullptr;
  return cudaStreamGetCaptureInfo(stream, status, id, graph, after, count);
}
HEDDLE_HOST cudaStreamGetCaptureInfo_v2(cudaStream_t stream, cudaStreamCaptureStatus* status,
                                        unsigned long long* id = nullptr, cudaGraph_t* graph = nullptr,
                                        const cudaGraphNode_t** after = nullptr, size_t* count = nullptr) {
  return cudaStreamGetCaptureInfo(stream, status, id, graph, after, count);
}
HEDDLE_HOST cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after, size_t count,
                                                unsigned flags = 0) {
  return HEDDLE_GRAPH(set_capture_dependencies(stream, heddle_device::handles(after), count,
                                               flags != cudaStreamSetCaptureDependencies));
}
HEDDLE_HOST cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t* after,
                                                const cudaGraphEdgeData*, size_t count, unsigned flags = 0) {
  return cudaStreamUpdateCaptureDependencies(stream, after, count, flags);
}
HEDDLE_HOST cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode* mode) {
  int own = *mode;
  const cudaError_t error = HEDDLE_GRAPH(exchange_capture_mode(&own));
  *mode = static_cast<cudaStreamCaptureMode>(own);
  return error;
}
