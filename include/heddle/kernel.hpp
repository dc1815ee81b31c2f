#pragma once

#include <heddle/array.hpp>
#include <heddle/impl/kernels/kernel.hpp>
#include <heddle/target.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

/// Kernels from source at run time: compiled for the GPU at hand by NVRTC, or for this processor by the
/// system's C++ compiler.
namespace heddle {

/// How a source is compiled.
struct module_options {
  std::vector<std::string> definitions = {};      ///< macros: NAME or NAME=VALUE
  std::vector<std::string> include_folders = {};  ///< searched for headers
  std::string standard = "c++20";                 ///< c++17 or c++20
  std::vector<std::string> flags = {};            ///< further options for NVRTC or the C++ compiler
  std::string name = "kernel.cu";                 ///< what messages call the source
  std::vector<std::string> name_expressions =
      {};  ///< instances of templates that share the module's variables
};

/// How many blocks a grid has, or threads a block, along each axis.
struct dimensions {
  std::size_t x = 1, y = 1, z = 1;

  constexpr dimensions(std::size_t along_x = 1, std::size_t along_y = 1, std::size_t along_z = 1) noexcept
      : x(along_x), y(along_y), z(along_z) {}
  constexpr std::size_t count() const noexcept { return x * y * z; }
};

/// The type of a number that a kernel takes, 16-bit floating-point types included; `other` for everything
/// else.
using kernel_number = impl::number;
template <class T>
inline constexpr kernel_number kernel_number_of = impl::number_of<T>();

/// A parameter of a kernel, as far as it is known.
using kernel_parameter = impl::parameter_description;
/// The parameter of a type, as CUDA C++ writes it: "const float*".
kernel_parameter kernel_parameter_of(std::string_view type);

/// A parameter of an expression.
using expression_parameter = impl::expression_parameter;

/// An argument whose type is known at run time.
struct untyped_argument {
  const void* data = nullptr;  ///< the elements of an array, or a number or a structure
  std::size_t bytes = 0;       ///< of an element, or of the number or the structure
  bool is_array = true;
  bool is_written = false;  ///< whether an array may be written to
  target where = {};        ///< of an array
  kernel_number type = kernel_number::other;
  shape lengths = {};  ///< of an array
};

class kernel_function;

/// A kernel and the shape of its launch, ready to be called.
class kernel_launch {
 public:
  /// Launches it. Arguments are numbers and structures by value, pointers, and arrays, of which the kernel
  /// gets a pointer to the elements. Asynchronous on a GPU, on the stream of the module's target; on a CPU it
  /// returns when all threads have ended. Throws heddle::error, also when the number or types of the
  /// arguments are not those of the kernel's parameters.
  template <class... Arguments>
  void operator()(Arguments&&... arguments) const {
    const std::tuple<impl::passed<Arguments>...> all_passed{impl::passed<Arguments>(arguments)...};
    std::apply(
        [&](const auto&... each) {
          const impl::kernel_argument all[sizeof...(Arguments) + 1] = {each.describe()..., {}};
          launch(all, sizeof...(Arguments));
        },
        all_passed);
  }
  /// The same with arguments whose types are known at run time.
  void call(std::span<const untyped_argument> arguments) const;

 private:
  friend class kernel_function;
  void launch(const impl::kernel_argument* arguments, std::size_t count) const {
    impl::launch(*function_, where_, grid_, block_, shared_bytes_, arguments, count);
  }
  kernel_launch(std::shared_ptr<const impl::function_state> function, const target& where, dimensions grid,
                dimensions block, std::size_t shared_bytes)
      : function_(std::move(function)),
        where_(where),
        grid_(grid),
        block_(block),
        shared_bytes_(shared_bytes) {}

  std::shared_ptr<const impl::function_state> function_;
  target where_;
  dimensions grid_, block_;
  std::size_t shared_bytes_;
};

/// A kernel of a module, which it keeps alive.
class kernel_function {
 public:
  /// `f(grid, block, shared)(arguments…)`: blocks of the grid, threads of a block, bytes of dynamic shared
  /// memory a block.
  [[nodiscard]] kernel_launch operator()(dimensions grid, dimensions block,
                                         std::size_t shared_bytes = 0) const {
    return {function_, where_, grid, block, shared_bytes};
  }

