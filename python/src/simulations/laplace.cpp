#include "simulations.hpp"
#include "target.hpp"
#include <heddle/support/fork.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>

#include <laplace/heat.hpp>
#include <laplace/laplace.hpp>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/unique_ptr.h>

namespace heddle::python {
namespace {

template <class T>
array<T> points_of(nb::handle x, const char* what) {
  const operand given(x);
  if (given.type() >= dtype::complex64)
    raise(PyExc_TypeError,
          std::string("Laplace: the ") + what + " are real numbers, not " + name(given.type()));
  if (given.lengths().axes() != 2)
    raise(PyExc_ValueError,
          std::string("Laplace: the ") + what + " have shape (rows, columns), not " + given.lengths().text());
  return elements_on_cpu<T>(x);
}

/// A solver that several threads of Python may use, one at a time.
class laplace_problem {
 public:
  virtual ~laplace_problem() = default;
  virtual void iterate(std::size_t count) = 0;
  /// The residual; `report`, unless it is None, is called with the iterations several times a second.
  virtual double solve(double tolerance, std::optional<std::size_t> most, std::size_t every,
                       nb::handle report) = 0;
  virtual std::size_t iterations() = 0;
  virtual double residual() = 0;
  virtual double first_residual() = 0;
  virtual double error_of_sine() = 0;
  virtual target where() = 0;
  virtual nb::object solution() = 0;
  /// Places in a palette, row 0 on top.
  virtual nb::object pixels() = 0;
};

template <class T>
class problem_of final : public laplace_problem {
  template <class F>
  auto use(const F& f) {
    const nb::gil_scoped_release released;
    // Reports of progress may ask for the state.
    const std::thread::id self = std::this_thread::get_id();
    if (!used_.is_abandoned() && user_.load(std::memory_order_relaxed) == self) return f();
    const std::lock_guard lock(used_);
    user_.store(self, std::memory_order_relaxed);
    struct user_leaves {
      std::atomic<std::thread::id>& user;
      ~user_leaves() { user.store({}, std::memory_order_relaxed); }
    } const leaving{user_};
    return f();
  }

 public:
  problem_of(const target& where, laplace::method how, const array<T>& edges, const array<T>& source,
             const std::optional<array<std::uint8_t>>& held)
      : how_(how), solver_(where, how, edges, source) {
    if (held) solver_.hold(*held);
  }

  void iterate(std::size_t count) override {
    use([&] {
      solver_.iterate(count);
      solver_.where().wait();
    });
  }
  double solve(double tolerance, std::optional<std::size_t> most, std::size_t every,
               nb::handle report) override {
    const laplace::stopping when{tolerance, most, every};
    return use([&] {
      return laplace::solve<T>(solver_, how_, when, [&](double) {
        const nb::gil_scoped_acquire held;
        if (PyErr_CheckSignals() != 0) throw nb::python_error();
        if (!report.is_none()) report(solver_.iterations());
      });
    });
  }
  std::size_t iterations() override {
    return use([&] { return solver_.iterations(); });
  }
  double residual() override {
    return use([&] { return solver_.residual(); });
  }
  double first_residual() override {
    return use([&] { return solver_.first_residual(); });
  }
  double error_of_sine() override {
    return use([&] {
      const array<T> u = solver_.solution();
      return laplace::sine_error<T>(u);
    });
  }
  target where() override { return solver_.where(); }
  nb::object solution() override {
    return field_of(use([&] { return solver_.solution(); }), solver_.where());
  }
  nb::object pixels() override {
    return result_of(any_array(use([&] {
                       const array<T> u = solver_.solution();
                       const std::size_t height = u.shape()[0], width = u.shape()[1];
                       const laplace::grid_view<T> of{u.data(), width, height, width, u.where()};
                       const array<std::uint8_t> levels(
                           laplace::draw(of, laplace::heat_of(of), picture_part::whole(width, height)));
                       return levels.on(target()).reshaped({height, width});
                     })),
                     false);
  }

 private:
  fork_aware_mutex used_;
  std::atomic<std::thread::id> user_;  // the thread that holds used_
  laplace::method how_;
  laplace::solver<T> solver_;
};

template <class T>
std::unique_ptr<laplace_problem> problem(nb::handle edges, nb::handle source, nb::handle held,
                                         laplace::method how, const target& where) {
  const array<T> start = points_of<T>(edges, "edges");
  const array<T> f = source.is_none() ? array<T>() : points_of<T>(source, "sources");
  std::optional<array<std::uint8_t>> mask;
  if (!held.is_none()) {
    const array<bool> stays = elements_on_cpu<bool>(held);
    mask.emplace(stays.shape());
    std::copy(stays.begin(), stays.end(), mask->begin());
  }
  const nb::gil_scoped_release released;
  return std::make_unique<problem_of<T>>(where, how, start, f, mask);
}

std::unique_ptr<laplace_problem> make_problem(nb::handle edges, nb::handle source, nb::handle held,
                                              const std::string& method, nb::handle type,
                                              nb::handle target_wanted) {
  const laplace::method how = one_named("Laplace: the method", laplace::methods, method);
  const target where = target_from(target_wanted);
  const dtype computed_in = dtype_from(type);
  if (computed_in == dtype::float32) return problem<float>(edges, source, held, how, where);
  if (computed_in == dtype::float64) return problem<double>(edges, source, held, how, where);
  raise(PyExc_TypeError, std::string("Laplace: computes in float32 or float64, not ") + name(computed_in));
}

nb::object sine_edges(std::size_t height, std::size_t width, nb::handle type) {
  if (dtype_from(type) == dtype::float32)
    return result_of(any_array(laplace::sine_edges<float>(width, height)), false);
  return result_of(any_array(laplace::sine_edges<double>(width, height)), false);
}

nb::object heat_palette() {
  array<std::uint8_t> palette({256, 3});
  for (int level = 0; level < 256; ++level) {
    const colour of = laplace::heat::of_level(level);
    std::copy(of.begin(), of.end(), palette.data() + std::ptrdiff_t{3} * level);
  }
  return result_of(any_array(std::move(palette)), false);
}

}  // namespace

void bind_laplace(nb::module_& m) {
  const auto none = nb::arg().none();
  nb::class_<laplace_problem>(m, "LaplaceProblem")
      .def_static("make", &make_problem, none, none, none, nb::arg(), nb::arg(), none)
      .def("iterate", &laplace_problem::iterate)
      .def("solve", &laplace_problem::solve, nb::arg(), none, nb::arg(), none)
      .def("residual", &laplace_problem::residual)
      .def("error_of_sine", &laplace_problem::error_of_sine)
      .def("solution", &laplace_problem::solution)
      .def("pixels", &laplace_problem::pixels)
      .def_prop_ro("iterations", &laplace_problem::iterations)
      .def_prop_ro("first_residual", &laplace_problem::first_residual)
      .def_prop_ro("target", &laplace_problem::where);
  m.def("sine_edges", &sine_edges);
  m.def("heat_palette", &heat_palette);
}

}  // namespace heddle::python
