#include "kernels/gpu_module.hpp"

#include "kernels/module_state.hpp"
#include "kernels/nvrtc.hpp"
#include "target/gpu_devices.hpp"
#include "target/shared_library.hpp"
#include <heddle/error.hpp>
#include <heddle/impl/gpu/arch/launch.cuh>
#include <heddle/support/fork.hpp>

#include <algorithm>
#include <map>
#include <mutex>
#include <string>
#include <utility>

#include <cuda.h>
#include <cuda_runtime_api.h>
#include <fmt/format.h>

namespace heddle::gpu {
namespace {

using impl::function_state;
using impl::module_state;

/// The driver's own functions, of which the runtime has no counterparts for code that is made at run time.
struct driver_library {
  impl::shared_library library{
      {"libcuda.so.1", "/usr/lib/x86_64-linux-gnu/libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"},
      "libcuda comes with NVIDIA's driver; run on serial or parallel where there is none"};
#define HEDDLE_DRIVER(NAME, SYMBOL) \
  decltype(::cu##NAME)* NAME = library.function<decltype(::cu##NAME)>(SYMBOL);
  HEDDLE_DRIVER(GetErrorString, "cuGetErrorString")
  HEDDLE_DRIVER(ModuleLoadData, "cuModuleLoadData")
  HEDDLE_DRIVER(ModuleUnload, "cuModuleUnload")
  HEDDLE_DRIVER(ModuleGetFunction, "cuModuleGetFunction")
  HEDDLE_DRIVER(FuncGetAttribute, "cuFuncGetAttribute")
  HEDDLE_DRIVER(FuncSetAttribute, "cuFuncSetAttribute")
  HEDDLE_DRIVER(LaunchKernelEx, "cuLaunchKernelEx")
#undef HEDDLE_DRIVER

  void check(CUresult status, const std::string& call) const {
    if (status == CUDA_SUCCESS) return;
    const char* why = nullptr;
    if (GetErrorString(status, &why) != CUDA_SUCCESS || why == nullptr) why = "unknown error";
    throw error(fmt::format("CUDA: {} in {}", why, call));
  }
};

const driver_library& driver() {
  constinit static made_once<driver_library> loaded;
  return loaded.get([] { return driver_library(); });
}

/// Makes the device's primary context, which the runtime's arrays live in, that of the calling thread.
class primary_context {
 public:
  explicit primary_context(const target& where) : on_(where) { check(cudaFree(nullptr), "cudaFree"); }

 private:
  current_device on_;
};

/// Code on a device.
class loaded_code {
 public:
  loaded_code(const target& where, device_code code) : where_(where), code_(std::move(code)) {
    const primary_context on(where_);
    driver().check(driver().ModuleLoadData(&module_, code_.image.data()), "cuModuleLoadData");
  }
  ~loaded_code() {
    // Kernels that run are waited for first. At the end of a process there may be no context any more.
    try {
      const primary_context on(where_);
      where_.wait();
      driver().ModuleUnload(module_);
    } catch (const std::exception&) {
    }
  }
  loaded_code(const loaded_code&) = delete;
  loaded_code& operator=(const loaded_code&) = delete;

  const device_code& code() const { return code_; }
  CUmodule handle() const { return module_; }
  const compiled_kernel* find(const std::string& symbol) const {
    const auto found = std::find_if(code_.kernels.begin(), code_.kernels.end(),
                                    [&](const compiled_kernel& k) { return k.symbol == symbol; });
    return found == code_.kernels.end() ? nullptr : &*found;
  }

 private:
  target where_;
  device_code code_;
  CUmodule module_ = nullptr;
};

class gpu_function : public function_state {
 public:
  gpu_function(const target& where, std::shared_ptr<const loaded_code> code, const compiled_kernel& kernel,
               bool is_cooperative)
      : code_(std::move(code)), is_cooperative_(is_cooperative) {
    name = kernel.name;
    parameters = kernel.parameters;
    const primary_context on(where);
    driver().check(driver().ModuleGetFunction(&function_, code_->handle(), kernel.symbol.c_str()),
                   "cuModuleGetFunction");
  }

