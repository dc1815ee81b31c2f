#include "cuda_on_cpu/ptx/ptx_writer.hpp"

#include <fmt/format.h>

/// Memory, atomics, asynchronous copies, warps and barriers of inline PTX.
namespace heddle::cuda_on_cpu::ptx {
namespace {

void skip_hints(instruction& i) {
  i.skip({"L1::", "L2::", "level::", "ca", "cg", "cs", "lu", "wb", "wt", "nc", "unified"});
}

std::string_view state_space(instruction& i) {
  const std::string_view space = i.one_of({"global", "shared::cta", "shared", "local", "const", "param"});
  if (i->has("shared::cluster"))
    i.refuse("shared memory of other blocks is not supported in inline PTX: map_shared_rank() is");
  return space;
}

std::string scope_of(instruction& i) {
  const std::string_view scope = i.one_of({"cta", "cluster", "gpu", "sys"});
  return fmt::format("::heddle_device::scope::{}", scope == "cta"   ? "block"
                                                   : scope == "sys" ? "system"
                                                                    : "device");
}

std::string order_of(instruction& i, std::string_view without) {
  const std::string_view order = i.one_of({"relaxed", "acquire", "release", "acq_rel", "mmio"});
  return fmt::format("::heddle_device::order::{}", order == "acq_rel"                 ? "acquire_release"
                                                   : order.empty() || order == "mmio" ? without
                                                                                      : order);
}

}  // namespace

bool writer::write_memory(instruction& i) {
  const std::string_view op = i->opcode;
  if (op == "ld" || op == "ldu") {
    write_load(i);
  } else if (op == "st") {
    write_store(i);
  } else if (op == "atom" || op == "red") {
    write_atomic(i);
  } else if (op == "prefetch" || op == "prefetchu" || op == "applypriority" || op == "discard") {
    // They change when a cache has what; what is discarded is written again before it is read.
    i.skip({"global", "local", "L1", "L2", "evict", "tensormap", "const", "param"});
  } else if (op == "createpolicy") {
    i.skip({"fractional", "range", "cvt", "global", "L2", "b64"});
    set(i.at(0), "0u");
  } else if (op == "isspacep") {
    const std::string_view space = state_space(i);
    if (space != "shared" && space != "shared::cta" && space != "global")
      i.refuse("its state space is not supported");
    set(i.at(0), fmt::format("{}{}({})", space == "global" ? "!" : "", "::heddle_device::is_shared",
                             bits(i.at(1), bits_type(64))));
  } else {
    return false;
  }
  return true;
}

void writer::write_load(instruction& i) {
  const bool is_volatile = i.flag("volatile") || i.flag("cv");
  const bool is_ordered = i->has("relaxed") || i->has("acquire") || i->has("mmio");
  const std::string order = order_of(i, "relaxed"), scope = scope_of(i);
  i.flag("weak");
  const std::string from = address(i.at(1), state_space(i));
  const std::string_view vector = i.one_of({"v2", "v4", "v8"});
  const type t = i.expect_type();
  skip_hints(i);
  const operand& to = i.at(0);
  has_volatile_ |= is_volatile;
  lets_blocks_communicate_ |= is_volatile || is_ordered;
  if (vector.empty() && to.kind != operand_kind::vector) {
    set(to, is_ordered    ? fmt::format("{}<{}>({}, {}, {})", in_ptx("load"), t.cpp, from, scope, order)
            : is_volatile ? fmt::format("*static_cast<const volatile {}*>({})", t.cpp, from)
                          : fmt::format("*static_cast<const {}*>({})", t.cpp, from));
    return;
  }
  const std::size_t count = to.parts.size();
  if (vector != fmt::format("v{}", count)) i.refuse("its vector has another number of parts");
  if (is_ordered || is_volatile) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::string one =
          fmt::format("static_cast<{}{}*>({}) + {}", is_volatile ? "const volatile " : "", t.cpp, from, k);
      set(to.parts[k], is_volatile
                           ? fmt::format("*({})", one)
                           : fmt::format("{}<{}>({}, {}, {})", in_ptx("load"), t.cpp, one, scope, order));
    }
    return;
  }
  const std::string own = fmt::format("{}<{}, {}>", in_ptx("vector"), t.cpp, count);
  code_ += fmt::format("{{ const {0} heddle_v = *static_cast<const {0}*>({1}); ", own, from);
  for (std::size_t k = 0; k < count; ++k) set(to.parts[k], fmt::format("heddle_v.x[{}]", k));
  code_ += "} ";
}

