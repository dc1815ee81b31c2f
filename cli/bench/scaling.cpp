#include "scaling.hpp"

#include <heddle/distributed.hpp>
#include <heddle/memory.hpp>
#include <heddle/support/halo_exchange.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>

#include <laplace/laplace.hpp>
#include <lattice_boltzmann/flow.hpp>
#include <life/soup.hpp>
#include <life/universe.hpp>
#include <monte_carlo/pi.hpp>

namespace heddle::cli::bench {
namespace {

/// The median time of a run on all ranks: from when all begin to when all are done.
double median_seconds(const ranks& all, double most, const std::function<void()>& run) {
  std::vector<double> times;
  double sum = 0;
  do {
    all.barrier();
    const auto began = std::chrono::steady_clock::now();
    run();
    all.where().wait();
    all.barrier();
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - began;
    times.push_back(took.count());
    sum += took.count();
    all.broadcast(sum);  // they are to end alike
  } while (sum < most || times.size() < 3);
  std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
  double median = times[times.size() / 2];
  all.broadcast(median);
  return median;
}

/// A work that can be measured: `prepare(things)` makes a run of as many things.
struct work {
  const char *what, *things;
  enum { of_elements, of_rows, of_exchange } kind;
  std::size_t steps;  // that a run takes of each thing
  std::function<std::function<void()>(std::size_t things)> prepare;
};

constexpr std::size_t width = 4096;

std::size_t rows_of(std::size_t cells) {
  return std::max<std::size_t>(64, cells / width);
}

std::vector<work> works(const ranks& all) {
  using run = std::function<void()>;
  const random::stream from{.seed = 1};
  const auto numbers = [=](std::size_t n) {
    return std::make_shared<distributed_array<float>>(random::uniform<float>(all, shape{n}, from));
  };
  std::vector<work> made;
  made.push_back({"reduce", "elements", work::of_elements, 1, [=](std::size_t n) -> run {
                    return [all, x = numbers(n)] { static_cast<void>(reduce(all, *x)); };
                  }});
  made.push_back({"inclusive_scan", "elements", work::of_elements, 1, [=](std::size_t n) -> run {
                    return [all, x = numbers(n), out = numbers(n)] { inclusive_scan_into(all, *out, *x); };
                  }});
  made.push_back({"sort", "elements", work::of_elements, 1, [=](std::size_t n) -> run {
                    return [all, x = numbers(n)] { static_cast<void>(sort(all, *x)); };
                  }});
  made.push_back({"halo exchange", "rows", work::of_exchange, 1, [=](std::size_t) -> run {
                    const auto halos = std::make_shared<halo_exchange>(
                        all, even_rows(2 * static_cast<std::size_t>(all.size()), all.size()), true);
                    const auto rows = std::make_shared<memory>(4 * width * sizeof(float), all.where());
                    return [halos, rows] {
                      const auto row = [&](std::size_t i) {
                        return memory_part{static_cast<float*>(rows->data()) + i * width,
                                           width * sizeof(float)};
                      };
                      halos->start(row(0), row(1), row(2), row(3));
                      halos->finish();
                    };
                  }});
  constexpr std::size_t sweeps = 20, generations = 64, flow_steps = 10;
  made.push_back({"laplace jacobi", "points", work::of_rows, sweeps, [=](std::size_t n) -> run {
                    const auto solver = std::make_shared<laplace::solver<float>>(
                        all, laplace::method::jacobi, laplace::sine_edges<float>(all, width, rows_of(n)));
                    return [solver] { solver->iterate(sweeps); };
                  }});
  made.push_back(
      {"life", "cells", work::of_rows, generations, [=](std::size_t n) -> run {
         const life::placed_grid start{
             life::soup(width, rows_of(n), 0.25, 1, all.where().is_gpu() ? target::parallel() : all.where()),
             0, 0};
         const auto world = std::make_shared<life::universe>(start, life::topology::torus, life::rule(),
                                                             life::algorithm::packed, all);
         return [world] { world->advance(generations); };
       }});
  made.push_back({"lbm cavity", "cells", work::of_rows, flow_steps, [=](std::size_t n) -> run {
                    lbm::settings given;
                    given.width = width;
                    given.height = rows_of(n);
                    const auto flow = std::make_shared<lbm::flow>(all, given);
                    return [flow] { flow->advance(flow_steps); };
                  }});
  made.push_back({"pi", "samples", work::of_elements, 1, [=](std::size_t n) -> run {
                    return [all, n] { static_cast<void>(monte_carlo::points_in_disc(all, 1, 0, n)); };
                  }});
  return made;
}

}  // namespace

std::vector<scaling_result> measure_over_ranks(const ranks& all, std::size_t elements, double seconds) {
  std::vector<scaling_result> results;
  for (const work& one : works(all)) {
    for (const bool weak : {false, true}) {
      // Of an exchange each rank has its part, whatever the others have.
      if (!weak && one.kind == work::of_exchange) continue;
      const auto size = static_cast<std::size_t>(all.size());
      const std::size_t given = weak ? elements * size : elements,
                        things = one.kind == work::of_exchange ? 2 * size
                                 : one.kind == work::of_rows   ? rows_of(given) * width
                                                               : given;
      const double took = median_seconds(all, seconds, one.prepare(things));
      const double done = static_cast<double>(things) * static_cast<double>(one.steps);
      results.push_back({one.what, weak ? "weak" : "strong", things, one.things, took, done / took});
    }
  }
  return results;
}

}  // namespace heddle::cli::bench
