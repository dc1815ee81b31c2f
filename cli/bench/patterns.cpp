#include "patterns.hpp"

#include "cli/patterns/algorithm_names.hpp"
#include <heddle/array.hpp>
#include <heddle/operators.hpp>
#include <heddle/reduce.hpp>
#include <heddle/scan.hpp>
#include <heddle/textbook.hpp>
#include <heddle/transform.hpp>

#include <bit>
#include <span>

namespace heddle::cli::bench {
namespace {

constexpr const char* transform_method = "single-pass";

template <class T>
array_view<const T> input(const workload& work, std::size_t call) {
  return {static_cast<const T*>(work.elements->input(call)), shape{work.n}, work.where};
}
template <class T>
array_view<T> output(const workload& work, std::size_t call) {
  return {static_cast<T*>(work.elements->output(call)), shape{work.n}, work.where};
}

/// Calls f(input, output): on a CPU as spans, which peers are given no more than.
template <class T, class F>
void with_arrays(const workload& work, std::size_t call, const F& f) {
  if (work.where.is_gpu()) return f(input<T>(work, call), output<T>(work, call));
  f(std::span(static_cast<const T*>(work.elements->input(call)), work.n),
    std::span(static_cast<T*>(work.elements->output(call)), work.n));
}

/// Calls f with the operator of the work.
template <class T, class F>
void with_operator(const workload& work, const F& f) {
  if constexpr (!heddle::is_complex<T>) {
    if (work.combine == runtime_op::maximum) return f(maximum());
  }
  f(plus());
}

template <class T, class Op>
void add_reduce(const workload& work, reduce_algorithm algorithm, const Op& op, contender& made) {
  const auto to_value = [work, algorithm, op](std::size_t call) {
    T total{};
    with_arrays<T>(work, call,
                   [&](const auto& x, const auto&) { total = reduce(work.where, x, op, algorithm); });
    return total;
  };
  if (!work.where.is_gpu()) {
    made.calls = repeated(
        [to_value, work](std::size_t call) { *static_cast<T*>(work.elements->result()) = to_value(call); });
    return;
  }
  made.calls = repeated([work, algorithm, op](std::size_t call) {
    const array_view<T> result(static_cast<T*>(work.elements->result()), shape{1}, work.where);
    if (algorithm == reduce_algorithm::single_pass) {
      reduce_into(work.where, result, input<T>(work, call), op);
    } else {
      reduce_into(work.where, result, input<T>(work, call), op, algorithm);
    }
  });
  made.whole_call = [to_value](std::size_t call) {
    // The compiler is told that the value is used.
    const T total = to_value(call);
    asm volatile("" : : "r"(&total) : "memory");
  };
}

template <class T, class Op>
void add_scan(const workload& work, scan_algorithm algorithm, const Op& op, contender& made) {
  if (algorithm == scan_algorithm::single_pass) {
    made.calls = repeated([work, op](std::size_t call) {
      with_arrays<T>(work, call,
                     [&](const auto& x, auto out) { inclusive_scan_into(work.where, out, x, op); });
    });
    return;
  }
  made.calls = repeated([work, algorithm, op](std::size_t call) {
    inclusive_scan_into(work.where, output<T>(work, call), input<T>(work, call), op, algorithm);
  });
}

template <class T>
void add_transform(const workload& work, contender& made) {
  made.calls = repeated([work](std::size_t call) {
    transform_into(work.where, output<T>(work, call), input<T>(work, call), T(1), plus{});
  });
}

}  // namespace

std::vector<std::string> algorithms_of(pattern which) {
  switch (which) {
    case pattern::reduce:
      return names_of(reduce_algorithms);
    case pattern::scan:
      return names_of(scan_algorithms);
    case pattern::transform:
      break;
  }
  return {transform_method};
}

std::size_t scratch_bytes(pattern which, const std::string& algorithm, dtype type, std::size_t n) {
  const std::size_t bytes = size_of(type);
  switch (which) {
    case pattern::reduce: {
      // The results of the blocks, and those of their blocks; fewer where tiles take the place of blocks.
      const std::size_t block = textbook::block_of(bytes), blocks = textbook::blocks_of(n, block);
      return (blocks + textbook::blocks_of(blocks, block)) * bytes;
    }
    case pattern::scan:
      switch (parse_scan_algorithm(algorithm)) {
        case scan_algorithm::hillis_steele:
          return n <= textbook::scan_block_of(bytes) ? 0 : 2 * n * bytes;
        case scan_algorithm::blelloch:
          return (std::bit_ceil(n) + 1) * bytes;
        case scan_algorithm::single_pass:
          break;
      }
      break;
    case pattern::transform:
      break;
  }
  return 0;
}

contender heddle_pattern(const workload& work, const std::string& algorithm) {
  contender made{algorithm, contender::kind::algorithm, work.bytes(), nullptr};
  with_type(work.type, [&]<class T>(T) {
    switch (work.pattern) {
      case pattern::reduce:
        return with_operator<T>(
            work, [&](const auto& op) { add_reduce<T>(work, parse_reduce_algorithm(algorithm), op, made); });
      case pattern::scan:
        return with_operator<T>(
            work, [&](const auto& op) { add_scan<T>(work, parse_scan_algorithm(algorithm), op, made); });
      case pattern::transform:
        return add_transform<T>(work, made);
    }
  });
  return made;
}

}  // namespace heddle::cli::bench