void writer::write_store(instruction& i) {
  const bool is_volatile = i.flag("volatile");
  const bool is_ordered = i->has("relaxed") || i->has("release") || i->has("mmio");
  const std::string order = order_of(i, "relaxed"), scope = scope_of(i);
  i.flag("weak");
  const std::string to = address(i.at(0), state_space(i));
  const std::string_view vector = i.one_of({"v2", "v4", "v8"});
  const type t = i.expect_type();
  skip_hints(i);
  const operand& from = i.at(1);
  has_volatile_ |= is_volatile;
  lets_blocks_communicate_ |= is_volatile || is_ordered;
  const auto store = [&](const operand& value, std::size_t k) {
    const std::string place =
        fmt::format("static_cast<{}{}*>({}) + {}", is_volatile ? "volatile " : "", t.cpp, to, k);
    code_ += is_ordered ? fmt::format("{}<{}>({}, {}, {}, {}); ", in_ptx("store"), t.cpp, place, as(value, t),
                                      scope, order)
                        : fmt::format("*({}) = {}; ", place, as(value, t));
  };
  if (vector.empty() && from.kind != operand_kind::vector) return store(from, 0);
  const std::size_t count = from.parts.size();
  if (vector != fmt::format("v{}", count)) i.refuse("its vector has another number of parts");
  if (is_ordered || is_volatile) {
    for (std::size_t k = 0; k < count; ++k) store(from.parts[k], k);
    return;
  }
  std::string values;
  for (std::size_t k = 0; k < count; ++k) values += (k == 0 ? "" : ", ") + as(from.parts[k], t);
  const std::string own = fmt::format("{}<{}, {}>", in_ptx("vector"), t.cpp, count);
  code_ += fmt::format("*static_cast<{0}*>({1}) = {0}{{{{{2}}}}}; ", own, to, values);
}

void writer::write_atomic(instruction& i) {
  const bool is_red = i->opcode == "red";
  lets_blocks_communicate_ = true;
  if (i->has("async")) i.refuse("thread block clusters are not supported");
  const std::string order = order_of(i, "relaxed"), scope = scope_of(i);
  const std::string_view space = state_space(i);
  const std::string_view op =
      i.one_of({"exch", "cas", "add", "inc", "dec", "min", "max", "and", "or", "xor"});
  const std::string_view vector = i.one_of({"v2", "v4", "v8"});
  i.flag("noftz");
  const type t = i.expect_type();
  skip_hints(i);
  if (op.empty()) i.refuse("its operation is not supported");
  const std::string_view name = op == "exch"  ? "exchange"
                                : op == "cas" ? "compare_exchange"
                                : op == "add" ? "add"
                                : op == "inc" ? "increment"
                                : op == "dec" ? "decrement"
                                : op == "min" ? "minimum"
                                : op == "max" ? "maximum"
                                : op == "and" ? "bit_and"
                                : op == "or"  ? "bit_or"
                                              : "bit_xor";
  const operand& at = i.at(is_red ? 0 : 1);
  const auto update = [&](const operand* to, const operand& value, const operand* with, std::size_t k) {
    std::string where = address(at, space);
    if (k != 0) where = fmt::format("static_cast<{}*>({}) + {}", t.cpp, where, k);
    const std::string text =
        fmt::format("{}<{}>({}, ::heddle_device::atomic_operation::{}, {}, {}, {}, {})", in_ptx("atomic"),
                    t.cpp, where, name, as(with != nullptr ? *with : value, t),
                    with != nullptr ? as(value, t) : fmt::format("{}{{}}", t.cpp), scope, order);
    if (to != nullptr && to->text != "_") {
      set(*to, text);
    } else {
      code_ += text + "; ";
    }
  };
  const operand& value = i.at(is_red ? 1 : 2);
  const operand* const to = is_red ? nullptr : &i.at(0);
  if (value.kind == operand_kind::vector) {
    if (vector != fmt::format("v{}", value.parts.size())) i.refuse("its vector has another number of parts");
    for (std::size_t k = 0; k < value.parts.size(); ++k)
      update(to != nullptr ? &to->parts.at(k) : nullptr, value.parts[k], nullptr, k);
  } else {
    update(to, value, op == "cas" ? &i.at(3) : nullptr, 0);
  }
}

