#include <heddle/distributed_array.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/impl/distributed/elements.hpp>
#include <heddle/impl/patterns/linear_algebra/ranks.hpp>
#include <heddle/impl/patterns/scan/ranks.hpp>
#include <heddle/impl/patterns/sort/ranks.hpp>
#include <heddle/memory.hpp>

#include <algorithm>
#include <cstring>
#include <numeric>

#include <fmt/format.h>

namespace heddle::impl {

std::size_t row_elements(const shape& whole) {
  return whole.without_axis(0).elements();
}

shape with_rows(const shape& whole, std::size_t rows) {
  return whole.with_length(0, rows);
}

std::vector<std::size_t> even_blocks(const shape& whole, int ranks) {
  if (whole.axes() == 0) fail("distributed_array: an array without axes has no rows to spread");
  // Every tile of the orders of reduce and scan is a divisor of so many elements.
  constexpr std::size_t tile = 8192;
  const std::size_t rows = whole[0], count = static_cast<std::size_t>(ranks);
  const std::size_t in_tile = tile / std::gcd(tile, std::max<std::size_t>(row_elements(whole), 1));
  // Blocks differ by at most an eighth.
  const std::size_t unit = rows / count / 16 >= in_tile ? in_tile : 1;
  std::vector<std::size_t> begins(count + 1);
  for (std::size_t r = 0; r <= count; ++r) {
    // rows · r / count, which may not fit 64 bits
    const std::size_t even = rows / count * r + rows % count * r / count;
    begins[r] = r == count ? rows : std::min(rows, (even + unit / 2) / unit * unit);
  }
  return begins;
}

void check_blocks(const shape& whole, const std::vector<std::size_t>& begins, int ranks) {
  if (whole.axes() == 0) fail("distributed_array: an array without axes has no rows to spread");
  const bool is_right = begins.size() == static_cast<std::size_t>(ranks) + 1 && begins.front() == 0 &&
                        begins.back() == whole[0] && std::is_sorted(begins.begin(), begins.end());
  if (!is_right)
    fail(
        fmt::format("distributed_array: blocks of {} rows for {} ranks begin at [{}]: give {} rising numbers "
                    "from 0 to {}",
                    whole[0], ranks, fmt::join(begins, ", "), ranks + 1, whole[0]));
}

std::vector<std::size_t> blocks_of(const ranks& all, const shape& local) {
  if (local.axes() == 0) fail("distributed_array: an array without axes has no rows to spread");
  const array<std::size_t> axes = all.all_gather(local.axes());
  if (!std::all_of(axes.begin(), axes.end(), [&](std::size_t a) { return a == local.axes(); }))
    fail(fmt::format("distributed_array: blocks of ranks have [{}] axes: all need the same",
                     fmt::join(axes, ", ")));
  const array<std::size_t> lengths =
      all.all_gather(std::span<const std::size_t>(local.begin(), local.axes()));
  std::vector<std::size_t> begins{0};
  for (std::size_t r = 0; r < axes.size(); ++r) {
    const std::size_t* const of_rank = lengths.data() + r * local.axes();
    if (!std::equal(of_rank + 1, of_rank + local.axes(), local.begin() + 1))
      fail(
          fmt::format("distributed_array: the block of rank {} is {}, that of rank {} is {}: only the first "
                      "axes may differ",
                      r, shape(std::span(of_rank, local.axes())).text(), all.rank(), local.text()));
    begins.push_back(begins.back() + of_rank[0]);
  }
  return begins;
}

std::vector<std::size_t> block_bytes(const shape& whole, const std::vector<std::size_t>& begins,
                                     std::size_t element_bytes) {
  const std::size_t row_bytes = row_elements(whole) * element_bytes;
  std::vector<std::size_t> bytes;
  for (std::size_t r = 0; r + 1 < begins.size(); ++r)
    bytes.push_back((begins[r + 1] - begins[r]) * row_bytes);
  return bytes;
}

std::vector<std::size_t> bytes_in_common(const std::vector<std::size_t>& blocks,
                                         const std::vector<std::size_t>& others, int rank,
                                         std::size_t row_bytes) {
  const auto r = static_cast<std::size_t>(rank);
  std::vector<std::size_t> bytes;
  for (std::size_t k = 0; k + 1 < others.size(); ++k) {
    const std::size_t begin = std::max(blocks[r], others[k]), end = std::min(blocks[r + 1], others[k + 1]);
    bytes.push_back(begin < end ? (end - begin) * row_bytes : 0);
  }
  return bytes;
}

std::vector<scan_block> scan_blocks(std::size_t first, std::size_t last, unsigned most) {
  std::vector<scan_block> blocks;
  while (first < last) {
    unsigned level = 0;
    while (level < most && first % (std::size_t{2} << level) == 0 &&
           first + (std::size_t{2} << level) <= last)
      ++level;
    blocks.push_back({first, level});
    first += std::size_t{1} << level;
  }
  return blocks;
}

void copy_rows(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch,
               std::size_t row_bytes, std::size_t rows, const target& where) {
  if (row_bytes == 0 || rows == 0) return;
  if (where.is_gpu()) return copy_rows_on_gpu(to, to_pitch, from, from_pitch, row_bytes, rows, where);
  for (std::size_t r = 0; r < rows; ++r)
    std::memcpy(static_cast<char*>(to) + r * to_pitch, static_cast<const char*>(from) + r * from_pitch,
                row_bytes);
}

void move_blocks(const ranks& all, const void* block, std::size_t element_bytes,
                 const std::vector<std::size_t>& from, const std::vector<std::size_t>& to, void* moved) {
  all.between().all_to_all(block, bytes_in_common(from, to, all.rank(), element_bytes), moved,
                           bytes_in_common(to, from, all.rank(), element_bytes), all.where());
}

namespace {

/// Which bytes of a block of rows go to the rank of each column, or come from there: blocks of rows by
/// columns, side by side.
class exchange_of_columns {
 public:
  template <class Void>
  exchange_of_columns(const ranks& all, const block_bytes_of<Void>& x,
                      const std::vector<std::size_t>& columns)
      : all_(all),
        rows_(x.rows(all.rank())),
        row_bytes_(columns.back() * x.element_bytes),
        packed_(rows_ * row_bytes_, all.where()) {
    const auto me = static_cast<std::size_t>(all.rank());
    for (std::size_t r = 0; r + 1 < columns.size(); ++r) {
      widths_.push_back((columns[r + 1] - columns[r]) * x.element_bytes);
      of_rows_.push_back(rows_ * widths_.back());
      of_columns_.push_back(x.rows(static_cast<int>(r)) * (columns[me + 1] - columns[me]) * x.element_bytes);
    }
  }

