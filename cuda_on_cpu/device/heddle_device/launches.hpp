#pragma once

/// What the rewriting of a source (host_part.cpp) leaves of launches, of kernels whose address is taken and
/// of main. Nothing runs where the source is not run as a program.

#include "host/types.hpp"
#include "memory_functions.hpp"
#include "module.hpp"

extern "C" {
#ifdef HEDDLE_PROGRAM
__attribute__((weak)) void heddle_begin_program(void** slots, const heddle_device::kernel_entry* kernels,
                                                const heddle_device::variable* const* variables,
                                                const heddle_device::member* const* members,
                                                heddle_device::runtime** runtime);
extern void* heddle_module_slots[];
#endif
}

namespace heddle_device {

inline runtime* program_runtime() {
  return heddle_module_runtime;
}

/// Calls a function of the runtime's, which kernels may do: its own memory is none that is watched.
template <class F>
__attribute__((no_sanitize("thread"))) cudaError_t ask_runtime(const F& f) {
  return heddle_module_runtime == nullptr ? cudaErrorNoDevice
                                          : static_cast<cudaError_t>(f(heddle_module_runtime));
}

#ifdef HEDDLE_PROGRAM
/// Each file of a program makes its kernels known before anything of the program is initialised.
inline void begin_file(const kernel_entry* kernels) {
  if (&heddle_begin_program == nullptr) return;
  heddle_begin_program(heddle_module_slots, kernels, heddle_module_variables, heddle_module_members,
                       &heddle_module_runtime);
}

#endif

constexpr index3 index_of(dim3 d) {
  return {d.x, d.y, d.z};
}

/// A kernel's function, to be called with a pointer to each argument.
template <class... P>
struct kernel_of {
  template <unsigned... I>
  struct indices {};
#ifdef __clang__
  template <class T, T... I>
  using sequence = indices<I...>;
  using all = __make_integer_seq<sequence, unsigned, sizeof...(P)>;
#else
  using all = indices<__integer_pack(unsigned(sizeof...(P)))...>;
#endif
  template <unsigned... I>
  __attribute__((no_sanitize("thread"),
                 no_sanitize("undefined"))) static void call_with(const void* function,
                                                                  void* const* arguments, indices<I...>) {
    (void)arguments;
    call_kernel<P...>(function, argument_copy<P>(arguments[I])...);
  }
  __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) static void call(const void* function,
                                                                                    void* const* arguments) {
    call_with(function, arguments, all());
  }
  static constexpr parameter parameters[sizeof...(P) + 1] = {describe_parameter<P>::value..., {}};

  static known_kernel known(void (*function)(P...), u64 bounds) {
    return {reinterpret_cast<const void*>(function), &call, parameters, sizeof...(P), bounds};
  }
};

/// Takes a kernel whose address is known, with its parameters, so that what it is launched with becomes what
/// they are.
struct kernel_taker {
  template <class... P>
  struct taken {
    void (*function)(P...);
    u64 bounds;
  };
  template <class... P>
  taken<P...> operator()(void (*function)(P...), u64 bounds = 0) const {
    return {function, bounds};
  }
};

struct launch_configuration {
  const char* name;
  dim3 grid, block;
  size_t shared_bytes;
  cudaStream_t stream;

  __attribute__((no_sanitize("thread"))) cudaError_t operator()(launch_request request) const {
    if (program_runtime() == nullptr) return cudaErrorNoDevice;
    request.name = name;
    request.grid = index_of(grid);
    request.block = index_of(block);
    request.shared_bytes = shared_bytes;
    request.stream = stream;
    return static_cast<cudaError_t>(program_runtime()->launch(request));
  }
};

template <class T>
void* address_of_argument(T& argument) {
  return const_cast<void*>(
      reinterpret_cast<const volatile void*>(&reinterpret_cast<const volatile char&>(argument)));
}

template <class... P>
cudaError_t launch_taken(const launch_configuration& how, const kernel_taker::taken<P...>& what,
                         const launch_attributes& attributes, void* const* pointers) {
  launch_request request{};
  request.kernel = kernel_of<P...>::known(what.function, what.bounds);
  request.function = request.kernel.address;
  request.is_address = true;
  request.arguments = pointers;
  request.attributes = attributes;
  return how(request);
}

/// Whether what a launch names is a kernel with parameters of these types.
template <class As, class... A>
constexpr auto has_kernel_for(int)
    -> decltype(value_of_type<const As&>()(static_cast<void (*)(A...)>(nullptr)), bool()) {
  return true;
}
template <class As, class... A>
constexpr bool has_kernel_for(long) {
  return false;
}