  void launch(const target& where, const dimensions& grid, const dimensions& block, std::size_t shared_bytes,
              void* const* values) const override {
    constexpr std::size_t most = 0xffffffffu;
    for (const std::size_t n : {grid.x, grid.y, grid.z, block.x, block.y, block.z, shared_bytes}) {
      if (n > most) throw error(fmt::format("{}: {} is more than a launch can have", name, n));
    }
    const primary_context on(where);
    const driver_library& d = driver();
    constexpr std::size_t granted = 48 * 1024;
    if (shared_bytes > granted) {
      d.check(d.FuncSetAttribute(function_, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES,
                                 static_cast<int>(shared_bytes)),
              fmt::format("{}: a launch with {} bytes of dynamic shared memory", name, shared_bytes));
    }
    CUlaunchAttribute cooperative{};
    cooperative.id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
    cooperative.value.cooperative = 1;
    CUlaunchConfig config{};
    config.gridDimX = static_cast<unsigned>(grid.x);
    config.gridDimY = static_cast<unsigned>(grid.y);
    config.gridDimZ = static_cast<unsigned>(grid.z);
    config.blockDimX = static_cast<unsigned>(block.x);
    config.blockDimY = static_cast<unsigned>(block.y);
    config.blockDimZ = static_cast<unsigned>(block.z);
    config.sharedMemBytes = static_cast<unsigned>(shared_bytes);
    config.hStream = where.stream();
    config.attrs = &cooperative;
    config.numAttrs = is_cooperative_ ? 1 : 0;
    d.check(d.LaunchKernelEx(&config, function_, const_cast<void**>(values), nullptr),
            fmt::format("{}: a launch of {}x{}x{} blocks of {}x{}x{} threads", name, grid.x, grid.y, grid.z,
                        block.x, block.y, block.z));
  }

 private:
  std::shared_ptr<const loaded_code> code_;
  CUfunction function_ = nullptr;
  bool is_cooperative_;
};

class gpu_module : public module_state {
 public:
  gpu_module(const target& where, std::string source, module_options options)
      : where_(where), source_(std::move(source)), options_(std::move(options)) {
    int major = 0, minor = 0;
    check(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, where.device()),
          "cudaDeviceGetAttribute");
    check(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, where.device()),
          "cudaDeviceGetAttribute");
    capability_ = 10 * major + minor;
    // Blocks that meet at a barrier of the grid must all be there.
    is_cooperative_ =
        source_.find("this_grid") != std::string::npos || source_.find("grid_group") != std::string::npos;
    all_ = load(options_);
  }

  std::shared_ptr<const function_state> function(const std::string& name) override {
    require_device(where_);  // in a child of fork, a thread of the parent may hold the mutex
    const std::lock_guard lock(mutex_);
    std::shared_ptr<const loaded_code> from = all_;
    const compiled_kernel* kernel = find_kernel(all_->code(), name);
    if (kernel == nullptr) {
      const std::string expression = expression_for(all_->code(), name);
      if (expression.empty())
        throw error(fmt::format("{}: {}", options_.name, why_no_kernel(all_->code(), name)));
      std::shared_ptr<const loaded_code>& instance = instances_[expression];
      if (instance == nullptr) {
        module_options with_expression = options_;
        with_expression.name_expressions.push_back(expression);
        try {
          instance = load(with_expression);
        } catch (const error& e) {
          // The compiler's own message says why an instance does not compile.
          if (name.find('<') != std::string::npos) throw;
          throw error(fmt::format("{}: {}\n{}", options_.name, why_no_kernel(all_->code(), name), e.what()));
        }
      }
      from = instance;
      kernel = find_kernel(from->code(), expression);
    }
    if (kernel == nullptr) throw error(fmt::format("{} is no kernel of {}", name, options_.name));
    return std::make_shared<gpu_function>(where_, from, *kernel, is_cooperative_);
  }

  void* host_function(const char*) override { return nullptr; }

 private:
  std::shared_ptr<const loaded_code> load(const module_options& options) {
    device_code code = compile_by_nvrtc(capability_, source_, options);
    was_cached &= code.was_cached;
    return std::make_shared<loaded_code>(where_, std::move(code));
  }

  target where_;
  std::string source_;
  module_options options_;
  int capability_ = 0;
  bool is_cooperative_ = false;
  std::mutex mutex_;
  std::shared_ptr<const loaded_code> all_;
  std::map<std::string, std::shared_ptr<const loaded_code>> instances_;
};

}  // namespace

bool can_compile_modules() noexcept {
  try {
    if (device_count() == 0) return false;
    driver();
    return has_nvrtc();
  } catch (const std::exception&) {
    return false;
  }
}

std::shared_ptr<module_state> compile_module(const target& where, const std::string& source,
                                             const module_options& options) {
  driver();  // what is missing is named before anything else is asked
  require_device(where);
  return std::make_shared<gpu_module>(where, source, options);
}

}  // namespace heddle::gpu
