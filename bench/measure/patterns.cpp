#include "peers.hpp"
#include <heddle/argmin.hpp>
#include <heddle/copy_if.hpp>
#include <heddle/gather.hpp>
#include <heddle/histogram.hpp>
#include <heddle/lower_bound.hpp>
#include <heddle/random.hpp>
#include <heddle/segmented_reduce.hpp>
#include <heddle/segmented_scan.hpp>
#include <heddle/sort.hpp>
#include <heddle/statistics.hpp>
#include <heddle/top_k.hpp>
#include <heddle/unique.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <numeric>

#include <fmt/core.h>

namespace heddle::measure {
namespace {

using enum role;

constexpr const char* float32 = "float32";

std::size_t floats(const session& with) {
  return std::min(most_elements<float>(with), std::size_t{1} << (with.where.is_gpu() ? 26
                                                                 : with.quick        ? 22
                                                                                     : 24));
}

double bytes_of(std::size_t n, std::size_t element_bytes) {
  return static_cast<double>(n) * static_cast<double>(element_bytes);
}

void append(contenders& all, contenders more) {
  std::move(more.begin(), more.end(), std::back_inserter(all));
}

/// A peer of one core, which a target with more than one core does not have.
void append_on_one_core(const session& with, contenders& all, const char* name, std::function<void()> call,
                        std::function<bool()> is_right) {
  if (with.where.is_gpu() || with.where.threads() != 1) return;
  all.push_back({name, peer, std::move(call), std::move(is_right)});
}

bool is_near(double found, double expected, double tolerance) {
  return std::abs(found - expected) <= tolerance * std::max(1.0, std::abs(expected));
}

}  // namespace

void measure_segmented(const session& with) {
  const target& where = with.where;
  const std::size_t n = floats(with);
  const std::vector<float> values = small_integers<float>(n, 3);
  const array<float> x(values, where);
  array<float> out(n, where), sums;
  for (const std::size_t mean : {std::size_t{4}, std::size_t{64}, std::size_t{2048}}) {
    if (mean > n / 4) continue;
    // Lengths from none to twice the mean.
    const std::vector<std::size_t> lengths = small_integers<std::size_t>(n / mean, 2 * mean + 1);
    std::vector<std::size_t> begins{0};
    std::vector<float> expected_sums, expected_scan(n);
    std::vector<std::uint32_t> keys(n);
    for (std::size_t i = 0; i <= lengths.size(); ++i) {
      const std::size_t first = begins.back(),
                        last = i < lengths.size() ? std::min(n, first + lengths[i]) : n;
      begins.push_back(last);
      float sum = 0;
      for (std::size_t at = first; at < last; ++at) {
        sum += values[at];
        expected_scan[at] = sum;
        keys[at] = static_cast<std::uint32_t>(i);
      }
      expected_sums.push_back(sum);
    }
    const std::size_t segments = begins.size() - 1;
    const array<std::size_t> offsets(begins, where);
    const array<std::uint32_t> keys_there(keys, where);
    array<float> cub_sums(segments, where);
    const auto scanned = [&] { return out.to_vector() == expected_scan; };
    const std::string variant = fmt::format("{} elements a segment", mean);
    contenders all = {{"Heddle", ours, [&] { sums = segmented_reduce(where, x, offsets); },
                       [&] { return sums.to_vector() == expected_sums; }}};
    append(all, cub_segmented_sum(with, x.data(), offsets.data(), segments, cub_sums.data(),
                                  [&] { return cub_sums.to_vector() == expected_sums; }));
    append(all, read_of(with, x.data(), n * 4));
    with.compare({"segmented_reduce", variant, float32, n, bytes_of(n, 4) + bytes_of(segments, 12)}, all);
    all = {{"Heddle", ours, [&] { segmented_inclusive_scan_into(where, out, x, offsets); }, scanned}};
    append(all, thrust_scan_by_key(with, keys_there.data(), x.data(), out.data(), n, scanned));
    all.push_back(copy_of(with, out.data(), x.data(), n * 4));
    with.compare({"segmented_scan", variant, float32, n, bytes_of(n, 8) + bytes_of(segments, 8)}, all);
  }
}

void measure_gather(const session& with) {
  const target& where = with.where;
  const std::size_t n = floats(with);
  std::vector<float> values(n);
  std::iota(values.begin(), values.end(), 0.0f);
  const array<float> x(values, where);
  array<float> out(n, where);
  for (const bool is_random : {false, true}) {
    std::vector<std::uint32_t> index_values(n);
    std::iota(index_values.begin(), index_values.end(), 0u);
    // A permutation; the neighbours one change index_values for the one that is nearly in order.
    if (is_random) {
      std::uint64_t state = 1;
      for (std::size_t i = n - 1; i > 0; --i) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        std::swap(index_values[i], index_values[(state >> 20) % (i + 1)]);
      }
    } else {
      for (std::size_t i = 0; i + 1 < n; i += 2) std::swap(index_values[i], index_values[i + 1]);
    }
    const array<std::uint32_t> indices(index_values, where);
    const auto gathered = [&] {
      const std::vector<float> found = out.to_vector();
      for (std::size_t i = 0; i < n; ++i) {
        if (found[i] != values[index_values[i]]) return false;
      }
      return true;
    };
    const auto scattered = [&] {
      const std::vector<float> found = out.to_vector();
      for (std::size_t i = 0; i < n; ++i) {
        if (found[index_values[i]] != values[i]) return false;
      }
      return true;
    };
    const char* const variant = is_random ? "at random" : "neighbours swapped";
    contenders all = {{"Heddle", ours, [&] { gather_into(where, out, x, indices); }, gathered}};
    append(all, thrust_gather(with, x.data(), indices.data(), out.data(), n, gathered));
    append_on_one_core(
        with, all, "loop",
        [&] {
          for (std::size_t i = 0; i < n; ++i) out.data()[i] = x.data()[indices.data()[i]];
        },
        gathered);
    all.push_back(copy_of(with, out.data(), x.data(), n * 4));
    with.compare({"gather", variant, float32, n, bytes_of(n, 12)}, all);
    all = {{"Heddle", ours, [&] { scatter(where, out, indices, x); }, scattered}};
    append(all, thrust_scatter(with, x.data(), indices.data(), out.data(), n, scattered));
    append_on_one_core(
        with, all, "loop",
        [&] {
          for (std::size_t i = 0; i < n; ++i) out.data()[indices.data()[i]] = x.data()[i];
        },
        scattered);
    all.push_back(copy_of(with, out.data(), x.data(), n * 4));
    with.compare({"scatter", variant, float32, n, bytes_of(n, 12)}, all);
  }
}