  /// Launches it with a pointer to each argument, as cudaLaunchKernel takes them: for arguments whose types
  /// are known at run time. They are not checked against the kernel's parameters. Asynchronous on a GPU.
  void launch(dimensions grid, dimensions block, std::size_t shared_bytes, void* const* arguments) const;

  /// Its name and parameters, as far as they are known: "saxpy(int, float, const float*, float*)".
  std::string signature() const;
  const std::string& name() const noexcept;
  /// Null where nothing is known of them.
  const std::vector<kernel_parameter>* parameters() const noexcept;

 private:
  friend class module;
  friend const impl::function_state& impl::state_of(const kernel_function& kernel) noexcept;
  kernel_function(std::shared_ptr<const impl::function_state> function, const target& where)
      : function_(std::move(function)), where_(where) {}

  std::shared_ptr<const impl::function_state> function_;
  target where_;
};

/// CUDA C++ source, compiled for a target. The result is kept in the user's cache folder, so that the next
/// process with the same source runs no compiler.
///
///     hd::module m(where, source);
///     m.function("saxpy")(blocks, 256)(n, 2.0f, x, y);
///     m.function("sum<float, 256>")(blocks, 256)(x.view(), partial, n);
///
/// For a GPU NVRTC compiles it; libcuda and libnvrtc are loaded at run time. For `serial` and `parallel` the
/// system's C++ compiler does, and threads of a block that wait for one another are fibers. `auto` is the
/// first GPU, or all cores without one. Throws heddle::error with the compiler's messages, which refer to
/// lines of the source.
class module {
 public:
  // nvcc warns of a line that begins with `module`, as a module directive does.
  explicit(false) module(const target& where, const std::string& source, const module_options& options = {});
  /// The source in a file, whose folder is searched for its includes.
  static module from_file(const target& where, const std::string& path, module_options options = {});

  /// A kernel by its name, with or without its namespaces; an instance of a template by an expression such as
  /// "sum<float, 256>". An instance that `name_expressions` does not list is compiled now, by itself, with
  /// its own copies of the module's variables. Throws heddle::error when no kernel has the name, or more than
  /// one.
  kernel_function function(const std::string& name) const;

  /// Where its kernels run.
  const target& where() const noexcept { return where_; }
  /// Whether everything compiled so far came from the cache.
  bool was_cached() const noexcept;

 private:
  target where_;
  std::shared_ptr<impl::module_state> state_;
};

/// Whether this machine can compile modules and expressions for a GPU: it has one, and NVRTC.
bool can_compile_for_gpu() noexcept;

/// How the expressions of a kernel are compiled.
struct expression_options {
  std::string preamble = {};        ///< functions and constants that the expressions use
  bool is_commutative = false;      ///< of a reduction: `combine` commutes, which allows a faster order
  std::string name = "expression";  ///< what messages call it
  module_options compile = {};      ///< the rest; its names are ignored
};

/// An elementwise operation on arrays, from source.
///
///     const hd::elementwise_kernel saxpy("float x, float y, float a", "y = a * x + y");
///     saxpy(where, x, y, 2.0f);
///
/// A parameter is TYPE NAME. In the operation, statements of CUDA C++, NAME is an element of an array, or a
/// number, as the call gives it. A parameter that the operation assigns to, or that is declared TYPE& NAME,
/// is an output and takes an array. `i` is the index of the element and `n` the number of elements, unless
/// parameters have these names. It is compiled by the first call on a kind of target with these arguments as
/// arrays, and cached as a module is.
class elementwise_kernel {
 public:
  elementwise_kernel(const std::string& parameters, const std::string& operation,
                     const expression_options& options = {})
      : state_(impl::elementwise_expression(parameters, operation, options)) {}

  /// Arrays have one shape and may be on any target, as for `transform`; an output may be one of the inputs.
  /// Asynchronous on a GPU. n calls of the operation.
  template <class... Arguments>
  void operator()(const target& where, Arguments&&... arguments) const {
    impl::with_expression_arguments(
        [&](const impl::expression_argument* all, std::size_t count) {
          impl::run_elementwise(*state_, impl::prepare(*state_, where, all, count), all);
        },
        arguments...);
  }

