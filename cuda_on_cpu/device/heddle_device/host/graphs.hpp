#pragma once

/// CUDA graphs: what a program makes of nodes, and what it launches. Names, values and members are the
/// interface's (CUDA Runtime API, toolkits 12 and 13, whose forms of a function stand side by side).

#include "graph_nodes.hpp"

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
