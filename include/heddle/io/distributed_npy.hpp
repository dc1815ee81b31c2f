#pragma once

#include <heddle/distributed_array.hpp>
#include <heddle/dtype.hpp>
#include <heddle/impl/distributed/blocks.hpp>
#include <heddle/io/npy.hpp>
#include <heddle/ranks.hpp>

#include <string>

namespace heddle {

/// The array in a .npy file, distributed over ranks, each of which reads its own rows. The file must hold
/// elements of type T.
template <element T>
  requires has_dtype<T>
distributed_array<T> read_npy(const ranks& all, const std::string& path) {
  const npy_file file(path);
  if (file.dtype() != dtype_of<T>) impl::fail_npy_type(file, dtype_of<T>);
  distributed_array<T> x(all, file.shape());
  impl::filled_on_cpu<T> block(x.local());
  file.read(x.first_row() * impl::row_elements(x.shape()), x.local().size(), dtype_of<T>, block.data());
  block.deliver();
  return x;
}

/// Writes the array to one .npy file, as write_npy of one array. Every rank writes its own bytes if the path
/// is that of a file in a folder that all ranks share. To a pipe or a device rank 0 writes all of them, which
/// it receives in pieces of 16 MiB. Errors are thrown on every rank.
template <element T>
  requires has_dtype<T>
void write_npy(const std::string& path, const distributed_array<T>& x) {
  impl::write_npy_of_ranks(x.all(), path, dtype_of<T>, x.shape(),
                           impl::block_bytes(x.shape(), x.begins(), sizeof(T)), x.local().data());
}

}  // namespace heddle
