#include "core/any_arguments.hpp"
#include <heddle/any_distributed.hpp>
#include <heddle/error.hpp>
#include <heddle/impl/patterns/scan/ranks.hpp>

#include <optional>

namespace heddle {
namespace {

using optional_value = std::optional<any_value>;

any_distributed_array scanned(impl::scan_kind kind, const ranks& all, const any_distributed_array& x,
                              runtime_op op, const optional_value& init, const axis* along = nullptr) {
  const bool is_exclusive = kind == impl::scan_kind::exclusive;
  impl::require_monoid(op, x.dtype());
  optional_value start = impl::initial(init, op, x.dtype());
  impl::check_ranks(is_exclusive ? "exclusive_scan" : "inclusive_scan", all, x.all());
  if (!start && is_exclusive) start = identity(op, x.dtype());
  any_distributed_array out(all, x.dtype(), x.shape(), x.begins());
  impl::library_scan_over_ranks(all, kind, op, x.dtype(), impl::to_read(all, x), along,
                                start ? start->data() : nullptr, impl::to_fill(all, out));
  return out;
}

}  // namespace

any_distributed_array inclusive_scan(const ranks& all, const any_distributed_array& x, runtime_op op,
                                     const optional_value& init) {
  return scanned(impl::scan_kind::inclusive, all, x, op, init);
}
any_distributed_array exclusive_scan(const ranks& all, const any_distributed_array& x, runtime_op op,
                                     const optional_value& init) {
  return scanned(impl::scan_kind::exclusive, all, x, op, init);
}
any_distributed_array inclusive_scan(const ranks& all, const any_distributed_array& x, axis along,
                                     runtime_op op, const optional_value& init) {
  return scanned(impl::scan_kind::inclusive, all, x, op, init, &along);
}
any_distributed_array exclusive_scan(const ranks& all, const any_distributed_array& x, axis along,
                                     runtime_op op, const optional_value& init) {
  return scanned(impl::scan_kind::exclusive, all, x, op, init, &along);
}

}  // namespace heddle
