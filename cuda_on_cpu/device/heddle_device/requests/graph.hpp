#pragma once

/// What the host's part of a program and what runs it agree on of graphs. Read by both; numbers of kinds, of
/// modes and of results are CUDA's. Functions return an error of CUDA's; 0 for none.

namespace heddle_device {

/// cudaGraphNodeType.
enum class node_kind : u32 {
  kernel,
  copy,
  fill,
  host,
  child,
  empty,
  wait,
  record,
  allocation = 10,
  release = 11
};

/// A node as a program asks for it; what its kind does not need is empty.
struct node_request {
  node_kind kind;
  launch_request launch;
  copy_request copy;
  fill_request fill;
  void (*function)(void*);  ///< of the host
  void* data;               ///< of that function; or the memory that is allocated or freed
  u64 memory_bytes;
  allocation_name memory_name;
  int memory_device;
  const memory_access* accesses;  ///< from other devices
  u64 access_count;
  void* event;
  void* child;             ///< a graph, which is copied
  const void* parameters;  ///< CUDA's structure, of which a copy is kept for who asks
  u64 parameter_bytes;
};

struct node_facts {
  node_kind kind;
  const void* parameters;  ///< as they were given; or
  void** arguments;        ///< of a kernel, which its parameters are to have
  void* event;
  void* child;
  bool is_cooperative;
  void* memory;
};

struct capture_facts {
  int status;  ///< cudaStreamCaptureStatus
  u64 id;
  void* graph;
  void* const* after;  ///< what comes next on the stream depends on these
  u64 count;
};

/// Why a graph that can be launched does not become another.
struct update_facts {
  int result;  ///< cudaGraphExecUpdateResult
  void* node;
};

class graph_runtime {
 public:
  virtual int make_graph(void** made) = 0;
  virtual int end_graph(void* graph) = 0;
  virtual int clone_graph(void** made, void* graph) = 0;
  virtual int node_of_clone(void** found, void* node, void* clone) = 0;
  virtual int add_node(void** made, void* graph, void* const* after, u64 count, const node_request& what) = 0;
  /// Of an executable graph, or where that is null of the graph itself.
  virtual int change_node(void* executable, void* node, const node_request& what) = 0;
  virtual int make_cooperative(void* node, bool is_cooperative) = 0;
  virtual int end_node(void* node) = 0;
  virtual int add_edges(void* const* from, void* const* to, u64 count) = 0;
  virtual int remove_edges(void* const* from, void* const* to, u64 count) = 0;
  virtual int describe_node(void* node, node_facts* facts) = 0;
  /// Writes at most `count` of them, and how many there are. Where `nodes` is null only the latter.
  virtual int list_nodes(void* graph, bool only_roots, void** nodes, u64* count) = 0;
  virtual int list_edges(void* graph, void** from, void** to, u64* count) = 0;
  virtual int list_neighbours(void* node, bool before, void** nodes, u64* count) = 0;

  /// What the graph allocates and nothing has freed is freed when it is launched again where that is wanted.
  virtual int instantiate(void** made, void* graph, bool frees_on_launch) = 0;
  virtual int end_executable(void* executable) = 0;
  virtual int update(void* executable, void* graph, update_facts* facts) = 0;
  virtual int enable_node(void* executable, void* node, bool is_enabled) = 0;
  virtual int is_node_enabled(void* executable, void* node, bool* is_enabled) = 0;
  virtual int launch_graph(void* executable, void* stream) = 0;

  /// Into a new graph where `graph` is null.
  virtual int begin_capture(void* stream, int mode, void* graph, void* const* after, u64 count) = 0;
  virtual int end_capture(void* stream, void** graph) = 0;
  virtual int describe_capture(void* stream, capture_facts* facts) = 0;
  virtual int set_capture_dependencies(void* stream, void* const* after, u64 count, bool keeps) = 0;
  virtual int exchange_capture_mode(int* mode) = 0;

 protected:
  ~graph_runtime() = default;
};

}  // namespace heddle_device
