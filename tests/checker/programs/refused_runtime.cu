// What the runtime has for several processes, and by names at run time: refused where it is used.

// program
// fails refused_runtime.cu:16: cudaIpcMemHandle_t: memory and events of several processes are not supported
// program
// fails refused_runtime.cu:17: cudaIpcGetMemHandle: memory and events of several processes are not supported
// program
// fails refused_runtime.cu:18: cudaMemPoolExportToShareableHandle: memory and events of several processes
// program
// fails refused_runtime.cu:19: cudaUserObject_t: objects that graphs own are not supported
// program
// fails refused_runtime.cu:20: cudaGetDriverEntryPoint: functions of the driver by their names
// program
// fails refused_runtime.cu:21: cudaGraphConditionalHandle: conditional nodes of graphs are not supported
int main() {
  cudaIpcMemHandle_t shared;
  cudaIpcGetMemHandle(&shared, nullptr);
  cudaMemPoolExportToShareableHandle(&shared, nullptr, 1, 0);
  cudaUserObject_t object;
  cudaGetDriverEntryPoint("cuInit", nullptr, 0, nullptr);
  cudaGraphConditionalHandle handle;
}
