#include <heddle/any_distributed.hpp>
#include <heddle/distributed.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/io/npy.hpp>

#include <algorithm>

#include <fmt/core.h>

namespace heddle {
namespace {

using many = std::vector<std::size_t>;

any_distributed_array made(const ranks& all, dtype type, const shape& lengths, const many& begins) {
  return with_type(
      type, [&]<class T>(T) { return any_distributed_array(distributed_array<T>(all, lengths, begins)); });
}

any_distributed_array taken(const ranks& all, const shape& lengths, const many& begins, any_array local) {
  return with_type(local.dtype(), [&]<class T>(T) {
    return any_distributed_array(distributed_array<T>(all, lengths, begins, std::move(local).as<T>()));
  });
}

}  // namespace

any_distributed_array::any_distributed_array(const ranks& all, heddle::dtype type,
                                             const heddle::shape& lengths)
    : any_distributed_array(all, type, lengths, impl::even_blocks(lengths, all.size())) {}
any_distributed_array::any_distributed_array(const ranks& all, heddle::dtype type,
                                             const heddle::shape& lengths, const many& begins)
    : any_distributed_array(made(all, type, lengths, begins)) {}
any_distributed_array::any_distributed_array(const ranks& all, const heddle::shape& lengths,
                                             const many& begins, any_array local)
    : any_distributed_array(taken(all, lengths, begins, std::move(local))) {}
any_distributed_array::any_distributed_array(const ranks& all, any_array local)
    : any_distributed_array(with_type(local.dtype(), [&]<class T>(T) {
        return any_distributed_array(distributed_array<T>(all, std::move(local).as<T>()));
      })) {}

const ranks& any_distributed_array::all() const {
  return visit([](const auto& x) -> const ranks& { return x.all(); });
}
const shape& any_distributed_array::shape() const {
  return visit([](const auto& x) -> const heddle::shape& { return x.shape(); });
}
const many& any_distributed_array::begins() const {
  return visit([](const auto& x) -> const many& { return x.begins(); });
}
std::size_t any_distributed_array::first_row() const {
  return begins()[static_cast<std::size_t>(all().rank())];
}
std::size_t any_distributed_array::rows() const {
  return begins()[static_cast<std::size_t>(all().rank()) + 1] - first_row();
}
any_view any_distributed_array::local() & {
  return visit([](auto& x) { return any_view(x.local()); });
}
any_const_view any_distributed_array::local() const& {
  return visit([](const auto& x) { return any_const_view(x.local()); });
}
any_array any_distributed_array::gather(const target& where) const {
  return visit([&](const auto& x) { return any_array(x.gather(where)); });
}
any_distributed_array any_distributed_array::redistributed(const many& begins) const {
  return visit([&](const auto& x) { return any_distributed_array(x.redistributed(begins)); });
}

any_distributed_array concatenate(const ranks& all, const std::vector<any_distributed_array>& parts) {
  if (parts.empty()) fail("concatenate: there are no arrays, and so no type");
  const dtype type = parts.front().dtype();
  const shape& first = parts.front().shape();
  std::size_t rows = 0;
  for (const any_distributed_array& part : parts) {
    impl::check_ranks("concatenate", all, part.all());
    if (part.dtype() != type)
      fail(fmt::format("concatenate: an array is {}, where the first is {}", name(part.dtype()), name(type)));
    if (!(impl::with_rows(part.shape(), first[0]) == first))
      fail(fmt::format("concatenate: an array has shape {}, where the first has {}", part.shape().text(),
                       first.text()));
    rows += part.shape()[0];
  }
  any_distributed_array whole(all, type, impl::with_rows(first, rows));
  std::size_t begin = 0, filled = 0;
  for (const any_distributed_array& part : parts) {
    const std::size_t end = begin + part.shape()[0];
    many begins;
    for (const std::size_t b : whole.begins()) begins.push_back(std::clamp(b, begin, end) - begin);
    const any_distributed_array moved = part.redistributed(begins);
    if (moved.rows() > 0) whole.local().slice(filled, filled + moved.rows()).copy_from(moved.local());
    filled += moved.rows();
    begin = end;
  }
  return whole;
}

any_distributed_array converted(const any_distributed_array& x, dtype type) {
  return {x.all(), x.shape(), x.begins(), x.local().converted(type)};
}

any_distributed_array transform(const ranks& all, const any_distributed_array& x,
                                const any_distributed_array& y, runtime_op op) {
  impl::check_ranks("transform", all, x.all());
  if (!(x.shape() == y.shape()) || x.begins() != y.begins())
    impl::fail_blocks("transform", x.shape(), y.shape());
  return {all, x.shape(), x.begins(), transform(all.where(), x.local(), y.local(), op)};
}
any_distributed_array transform(const ranks& all, const any_distributed_array& x, const any_value& y,
                                runtime_op op) {
  impl::check_ranks("transform", all, x.all());
  return {all, x.shape(), x.begins(), transform(all.where(), x.local(), y, op)};
}
any_distributed_array transform(const ranks& all, const any_value& x, const any_distributed_array& y,
                                runtime_op op) {
  impl::check_ranks("transform", all, y.all());
  return {all, y.shape(), y.begins(), transform(all.where(), x, y.local(), op)};
}

any_distributed_array read_npy(const ranks& all, const std::string& path) {
  return with_type(npy_file(path).dtype(),
                   [&]<class T>(T) { return any_distributed_array(read_npy<T>(all, path)); });
}
void write_npy(const std::string& path, const any_distributed_array& x) {
  x.visit([&](const auto& y) { write_npy(path, y); });
}
void write_npy(const std::string& path, const any_distributed_array& x, const shape& lengths) {
  if (lengths.elements() != x.size())
    fail(fmt::format("write_npy: {}: an array of shape {} has not as many elements as {}", path,
                     x.shape().text(), lengths.text()));
  impl::write_npy_of_ranks(x.all(), path, x.dtype(), lengths,
                           impl::block_bytes(x.shape(), x.begins(), size_of(x.dtype())), x.local().data());
}

}  // namespace heddle