  /// The same with arguments whose types are known at run time. `size` is the number of elements where no
  /// argument is an array, but for example a pointer that is passed as a number.
  void call(const target& where, std::span<const untyped_argument> arguments,
            std::optional<std::size_t> size = {}) const;
  const std::vector<expression_parameter>& parameters() const noexcept;

  /// The operation on elements first … first + count − 1 of n, for arrays that come a piece at a time: each
  /// holds the `count` elements of the piece. The arguments are not checked against the parameters.
  /// Asynchronous on a GPU.
  void on_piece(const target& where, const std::vector<untyped_argument>& arguments, std::size_t count,
                std::size_t first, std::size_t n) const;

 private:
  std::shared_ptr<impl::expression_state> state_;
};

/// A reduction from source: `combine` of a and b reduces `map` of the elements.
///
///     const hd::reduction_kernel<float> dot("float x, float y", "x * y", "a + b", "0");
///     float d = dot(where, x, y);
///
/// Operands keep the order of the elements. The order of combination is that of `reduce`
/// (docs/reference/reduce.md) for an operator that commutes, or does not: the same bits on every target. `a +
/// b`, `a * b`, `min(a, b)`, `max(a, b)`, `a & b`, `a | b` and `a ^ b` count as commutative. No elements give
/// the identity; without one they throw heddle::error.
template <class T>
  requires(has_dtype<T>)
class reduction_kernel {
 public:
  static_assert(dtype_of<T> < dtype::complex64, "reduction_kernel: of real numbers and integers");
  reduction_kernel(const std::string& parameters, const std::string& map, const std::string& combine,
                   const std::string& identity = {}, const expression_options& options = {})
      : state_(impl::combining_expression(false, dtype_of<T>, parameters, map, combine, identity, options)) {}

  /// Waits for the value.
  template <class... Arguments>
  T operator()(const target& where, Arguments&&... arguments) const {
    return impl::with_expression_arguments(
        [&](const impl::expression_argument* all, std::size_t count) {
          T result;
          impl::run_reduction(*state_, impl::prepare(*state_, where, all, count), all, &result);
          return result;
        },
        arguments...);
  }

 private:
  std::shared_ptr<impl::expression_state> state_;
};

/// A scan from source: element k of the result combines `map` of elements 0 … k in their order. An exclusive
/// scan combines 0 … k − 1, and its first element is the identity.
///
///     const hd::scan_kernel<float> running("float x", "x * x", "a + b", "0");
///     hd::array<float> sums = running(where, x);
///
/// The order of combination depends on the number of elements alone: the same bits on every target.
template <class T>
  requires(has_dtype<T>)
class scan_kernel {
 public:
  static_assert(dtype_of<T> < dtype::complex64, "scan_kernel: of real numbers and integers");
  scan_kernel(const std::string& parameters, const std::string& map, const std::string& combine,
              const std::string& identity = {}, const expression_options& options = {})
      : state_(impl::combining_expression(true, dtype_of<T>, parameters, map, combine, identity, options)) {}

  /// The result lives on the target and has the shape of the arguments. Asynchronous on a GPU.
  template <class... Arguments>
  array<T> operator()(const target& where, Arguments&&... arguments) const {
    return scan(false, where, arguments...);
  }
  template <class... Arguments>
  array<T> exclusive(const target& where, Arguments&&... arguments) const {
    return scan(true, where, arguments...);
  }

 private:
  template <class... Arguments>
  array<T> scan(bool is_exclusive, const target& where, Arguments&... arguments) const {
    return impl::with_expression_arguments(
        [&](const impl::expression_argument* all, std::size_t count) {
          const impl::expression_call call = impl::prepare(*state_, where, all, count);
          array<T> out(call.lengths, call.where);
          impl::run_scan(*state_, call, all, is_exclusive, out.data());
          return out;
        },
        arguments...);
  }

  std::shared_ptr<impl::expression_state> state_;
};

}  // namespace heddle