void measure_search(const session& with) {
  const target& where = with.where;
  const std::size_t n = floats(with), count = std::max<std::size_t>(n / 16, 1);
  const array<float> x = random::uniform<float>(where, {n}, {.seed = 1});
  const std::vector<float> values = x.to_vector();
  std::vector<float> in_order = values;
  std::sort(in_order.begin(), in_order.end());
  const array<float> ordered(in_order, where);
  const array<float> wanted = random::uniform<float>(where, {count}, {.seed = 2});
  const std::vector<float> needles = wanted.to_vector();
  array<std::size_t> bounds, by_peer(count, where);
  const auto are_bounds = [&](const array<std::size_t>& found_there) {
    const std::vector<std::size_t> found = found_there.to_vector();
    for (std::size_t i = 0; i < count; ++i) {
      const bool fits = (found[i] == 0 || in_order[found[i] - 1] < needles[i]) &&
                        (found[i] == n || in_order[found[i]] >= needles[i]);
      if (!fits) return false;
    }
    return true;
  };
  contenders all = {{"Heddle", ours, [&] { bounds = lower_bound(where, ordered, wanted); },
                     [&] { return are_bounds(bounds); }}};
  append(all, thrust_lower_bound(with, ordered.data(), n, wanted.data(), count, by_peer.data(),
                                 [&] { return are_bounds(by_peer); }));
  append_on_one_core(
      with, all, "std::lower_bound",
      [&] {
        for (std::size_t i = 0; i < count; ++i) {
          by_peer.data()[i] = static_cast<std::size_t>(
              std::lower_bound(ordered.data(), ordered.data() + n, wanted.data()[i]) - ordered.data());
        }
      },
      [&] { return are_bounds(by_peer); });
  with.compare({"lower_bound", fmt::format("{} values", count), float32, n, bytes_of(count, 12)}, all);

  top_elements<float> top;
  for (const std::size_t k : {std::size_t{100}, n / 1024}) {
    if (k == 0 || k > n) continue;
    std::vector<float> largest(k), found(k);
    std::partial_sort_copy(values.begin(), values.end(), largest.begin(), largest.end(), std::greater<>());
    all = {{"Heddle", ours, [&] { top = top_k(where, x, k); },
            [&] { return top.values.to_vector() == largest; }}};
    append_on_one_core(
        with, all, "std::partial_sort_copy",
        [&] { std::partial_sort_copy(x.data(), x.data() + n, found.begin(), found.end(), std::greater<>()); },
        [&] { return found == largest; });
    append(all, read_of(with, x.data(), n * 4));
    with.compare({"top_k", fmt::format("k = {}", k), float32, n, bytes_of(n, 4)}, all);
  }
}

void measure_histogram(const session& with) {
  const target& where = with.where;
  const std::size_t n = floats(with);
  for (const std::size_t bins : {std::size_t{16}, std::size_t{256}, std::size_t{4096}}) {
    const std::vector<float> values = small_integers<float>(n, bins);
    std::vector<std::uint64_t> expected(bins);
    for (const float value : values) ++expected[static_cast<std::size_t>(value)];
    const array<float> x(values, where);
    array<std::uint64_t> counts;
    array<std::uint32_t> by_peer(bins, where);
    contenders all = {{"Heddle", ours,
                       [&] { counts = histogram(where, x, even_bins{bins, 0, static_cast<double>(bins)}); },
                       [&] { return counts.to_vector() == expected; }}};
    append(all, cub_histogram(with, x.data(), n, static_cast<int>(bins), by_peer.data(), [&] {
             const std::vector<std::uint32_t> found = by_peer.to_vector();
             return std::equal(found.begin(), found.end(), expected.begin());
           }));
    append(all, read_of(with, x.data(), n * 4));
    with.compare({"histogram", fmt::format("{} bins", bins), float32, n, bytes_of(n, 4)}, all);
  }
}

