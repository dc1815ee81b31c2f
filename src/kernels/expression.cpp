#include "kernels/expression.hpp"

#include "array/counted.hpp"
#include "cuda_on_cpu/translate/tokens.hpp"
#include "kernels/gpu_module.hpp"
#include <heddle/any_kernel.hpp>
#include <heddle/error.hpp>
#include <heddle/interruption.hpp>
#include <heddle/support/fork.hpp>
#include <heddle/support/function_ref.hpp>
#include <heddle/support/threads.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>
#include <map>
#include <optional>
#include <utility>

#include <fmt/format.h>

namespace heddle::impl {

/// The code of an expression for one kind of target.
class compiled_expression {
 public:
  compiled_expression(const target& where, const std::string& source, const module_options& options)
      : module_(where.is_gpu() ? gpu::compile_module(where, source, options)
                               : compile_for_cpu(where, source, options)) {}

  template <class... Arguments>
  auto on_cpu(const char* name) const {
    return reinterpret_cast<void (*)(Arguments...)>(module_->host_function(name));
  }

  void launch(const target& where, const std::string& name, std::size_t blocks, std::size_t threads,
              std::initializer_list<const void*> values) {
    std::shared_ptr<const function_state> kernel;
    {
      const auto kernels = kernels_.lock();
      std::shared_ptr<const function_state>& known = (*kernels)[name];
      if (known == nullptr) known = module_->function(name);
      kernel = known;
    }
    std::vector<void*> pointers;
    for (const void* value : values) pointers.push_back(const_cast<void*>(value));
    kernel->launch(where, blocks, threads, 0, pointers.data());
  }

 private:
  std::shared_ptr<module_state> module_;
  fork_aware_member<std::map<std::string, std::shared_ptr<const function_state>>> kernels_;
};

class expression_state {
 public:
  const char* pattern = "elementwise_kernel";
  const char* type = "elements";
  std::vector<expression_parameter> parameters;
  std::string operation;
  combination how;
  bool scans = false;
  expression_options options;

  compiled_expression& compiled(const target& where, const expression_argument* arguments) {
    std::vector<bool> is_array;
    for (std::size_t k = 0; k < parameters.size(); ++k) is_array.push_back(arguments[k].is_array);
    // A child that is forked during the compilation compiles anew.
    const auto compiled = compiled_.lock();
    auto& found = (*compiled)[{where.is_gpu() ? where.device() : -1, is_array}];
    if (found == nullptr) {
      const expression_text text{parameters, is_array, options.preamble, options.name};
      const std::string source = !operation.empty() ? elementwise_source(text, operation)
                                 : scans            ? scan_source(text, how)
                                                    : reduction_source(text, how);
      module_options compile = options.compile;
      compile.name = options.name;
      compile.name_expressions.clear();
      if (where.is_gpu()) compile.flags.emplace_back("--disable-warnings");
      found = std::make_unique<compiled_expression>(where, source, compile);
    }
    return *found;
  }

 private:
  fork_aware_member<std::map<std::pair<int, std::vector<bool>>, std::unique_ptr<compiled_expression>>>
      compiled_;
};

namespace {

/// A call's arguments where code on `where` can use them, and as the compiled structure has them.
class staged_call {
 public:
  staged_call(const expression_state& state, const target& where, const expression_argument* arguments)
      : state_(state), where_(where), arguments_(arguments) {
    for (std::size_t k = 0; k < state.parameters.size(); ++k) {
      const expression_argument& a = arguments[k];
      const std::size_t bytes = a.is_array ? sizeof(void*) : a.is.size;
      const std::size_t place = packed_.size() * sizeof(slot);
      packed_.resize(packed_.size() + (bytes + sizeof(slot) - 1) / sizeof(slot));
      if (!a.is_array) {
        std::memcpy(data() + place, a.is.value, bytes);
        continue;
      }
      void* elements = a.data;
      if (same_memory(*a.is.where, where)) {
        order(*a.is.where, where);
      } else {
        // Arrays that are given twice are brought once, so that what is written to is what is read.
        auto brought = std::find_if(copies_.begin(), copies_.end(),
                                    [&](const copied& c) { return arguments[c.argument].data == a.data; });
        if (brought == copies_.end()) {
          brought = copies_.insert(copies_.end(), {k, memory(a.lengths.elements() * a.is.size, where)});
          copy(brought->elements.data(), where, a.data, *a.is.where, a.lengths.elements() * a.is.size);
        }
        elements = brought->elements.data();
      }
      std::memcpy(data() + place, &elements, sizeof elements);
    }
    packed_.emplace_back();  // the structure's end
  }
  ~staged_call() {
    for (std::size_t k = 0; k < state_.parameters.size(); ++k) {
      if (arguments_[k].is_array) order_or_wait(where_, *arguments_[k].is.where);
    }
  }
  staged_call(const staged_call&) = delete;
  staged_call& operator=(const staged_call&) = delete;

