// What the runtime has for several processes, and by names at run time: refused where it is used.

// program
// fails refused_runtime.cu:20: cudaIpcMemHandle_t: memory and events of several processes are not supported
// program
// fails refused_runtime.cu:21: cudaIpcGetMemHandle: memory and events of several processes are not supported
// program
// fails refused_runtime.cu:22: cudaMemPoolExportToShareableHandle: memory and events of several processes
// program
// fails refused_runtime.cu:23: cudaUserObject_t: objects that graphs own are not supported
// program
// fails refused_runtime.cu:24: cudaGetDriverEntryPoint: functions of the driver by their names
// program
// fails refused_runtime.cu:25: cudaGraphConditionalHandle: conditional nodes of graphs are not supported
// program
// fails refused_runtime.cu:26: cudaLaunchCooperativeKernelMultiDevice: grids of several devices were taken out of CUDA
// program
// fails refused_runtime.cu:27: cudaLibraryGetUnifiedFunction: functions of a library that the host may call
int main() {
  cudaIpcMemHandle_t shared;
  cudaIpcGetMemHandle(&shared, nullptr);
  cudaMemPoolExportToShareableHandle(&shared, nullptr, 1, 0);
  cudaUserObject_t object;
  cudaGetDriverEntryPoint("cuInit", nullptr, 0, nullptr);
  cudaGraphConditionalHandle handle;
  cudaLaunchCooperativeKernelMultiDevice(nullptr, 2);
  cudaLibraryGetUnifiedFunction(nullptr, nullptr, "f");
}