void measure_select(const session& with) {
  const target& where = with.where;
  const std::size_t n = floats(with);
  const std::vector<float> values = small_integers<float>(n, 2);
  const array<float> x(values, where);
  std::vector<bool> flags(n);
  std::vector<float> chosen, firsts;
  for (std::size_t i = 0; i < n; ++i) {
    flags[i] = i * 2654435761u % 4294967296u / 512 % 2 != 0;
    if (flags[i]) chosen.push_back(values[i]);
  }
  std::unique_copy(values.begin(), values.end(), std::back_inserter(firsts));
  const array<bool> flags_there(flags, where);
  array<float> selected, out(n, where);
  const auto begins_with = [&](const std::vector<float>& expected) {
    return out.slice(0, expected.size()).to_vector() == expected;
  };
  contenders all = {{"Heddle", ours, [&] { selected = copy_if(where, x, flags_there); },
                     [&] { return selected.to_vector() == chosen; }}};
  append(all,
         cub_copy_if(with, x.data(), flags_there.data(), n, out.data(), [&] { return begins_with(chosen); }));
  append_on_one_core(
      with, all, "loop",
      [&] {
        float* to = out.data();
        for (std::size_t i = 0; i < n; ++i) {
          if (flags_there.data()[i]) *to++ = x.data()[i];
        }
      },
      [&] { return begins_with(chosen); });
  all.push_back(copy_of(with, out.data(), x.data(), n * 4));
  with.compare(
      {"copy_if", "flags, a half of them set", float32, n, bytes_of(n, 5) + bytes_of(chosen.size(), 4)}, all);
  all = {{"Heddle", ours, [&] { selected = unique_consecutive(where, x); },
          [&] { return selected.to_vector() == firsts; }}};
  append(all, cub_unique(with, x.data(), n, out.data(), [&] { return begins_with(firsts); }));
  append_on_one_core(
      with, all, "std::unique_copy", [&] { std::unique_copy(x.data(), x.data() + n, out.data()); },
      [&] { return begins_with(firsts); });
  all.push_back(copy_of(with, out.data(), x.data(), n * 4));
  with.compare({"unique_consecutive", "runs of two on average", float32, n,
                bytes_of(n, 4) + bytes_of(firsts.size(), 4)},
               all);
}

void measure_statistics(const session& with) {
  const target& where = with.where;
  const std::size_t n = floats(with);
  const array<float> x = random::normal<float>(where, {n}, {.seed = 1}, 3, 2);
  const std::vector<float> values = x.to_vector();
  const double count = static_cast<double>(n);
  const double expected_mean =
      static_cast<double>(std::accumulate(values.begin(), values.end(), 0.0L)) / count;
  double squares = 0;
  for (const float value : values) squares += (value - expected_mean) * (value - expected_mean);
  const auto extremes = std::minmax_element(values.begin(), values.end());
  const std::size_t first_greatest =
      static_cast<std::size_t>(std::max_element(values.begin(), values.end()) - values.begin());
  const double bytes = bytes_of(n, 4);
  float found = 0;
  minmax_result<float> both{};
  std::size_t index = 0;
  const auto compare = [&](const char* pattern, double read, contender our, contenders peers) {
    contenders all = {std::move(our)};
    append(all, std::move(peers));
    append(all, read_of(with, x.data(), n * 4));
    with.compare({pattern, "", float32, n, read}, all);
  };
  compare(
      "mean", bytes,
      {"Heddle", ours, [&] { found = mean(where, x); }, [&] { return is_near(found, expected_mean, 1e-6); }},
      {});
  compare("variance", 2 * bytes,
          {"Heddle", ours, [&] { found = variance(where, x); },
           [&] { return is_near(found, squares / count, 1e-5); }},
          {});
  std::size_t smallest = 0, largest = 0;
  compare("minmax", bytes,
          {"Heddle", ours, [&] { both = minmax(where, x); },
           [&] { return both.min == *extremes.first && both.max == *extremes.second; }},
          thrust_minmax(with, x.data(), n, &smallest, &largest, [&] {
            return values[smallest] == *extremes.first && values[largest] == *extremes.second;
          }));
  array<float> greatest(1, where);
  array<std::int64_t> index_there(1, where);
  compare("argmax", bytes,
          {"Heddle", ours, [&] { index = argmax(where, x); }, [&] { return index == first_greatest; }},
          cub_argmax(with, x.data(), n, greatest.data(), index_there.data(),
                     [&] { return index_there.front() == static_cast<std::int64_t>(first_greatest); }));
}

}  // namespace heddle::measure