  void to_columns(const void* rows, void* columns) {
    each_part([&](std::byte* part, std::size_t at, std::size_t width) {
      copy_rows(part, width, static_cast<const std::byte*>(rows) + at, row_bytes_, width, rows_,
                all_.where());
    });
    all_.between().all_to_all(packed_.data(), of_rows_, columns, of_columns_, all_.where());
  }
  void to_rows(const void* columns, void* rows) {
    all_.between().all_to_all(columns, of_columns_, packed_.data(), of_rows_, all_.where());
    each_part([&](std::byte* part, std::size_t at, std::size_t width) {
      copy_rows(static_cast<std::byte*>(rows) + at, row_bytes_, part, width, width, rows_, all_.where());
    });
  }

 private:
  template <class F>
  void each_part(const F& f) {
    auto* part = static_cast<std::byte*>(packed_.data());
    std::size_t at = 0;
    for (const std::size_t width : widths_) {
      f(part, at, width);
      part += rows_ * width;
      at += width;
    }
  }

  const ranks& all_;
  std::size_t rows_, row_bytes_;
  std::vector<std::size_t> widths_, of_rows_, of_columns_;
  memory packed_;
};

}  // namespace

void columns_of_rank(const ranks& all, const block_to_read& x, const std::vector<std::size_t>& columns,
                     void* result) {
  exchange_of_columns(all, x, columns).to_columns(x.data, result);
}
void rows_of_rank(const ranks& all, const void* whole_columns, const std::vector<std::size_t>& columns,
                  const block_to_fill& x) {
  exchange_of_columns(all, x, columns).to_rows(whole_columns, x.data);
}

array<std::uint64_t> summed_counts(const ranks& all, const array<std::uint64_t>& own) {
  array<std::uint64_t> counts(own.shape());
  const std::size_t n = own.size(), ranks = static_cast<std::size_t>(all.size()),
                    me = static_cast<std::size_t>(all.rank());
  const auto begin_of = [=](std::size_t r) { return n / ranks * r + n % ranks * r / ranks; };
  const std::size_t mine = begin_of(me + 1) - begin_of(me);
  std::vector<std::size_t> part_bytes;
  for (std::size_t r = 0; r < ranks; ++r)
    part_bytes.push_back((begin_of(r + 1) - begin_of(r)) * sizeof(std::uint64_t));
  const std::vector<std::size_t> my_bytes(ranks, mine * sizeof(std::uint64_t));
  std::vector<std::uint64_t> of_ranks(ranks * mine), sums(mine);
  all.between().all_to_all(own.data(), part_bytes, of_ranks.data(), my_bytes);
  for (std::size_t i = 0; i < of_ranks.size(); ++i) sums[i % mine] += of_ranks[i];
  all.between().all_gather(sums.data(), part_bytes, counts.data());
  return counts;
}

void check_ranks(const char* pattern, const ranks& all, const ranks& of_array) {
  if (all.rank() != of_array.rank() || all.size() != of_array.size())
    fail(fmt::format("{}: called on {} ranks with an array over {}: give x.all()", pattern, all.size(),
                     of_array.size()));
}

bool gathers_on_gpus(const ranks& all, const target& where) {
  if (!all.between().has_gpus()) return false;
  const bool is_own = where.is_gpu() && where == all.where();
  const array<std::uint8_t> are_own = all.all_gather(static_cast<std::uint8_t>(is_own));
  return std::count(are_own.begin(), are_own.end(), 0) == 0;
}

void fail_no_order(const char* pattern) {
  fail(fmt::format(
      "{}: the function says of two elements that each comes first, or of three that they go round, as "
      "a < b does of NaNs: give one that orders all elements",
      pattern));
}

void check_random_end(std::uint64_t offset, std::size_t count) {
  std::uint64_t end = 0;
  if (__builtin_add_overflow(offset, count, &end))
    fail(fmt::format("random: offset {} leaves fewer elements below 2^64 than {}", offset, count));
}

void fail_matmul_axes(const shape& a, const shape& b) {
  fail(
      fmt::format("matmul: shapes {} and {} over ranks: batches are spread alike in both operands, or one "
                  "operand is whole on every rank: gather() it",
                  a.text(), b.text()));
}

void fail_matmul_vectors(const shape& a, const shape& b) {
  fail(
      fmt::format("matmul: shapes {} and {} over ranks: the product has no axis to spread: use "
                  "transform_reduce(all, x, y, multiplies{{}}, plus{{}})",
                  a.text(), b.text()));
}

void fail_index_axes(std::size_t axes) {
  fail(fmt::format(
      "for_each_index: an array of {} axes: f takes the element and one index for each of up to three axes",
      axes));
}

void fail_blocks(const char* pattern, const shape& a, const shape& b) {
  if (!(a == b))
    fail(fmt::format("{}: arrays of shapes {} and {}: they need one shape", pattern, a.text(), b.text()));
  fail(fmt::format("{}: arrays of shape {} in different blocks: use redistributed(x.begins())", pattern,
                   a.text()));
}

}  // namespace heddle::impl