/// Of the barrier's word at an address.
std::string writer::phases_at(const operand& o, std::string_view space) const {
  return fmt::format("static_cast<unsigned long long*>({}), ::heddle_device::scope::block",
                     address(o, space));
}

/// Barriers in memory.
bool writer::write_phases(instruction& i) {
  lets_threads_communicate_ = true;
  const type word = bits_type(32), wide = bits_type(64);
  const std::string_view what =
      i.one_of({"init", "inval", "arrive", "expect_tx", "complete_tx", "test_wait", "try_wait"});
  const bool is_parity = i.flag("parity"), has_bytes = what == "arrive" && i.flag("expect_tx");
  i.skip({"release", "acquire", "relaxed", "cta", "noComplete"});
  const std::string_view space = state_space(i);
  i.expect_type();
  if (what == "init") {
    code_ += fmt::format("::heddle_device::begin_phases(static_cast<unsigned long long*>({}), {}); ",
                         address(i.at(0), space), as(i.at(1), word));
  } else if (what == "inval") {
    code_ += fmt::format("*static_cast<unsigned long long*>({}) = 0; ", address(i.at(0), space));
  } else if (what == "expect_tx" || what == "complete_tx") {
    code_ += fmt::format("::heddle_device::expect_bytes({}, {}static_cast<long long>({})); ",
                         phases_at(i.at(0), space), what == "expect_tx" ? "" : "-", as(i.at(1), word));
  } else if (what == "arrive") {
    const std::string given = i.size() > 2 ? as(i.at(2), word) : "1";
    const std::string call =
        fmt::format("::heddle_device::arrive_in_phase({}, {}, {}, ::heddle_device::nothing_to_complete())",
                    phases_at(i.at(1), space), has_bytes ? "1" : given, has_bytes ? given : "0");
    if (i.at(0).text == "_") {
      code_ += call + "; ";
    } else {
      set(i.at(0), call);
    }
  } else if (what == "test_wait" || what == "try_wait") {
    set(i.at(0), fmt::format("!::heddle_device::is_in_phase{}({}, {})", is_parity ? "_of_parity" : "",
                             phases_at(i.at(1), space),
                             is_parity ? fmt::format("{} != 0", as(i.at(2), word)) : as(i.at(2), wide)));
  } else {
    i.refuse("it is not supported in inline PTX");
  }
  return true;
}