  std::byte* data() { return reinterpret_cast<std::byte*>(packed_.data()); }

  /// Brings home what was written.
  void deliver() {
    for (const copied& c : copies_) {
      bool is_written = false;
      for (std::size_t k = 0; k < state_.parameters.size(); ++k)
        is_written |= state_.parameters[k].is_written && arguments_[k].data == arguments_[c.argument].data;
      const expression_argument& a = arguments_[c.argument];
      if (is_written) copy(a.data, *a.is.where, c.elements.data(), where_, a.lengths.elements() * a.is.size);
    }
  }

 private:
  struct alignas(16) slot {
    std::byte bytes[16];
  };
  struct copied {
    std::size_t argument;
    memory elements;
  };
  const expression_state& state_;
  target where_;
  const expression_argument* arguments_;
  std::vector<slot> packed_;
  std::vector<copied> copies_;
};

constexpr std::size_t elements_worth_a_thread = std::size_t{1} << 15;

/// Blocks of a launch in which threads take elements in strides.
std::size_t blocks_for(std::size_t count) {
  constexpr std::size_t threads = 256, most = std::size_t{1} << 16;
  return std::min((count + threads - 1) / threads, most);
}

template <class T>
std::size_t parts(T count, std::size_t part) {
  return (count + part - 1) / part;
}

}  // namespace

std::shared_ptr<expression_state> elementwise_expression(const std::string& parameters,
                                                         const std::string& operation,
                                                         const expression_options& options) {
  auto state = std::make_shared<expression_state>();
  if (cuda_on_cpu::trimmed(operation).empty())
    throw error(fmt::format("{}: there are no statements, such as y = 2 * x", state->pattern));
  state->parameters = parse_parameters(parameters, operation);
  // A function that is called may print, or write elsewhere.
  const bool calls = operation.find('(') != std::string::npos;
  const auto is_written = [](const expression_parameter& p) { return p.is_written; };
  if (!calls && std::none_of(state->parameters.begin(), state->parameters.end(), is_written)) {
    throw error(fmt::format("{}: '{}' writes nothing: assign to a parameter, such as y = 2 * x",
                            state->pattern, cuda_on_cpu::trimmed(operation)));
  }
  state->operation = operation;
  state->options = options;
  return state;
}

std::shared_ptr<expression_state> combining_expression(bool scans, dtype type, const std::string& parameters,
                                                       const std::string& map, const std::string& combine,
                                                       const std::string& identity,
                                                       const expression_options& options) {
  auto state = std::make_shared<expression_state>();
  state->pattern = scans ? "scan_kernel" : "reduction_kernel";
  state->type = heddle::name(type);
  if (cuda_on_cpu::trimmed(map).empty())
    throw error(fmt::format("{}: there is no expression to map elements by, such as x * x", state->pattern));
  if (cuda_on_cpu::trimmed(combine).empty())
    throw error(
        fmt::format("{}: there is no expression to combine a and b by, such as a + b", state->pattern));
  state->parameters = parse_parameters(parameters, "");
  for (const expression_parameter& p : state->parameters) {
    if (p.is_written)
      throw error(fmt::format("{}: {} is read, and cannot be a reference", state->pattern, p.name));
  }
  state->scans = scans;
  state->options = options;
  combination& how = state->how;
  how.type = with_type(type, [](auto zero) { return name(number_of<decltype(zero)>()); });
  how.element_bytes = heddle::size_of(type);
  how.is_floating = type == dtype::float32 || type == dtype::float64;
  how.map = map;
  how.combine = combine;
  how.identity = identity;
  how.is_commutative = options.is_commutative || is_known_to_commute(combine);
  return state;
}

const std::vector<expression_parameter>& parameters_of(const expression_state& state) noexcept {
  return state.parameters;
}

expression_call prepare(const expression_state& state, const target& requested,
                        const expression_argument* arguments, std::size_t count,
                        std::optional<std::size_t> size_of_none) {
  std::optional<std::size_t> first;
  for (std::size_t k = 0; k < count; ++k) {
    if (arguments[k].is_array && !first) first = k;
  }
  const std::size_t size = first ? arguments[*first].lengths.elements() : size_of_none.value_or(0);
  operation running(state.pattern, size, state.type);
  if (count != state.parameters.size())
    running.fail("it " + wrong_number_of_arguments(state.parameters.size(), count));
  if (!first && !size_of_none)
    running.fail("it needs at least one array to know how many elements there are");
  traffic work;
  if (first) work.data_on = *arguments[*first].is.where;
  work.gpu_possible = !requested.is_automatic() || gpu::can_compile_modules();
  for (std::size_t k = 0; k < count; ++k) {
    const expression_parameter& p = state.parameters[k];
    const expression_argument& a = arguments[k];
    const bool is_read_only_array = a.is_array && a.is.is_const;
    if (p.is_written && !a.is_array)
      running.fail(fmt::format("argument {} ({}) is written: it takes an array, and a number was given",
                               k + 1, p.name));
    if (p.is_written && is_read_only_array)
      running.fail(fmt::format("argument {} ({}) is written, and the array is const", k + 1, p.name));
    const bool same_number =
        p.known.type != number::other && a.is.type != number::other && p.known.components == 1;
    if (same_number ? p.known.type != a.is.type : p.known.size != 0 && p.known.size != a.is.size) {
      const char* const given = a.is.type == number::other ? "another type" : name(a.is.type);
      running.fail(fmt::format("argument {} ({}) is of {}, and {} of {} was given", k + 1, p.name, p.type,
                               a.is_array ? "an array" : "a value", given));
    }
    if (!a.is_array) continue;
    if (!(a.lengths == arguments[*first].lengths)) {
      running.fail(fmt::format("argument {} ({}) has shape {}, where the first array has {}", k + 1, p.name,
                               a.lengths.text(), arguments[*first].lengths.text()));
    }
    (p.is_written ? work.bytes_written : work.bytes_read) += size * a.is.size;
    if (!p.is_written) continue;
    for (std::size_t other = 0; other < count; ++other) {
      if (other == k || !arguments[other].is_array) continue;
      const auto bytes = [&](const expression_argument& x) {
        return elements<const std::byte>{static_cast<const std::byte*>(x.data), size * x.is.size,
                                         *x.is.where};
      };
      const elements<const std::byte> in = bytes(arguments[other]);
      const auto out = bytes(a);
      if (out.data == in.data && out.size != in.size) fail_overlap();
      check_in_place(in, elements<std::byte>{const_cast<std::byte*>(out.data), out.size, out.where});
    }
  }
  return {resolve(requested, work), first ? arguments[*first].lengths : heddle::shape{size}};
}

namespace {

/// Calls f on slices of 0 … count−1, as for_slices does. How long an element takes is found out by the first
/// ones, so that slow elements are worth a thread sooner. Slices are cut into pieces, between which the call
/// may be interrupted: long enough that a look at the clock costs nothing beside one, and no longer, as later
/// elements may take a thousand times as long as the first ones.
void for_elements_by_time(int threads, std::size_t count,
                          function_ref<void(std::size_t first, std::size_t last)> f) {
  using clock = std::chrono::steady_clock;
  using seconds = std::chrono::duration<double>;
  constexpr double worth_a_thread = 50e-6, worth_a_look = 3e-6;
  constexpr auto between_questions = std::chrono::milliseconds(10);
  std::size_t done = 0, piece = 1;
  double per_element = 0;
  const auto elements_in = [&](double time) {
    const double most = per_element > 0 ? time / per_element : 1e18;
    return std::max<std::size_t>(1, static_cast<std::size_t>(std::min(most, 1e18)));
  };
  const auto began = clock::now();
  while (done < count && done < elements_worth_a_thread &&
         per_element * static_cast<double>(done) < worth_a_thread) {
    const std::size_t last = std::min(count, done + piece);
    f(done, last);
    done = last;
    per_element = seconds(clock::now() - began).count() / static_cast<double>(done);
    piece = std::min(8 * piece, elements_in(worth_a_look));
  }
  const std::size_t grain = std::min(elements_worth_a_thread, elements_in(worth_a_thread));
  cpu::for_slices(threads, count - done, grain, [&](std::size_t first, std::size_t last) {
    std::size_t at_once = elements_in(worth_a_look);
    auto now = clock::now(), next_question = now + between_questions;
    for (std::size_t at = done + first, end = done + last; at < end;) {
      const std::size_t next = at + std::min(at_once, end - at);
      f(at, next);
      at = next;
      if (at == end) break;
      const auto before = std::exchange(now, clock::now());
      const double took = seconds(now - before).count();
      if (took > 4 * worth_a_look) {
        const double fewer = static_cast<double>(at_once) * worth_a_look / took;
        at_once = std::max<std::size_t>(1, static_cast<std::size_t>(fewer));
      } else if (took < worth_a_look / 2) {
        at_once *= 2;
      }
      if (now < next_question) continue;
      check_interruption();
      next_question = now + between_questions;
    }
  });
}

}  // namespace

void run_elementwise(expression_state& state, const expression_call& call,
                     const expression_argument* arguments) {
  run_elements(state, call, arguments, call.lengths.elements(), 0);
}

void run_elements(expression_state& state, const expression_call& call, const expression_argument* arguments,
                  std::size_t n, std::size_t offset) {
  const std::size_t count = call.lengths.elements();
  operation running(state.pattern, count, state.type);
  running.runs_on(call.where);
  if (count == 0) return;
  compiled_expression& compiled = state.compiled(call.where, arguments);
  staged_call staged(state, call.where, arguments);
  const unsigned long long counted = count, all = n, from = offset;
  if (call.where.is_gpu()) {
    compiled.launch(call.where, "heddle_elements", blocks_for(count), 256,
                    {staged.data(), &counted, &all, &from});
  } else {
    using size = unsigned long long;
    const auto run = compiled.on_cpu<const void*, size, size, size, size>("heddle_elements");
    for_elements_by_time(call.where.threads(), count, [&](std::size_t first, std::size_t last) {
      run(staged.data(), first, last, all, from);
    });
  }
  staged.deliver();
}

void run_reduction(expression_state& state, const expression_call& call, const expression_argument* arguments,
                   void* out) {
  const target& where = call.where;
  std::size_t n = call.lengths.elements();
  operation running(state.pattern, n, state.type);
  running.runs_on(where);
  if (n == 0 && state.how.identity.empty())
    running.fail("there are no elements, and no identity was given to return");
  const std::size_t bytes = state.how.element_bytes, tile = state.how.tile();
  compiled_expression& compiled = state.compiled(where, arguments);
  staged_call staged(state, where, arguments);
  memory from, to;
  if (n == 0) {
    if (!where.is_gpu()) return compiled.on_cpu<void*>("heddle_of_nothing")(out);
    to = memory(bytes, where);
    void* const result = to.data();
    compiled.launch(where, "heddle_of_nothing", 1, 1, {&result});
  }
  for (bool is_first = true; n > 0 && (is_first || n > 1); is_first = false) {
    const std::size_t tiles = parts(n, tile);
    to = memory(tiles * bytes, where);
    const char* const name = is_first ? "heddle_reduce_inputs" : "heddle_reduce_partials";
    void* const partials = from.data();
    if (where.is_gpu()) {
      const unsigned long long count = n;
      void* const results = to.data();
      const void* const x = is_first ? static_cast<const void*>(staged.data()) : &partials;
      const bool striped = state.how.is_commutative;
      compiled.launch(where, name, striped ? tiles : parts(tiles, ordered_tiles),
                      striped ? state.how.lanes() : ordered_threads, {x, &count, &results});
    } else {
      const void* const x = is_first ? static_cast<const void*>(staged.data()) : partials;
      using size = unsigned long long;
      const auto run = compiled.on_cpu<const void*, size, size, size, void*>(name);
      for_elements_by_time(where.threads(), tiles,
                           [&](std::size_t first, std::size_t last) { run(x, n, first, last, to.data()); });
    }
    from = std::move(to);
    n = tiles;
  }
  // NOLINTNEXTLINE(bugprone-use-after-move): of no elements nothing was made, and nothing moved
  copy(out, target(), n == 0 ? to.data() : from.data(), where, bytes);
}

namespace {

/// Scans n elements of a call, or of the totals of tiles.
void scan_level(compiled_expression& compiled, const target& where, const void* x, bool is_first,
                std::size_t n, std::size_t bytes, bool exclusive, void* out) {
  const std::size_t tiles = parts(n, scan_tile);
  const unsigned long long count = n;
  const auto run = [&](const std::string& name, const void* before, bool totals, void* to) {
    const int shifts = exclusive;
    if (where.is_gpu()) {
      const void* const given = is_first ? x : &x;
      if (totals) {
        compiled.launch(where, name, tiles, scan_threads, {given, &count, &to});
      } else {
        compiled.launch(where, name, tiles, scan_threads, {given, &count, &before, &shifts, &to});
      }
      return;
    }
    using size = unsigned long long;
    if (totals) {
      const auto tile = compiled.on_cpu<const void*, size, size, size, void*>(name.c_str());
      for_elements_by_time(where.threads(), tiles,
                           [&](std::size_t first, std::size_t last) { tile(x, n, first, last, to); });
    } else {
      const auto tile = compiled.on_cpu<const void*, size, size, size, const void*, int, void*>(name.c_str());
      for_elements_by_time(where.threads(), tiles, [&](std::size_t first, std::size_t last) {
        tile(x, n, first, last, before, shifts, to);
      });
    }
  };
  const char* const of = is_first ? "inputs" : "partials";
  memory before;
  if (tiles > 1) {
    memory totals(tiles * bytes, where);
    before = memory(tiles * bytes, where);
    run(fmt::format("heddle_totals_of_{}", of), nullptr, true, totals.data());
    scan_level(compiled, where, totals.data(), false, tiles, bytes, false, before.data());
  }
  run(fmt::format("heddle_scan_{}", of), before.data(), false, out);
}

}  // namespace

void run_scan(expression_state& state, const expression_call& call, const expression_argument* arguments,
              bool exclusive, void* out) {
  const std::size_t n = call.lengths.elements();
  operation running(state.pattern, n, state.type);
  running.runs_on(call.where);
  if (exclusive && state.how.identity.empty())
    running.fail("an exclusive scan begins with the identity: give one");
  if (n == 0) return;
  compiled_expression& compiled = state.compiled(call.where, arguments);
  staged_call staged(state, call.where, arguments);
  scan_level(compiled, call.where, staged.data(), true, n, state.how.element_bytes, exclusive, out);
}

}  // namespace heddle::impl
