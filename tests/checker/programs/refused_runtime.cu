// What the runtime has for several processes, and by names at run time: refused where it is used.

// program
// fails refused_runtime.cu:18: cudaIpcMemHandle_t: memory and events of several processes are not supported
// program
// fails refused_runtime.cu:19: cudaIpcGetMemHandle: memory and events of several processes are not supported
// program
// fails refused_runtime.cu:20: cudaMemPoolExportToShareableHandle: memory and events of several processes
// program
// fails refused_runtime.cu:21: cudaUserObject_t: objects that graphs own are not supported
// program
// fails refused_runtime.cu:22: cudaGetDriverEntryPoint: functions of the driver by their names
// program
// fails refused_runtime.cu:23: cudaGraphConditionalHandle: conditional nodes of graphs are not supported
// program
// fails refused_runtime.cu:24: cudaLaunchCooperativeKernelMultiDevice: grids of several devices were taken out of CUDA
int main() {
  cudaIpcMemHandle_t shared;
  cudaIpcGetMemHandle(&shared, nullptr);
  cudaMemPoolExportToShareableHandle(&shared, nullptr, 1, 0);
  cudaUserObject_t object;
  cudaGetDriverEntryPoint("cuInit", nullptr, 0, nullptr);
  cudaGraphConditionalHandle handle;
  cudaLaunchCooperativeKernelMultiDevice(nullptr, 2);
}