bool writer::write_asynchronous(instruction& i) {
  if (i->opcode == "mbarrier") return write_phases(i);
  if (i->opcode != "cp" || !i.flag("async")) return false;
  if (i.flag("mbarrier")) {
    // The barrier is told when the thread's copies are done: in place of one of its arrivals, or beside them.
    i.flag("arrive");
    const bool is_arrival = i.flag("noinc");
    const std::string_view space = state_space(i);
    i.expect_type();
    code_ +=
        fmt::format("::heddle_device::arrive_in_phase({}, {}, 0, ::heddle_device::nothing_to_complete()); ",
                    phases_at(i.at(0), space), is_arrival ? 1 : 0);
    return true;
  }
  if (i.flag("bulk")) {
    // The thread makes the copy, and tells the barrier: who does not wait for that races with it.
    if (i.one_of({"shared::cluster", "shared::cta"}).empty() || !i.flag("global") ||
        !i.flag("mbarrier::complete_tx::bytes"))
      i.refuse("only copies from global to shared memory that a barrier waits for are supported");
    i.skip({"L2::"});
    lets_threads_communicate_ = true;
    const std::string bytes = as(i.at(2), bits_type(32));
    code_ += fmt::format("{}({}, {}, {}, {}); ", in_ptx("copy_in_bulk"), address(i.at(0), "shared"),
                         address(i.at(1), "global"), bytes, phases_at(i.at(3), "shared"));
    return true;
  }
  lets_threads_communicate_ = true;
  if (i.flag("commit_group")) {
    code_ += "::heddle_device::commit_copies(); ";
  } else if (i.flag("wait_all")) {
    code_ += "::heddle_device::wait_for_all_copies(); ";
  } else if (i.flag("wait_group")) {
    code_ += fmt::format("::heddle_device::wait_for_copies({}); ", as(i.at(0), bits_type(32)));
  } else {
    if (i.one_of({"shared", "shared::cta"}).empty() || !i.flag("global"))
      i.refuse("it goes from global to shared memory");
    const bool has_policy = i->has("L2::cache_hint");
    if (i->has("cg") && i.at(2).text != "16" && i.at(2).kind == operand_kind::number)
      i.refuse(".cg copies 16 bytes");
    skip_hints(i);
    // Behind the bytes may stand how many of them are read, a predicate not to, and a policy of caches.
    const std::string bytes = as(i.at(2), bits_type(32));
    const bool has_size = i.size() - (has_policy ? 1 : 0) > 3;
    const std::string read = !has_size ? bytes
                             : is_predicate(i.at(3))
                                 ? fmt::format("({} ? 0u : {})", predicate(i.at(3)), bytes)
                                 : as(i.at(3), bits_type(32));
    code_ += fmt::format("::heddle_device::copy_asynchronously({}, {}, {}, {}); ", address(i.at(0), "shared"),
                         address(i.at(1), "global"), bytes, read);
  }
  return true;
}

bool writer::write_warp(instruction& i) {
  const std::string_view op = i->opcode;
  const type word = bits_type(32);
  if (op == "activemask") {
    i.expect_type();
    set(i.at(0), "::heddle_active_mask(1)");
  } else if (op == "elect") {
    i.flag("sync");
    const operand& to = i.at(0);
    if (to.kind != operand_kind::pair) i.refuse("it has two results");
    code_ += fmt::format("{{ const unsigned heddle_v = {}({}); ", in_ptx("elected"), as(i.at(1), word));
    if (to.parts[0].text != "_") set(to.parts[0], "heddle_v");
    set(to.parts[1], fmt::format("heddle_v == {}()", in_ptx("laneid")));
    code_ += "} ";
  } else if (op == "shfl" || op == "vote" || op == "match" || op == "redux") {
    if (!i.flag("sync")) i.refuse("it was taken out of PTX without .sync, which names the lanes");
    if (op == "shfl") {
      const std::string_view mode = i.one_of({"up", "down", "bfly", "idx"});
      i.expect_type();
      const operand& to = i.at(0);
      const bool has_predicate = to.kind == operand_kind::pair;
      code_ +=
          fmt::format("{{ const auto heddle_v = {}({}, {}, {}, {}); ", in_ptx(fmt::format("shfl_{}", mode)),
                      as(i.at(1), word), as(i.at(2), word), as(i.at(3), word), as(i.at(4), word));
      set(has_predicate ? to.parts[0] : to, "heddle_v.value");
      if (has_predicate) set(to.parts[1], "heddle_v.is_in_range");
      code_ += "} ";
    } else if (op == "vote") {
      const std::string_view kind = i.one_of({"all", "any", "uni", "ballot"});
      i.expect_type();
      set(i.at(0), fmt::format("::heddle_vote(::heddle_device::vote_kind::{}, {}, {}, 0)",
                               kind == "uni" ? "uniform" : kind, as(i.at(2), word), predicate(i.at(1))));
    } else if (op == "match") {
      const bool is_all = i.flag("all");
      i.flag("any");
      const type t = i.expect_type();
      const operand& to = i.at(0);
      code_ +=
          fmt::format("{{ const auto heddle_v = ::heddle_vote(::heddle_device::vote_kind::{}, {}, {}, 0); ",
                      is_all ? "match_all" : "match_any", as(i.at(2), word), as(i.at(1), t));
      set(to.kind == operand_kind::pair ? to.parts[0] : to, "heddle_v");
      if (to.kind == operand_kind::pair) set(to.parts[1], "heddle_v != 0");
      code_ += "} ";
    } else {
      const std::string_view kind = i.one_of({"add", "min", "max", "and", "or", "xor"});
      const type t = i.expect_type();
      if (t.bits != 32 || t.is_float()) i.refuse("its type is not supported");
      set(i.at(0), fmt::format("::heddle_vote(::heddle_device::vote_kind::reduce_{}, {}, {}, {})", kind,
                               as(i.at(2), word), as(i.at(1), word), t.kind == 's' ? 1 : 0));
    }
  } else {
    return false;
  }
  lets_threads_communicate_ = true;
  return true;
}