/// Of a kernel that is deduced from what it is launched with.
template <class Call, class As>
struct deduced_launcher {
  Call call;
  As as;
  launch_configuration how;
  u64 bounds;

  /// Calls a copy of `call`: what launches may be gone when it does.
  template <class... A>
  struct closure {
    template <unsigned... I>
    __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) static void run(
        const Call& call, void* const* arguments, typename kernel_of<A...>::template indices<I...>) {
      (void)arguments;
      call(*static_cast<A*>(arguments[I])...);
    }
    __attribute__((no_sanitize("thread"), no_sanitize("undefined"))) static void begin(
        const void* call, void* const* arguments) {
      run(*static_cast<const Call*>(call), arguments, typename kernel_of<A...>::all());
    }
  };

  template <class... A>
  void operator()(A... arguments) const {
    void* const pointers[] = {address_of_argument(arguments)..., nullptr};
    if constexpr ((passed<A>::is_by_address || ...) && has_kernel_for<As, A...>(0)) {
      launch_taken(how, kernel_taker::taken<A...>{as(static_cast<void (*)(A...)>(nullptr)), bounds}, {},
                   pointers);
      return;
    }
    launch_request request{};
    request.kernel = {nullptr, &closure<A...>::begin, kernel_of<A...>::parameters, sizeof...(A), bounds};
    request.function = &call;
    request.function_bytes = sizeof call;
    request.arguments = pointers;
    how(request);
  }
};

template <bool>
struct only_if {};
template <>
struct only_if<true> {
  using type = void;
};

/// Of a kernel that is known. Where it is launched with another number of arguments, the call chooses: it
/// knows defaults of parameters, and functions of the host that have the name, too.
template <class Call, class As, class... P>
struct taken_launcher {
  kernel_taker::taken<P...> what;
  deduced_launcher<Call, As> with_defaults;

  void operator()(P... arguments) const {
    void* const pointers[] = {address_of_argument(arguments)..., nullptr};
    launch_taken(with_defaults.how, what, {}, pointers);
  }
  template <class... A, class = typename only_if<sizeof...(A) != sizeof...(P)>::type>
  void operator()(A... arguments) const {
    with_defaults(arguments...);
  }
};
template <class Call, class As, class... P>
taken_launcher<Call, As, P...> launcher_of(const kernel_taker::taken<P...>& what, const Call& call,
                                           const As& as, const launch_configuration& how) {
  return {what, {call, as, how, what.bounds}};
}

struct any_take {
  template <class T>
  any_take(T&&) {}
};

/// What k<<<grid, block, shared, stream>>> becomes: `take` gives the kernel's function where its name says
/// which it is, `call` calls it with whatever it is launched with, and `as` gives the one of a type. Bounds
/// are what its declaration says of its launches, or 0.
template <u64 Bounds, class Take, class Call, class As>
auto launching_with(const Take& take, const Call& call, const As& as, const launch_configuration& how, int)
    -> decltype(launcher_of(take(kernel_taker()), call, as, how)) {
  return launcher_of(take(kernel_taker()), call, as, how);
}
template <u64 Bounds, class Take, class Call, class As>
deduced_launcher<Call, As> launching_with(const Take&, const Call& call, const As& as,
                                          const launch_configuration& how, long) {
  return {call, as, how, Bounds};
}
template <u64 Bounds, class Take, class Call, class As>
auto launching(const char* name, const Take& take, const Call& call, const As& as, dim3 grid, dim3 block,
               size_t shared_bytes = 0, cudaStream_t stream = nullptr) {
  return launching_with<Bounds>(take, call, as, launch_configuration{name, grid, block, shared_bytes, stream},
                                0);
}

/// Makes an instance of a template of the device's variables known.
template <class T>
T& known_variable(T& of, const char* name, bool is_constant, bool is_managed) {
  if (program_runtime() != nullptr)
    program_runtime()->know_variable(
        {name, (void*)&of, sizeof of, variable_elements<T>::value, is_constant, false, is_managed});
  return of;
}

/// Makes an instance of a template known by its address, for functions that take one.
template <class... P>
void (&registered(void (&function)(P...)))(P...) {
  if (program_runtime() != nullptr) program_runtime()->know(kernel_of<P...>::known(&function, 0));
  return function;
}

inline int call_main(int (*main)(), int, char**, char**) {
  return main();
}
template <class Words>
int call_main(int (*main)(int, Words), int count, char** words, char**) {
  return main(count, const_cast<Words>(words));
}
template <class Words, class Environment>
int call_main(int (*main)(int, Words, Environment), int count, char** words, char** environment) {
  return main(count, const_cast<Words>(words), const_cast<Environment>(environment));
}

}  // namespace heddle_device