bool writer::write_barrier(instruction& i) {
  const std::string_view op = i->opcode;
  const type word = bits_type(32);
  if (op == "membar" || op == "fence") {
    lets_blocks_communicate_ = true;
    // Proxies are other ways to the same memory, which there is one of here.
    const bool is_proxy = i->has("proxy");
    i.skip({"sc", "acq_rel", "acquire", "release", "proxy", "async", "alias", "global", "shared",
            "mbarrier_init", "sync_restrict"});
    const std::string_view level = i.one_of({"cta", "cluster", "gl", "gpu", "sys"});
    if (!is_proxy && level.empty()) i.refuse("its scope is expected");
    if (!is_proxy)
      code_ += fmt::format("::heddle_fence(::heddle_device::scope::{}); ", level == "cta"   ? "block"
                                                                           : level == "sys" ? "system"
                                                                                            : "device");
    return true;
  }
  if (op != "bar" && op != "barrier") return false;
  lets_threads_communicate_ = true;
  if (i.flag("cluster")) {
    i.skip({"aligned", "release", "acquire"});
    const std::string_view half = i.one_of({"arrive", "wait"});
    if (half.empty()) i.refuse("it is .arrive or .wait");
    code_ += fmt::format(
        "::heddle_device::{}_in_group(::heddle_device::group_kind::cluster, __builtin_FILE(), "
        "__builtin_LINE()); ",
        half);
    return true;
  }
  i.flag("cta");
  i.flag("aligned");
  if (i.flag("warp")) {
    i.flag("sync");
    code_ += fmt::format("::heddle_sync_warp({}); ", as(i.at(0), word));
  } else if (i.flag("red")) {
    const std::string_view kind = i.one_of({"popc", "and", "or"});
    i.expect_type();
    if (i.size() != 3 || i.at(1).text != "0")
      i.refuse("reductions at barriers of a number or a count are not supported");
    const operand& from = i.at(2);
    set(i.at(0), fmt::format("::__syncthreads_{}({}, __builtin_FILE(), __builtin_LINE())",
                             kind == "popc" ? "count" : kind, predicate(from)));
  } else if (i.flag("arrive")) {
    code_ += fmt::format("{}({}, {}, __builtin_FILE(), __builtin_LINE()); ", in_ptx("arrive"),
                         as(i.at(0), word), as(i.at(1), word));
  } else {
    if (!i.flag("sync")) i.refuse("it is not supported in inline PTX");
    code_ += fmt::format("{}({}, {}, __builtin_FILE(), __builtin_LINE()); ", in_ptx("barrier"),
                         as(i.at(0), word), i.size() > 1 ? as(i.at(1), word) : "0");
  }
  return true;
}

}  // namespace heddle::cuda_on_cpu::ptx
