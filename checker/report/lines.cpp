#include "checker/report/lines.hpp"

#include "checker/engine/launch.hpp"
#include "checker/engine/launch_tree.hpp"
#include "checker/report/causes.hpp"
#include "checker/report/race_hint.hpp"
#include "checker/report/source_quotes.hpp"
#include "cuda_on_cpu/compile/source_names.hpp"
#include "kernels/module_state.hpp"

#include <algorithm>
#include <cstdlib>
#include <map>
#include <memory>
#include <string_view>
#include <tuple>
#include <unordered_map>

#include <cxxabi.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <fcntl.h>
#include <unistd.h>

namespace heddle::checker {
namespace {

struct source_line {
  std::string file, function;
  std::size_t line = 0;
};

bool is_of_device_language(std::string_view file) {
  return file.find("heddle_device/") != std::string_view::npos || file.ends_with("/cooperative_groups.h") ||
         file.find("/cooperative_groups/") != std::string_view::npos || file.ends_with("/cuda/atomic") ||
         file.ends_with("/cuda/std/atomic");
}

/// Neither the program's nor a header's that it may be told of.
bool is_of_others(std::string_view file) {
  return file.empty() || is_of_device_language(file) ||
         file.find("/include/c++/") != std::string_view::npos || file.starts_with("/usr/include/") ||
         file.starts_with("/usr/lib/");
}

std::string readable(const char* name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name, nullptr, nullptr, &status),
                                                         &std::free);
  // The parameters and the result are known from the source.
  return status == 0 ? std::string(impl::function_name(text.get())) : name;
}

/// The debug information of a module.
class debug_information {
 public:
  explicit debug_information(const std::string& path) : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ >= 0) dwarf_ = dwarf_begin(file_, DWARF_C_READ);
  }
  ~debug_information() {
    if (dwarf_ != nullptr) dwarf_end(dwarf_);
    if (file_ >= 0) close(file_);
  }
  debug_information(const debug_information&) = delete;
  debug_information& operator=(const debug_information&) = delete;

  source_line at(Dwarf_Addr address) const {
    source_line result;
    Dwarf_Die unit;
    if (dwarf_ == nullptr || !find_unit(address, unit)) return result;
    if (Dwarf_Line* const line = dwarf_getsrc_die(&unit, address)) {
      if (const char* const file = dwarf_linesrc(line, nullptr, nullptr)) result.file = file;
      int number = 0;
      dwarf_lineno(line, &number);
      result.line = static_cast<std::size_t>(std::max(number, 0));
    }
    // Around an inlined function are first the scopes that it was written in, and only from its entry on
    // those that it was put into.
    Dwarf_Die *lexical = nullptr, *scopes = nullptr;
    int count = dwarf_getscopes(&unit, address, &lexical);
    if (count > 0) count = dwarf_getscopes_die(&lexical[0], &scopes);
    std::free(lexical);
    // From the innermost on: a function that was inlined was called from a line of the one around it. One
    // that is written nowhere copies what that line names.
    for (int i = 0; i < count; ++i) {
      const int tag = dwarf_tag(&scopes[i]);
      if (tag == DW_TAG_inlined_subroutine &&
          (is_of_others(result.file) || dwarf_hasattr_integrate(&scopes[i], DW_AT_artificial) != 0)) {
        move_to_call(unit, scopes[i], result);
      } else if (tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine) {
        result.function = name_of(scopes[i]);
        break;
      }
    }
    std::free(scopes);
    return result;
  }

 private:
  /// Not every compiler writes the table that says which addresses belong to which unit.
  bool find_unit(Dwarf_Addr address, Dwarf_Die& unit) const {
    Dwarf_CU* cu = nullptr;
    Dwarf_Die part;
    while (dwarf_get_units(dwarf_, cu, &cu, nullptr, nullptr, &unit, &part) == 0) {
      if (dwarf_haspc(&unit, address) > 0) return true;
    }
    return false;
  }

  static void move_to_call(Dwarf_Die& unit, Dwarf_Die& inlined, source_line& result) {
    Dwarf_Attribute attribute;
    Dwarf_Word line = 0, file = 0;
    if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_line, &attribute), &line) == 0) result.line = line;
    Dwarf_Files* files = nullptr;
    std::size_t count = 0;
    if (dwarf_formudata(dwarf_attr(&inlined, DW_AT_call_file, &attribute), &file) == 0 &&
        dwarf_getsrcfiles(&unit, &files, &count) == 0 && file < count) {
      if (const char* const name = dwarf_filesrc(files, file, nullptr, nullptr)) result.file = name;
    }
  }

  static std::string name_of(Dwarf_Die& function) {
    Dwarf_Attribute attribute;
    for (const unsigned what : {DW_AT_linkage_name, DW_AT_name}) {
      if (const char* const name = dwarf_formstring(dwarf_attr_integrate(&function, what, &attribute)))
        return readable(name);
    }
    return "";
  }

  int file_;
  Dwarf* dwarf_ = nullptr;
};

/// The lines of a module's instructions. Files are called as they were named, not by where they are.
class module_lines {
 public:
  module_lines(const std::string& path, std::uintptr_t base) : base_(base), information_(path) {}

  /// Of the call that returns to `pc`, which may be another line.
  const source_line& before(std::uintptr_t pc) {
    auto [at, is_new] = known_.try_emplace(pc);
    source_line& line = at->second;
    if (is_new) {
      line = information_.at(pc - 1 - base_);
      line.file = cuda_on_cpu::as_named(line.file);
    }
    return line;
  }

 private:
  std::uintptr_t base_;
  debug_information information_;
  std::unordered_map<std::uintptr_t, source_line> known_;
};

void find_line(module_lines& lines, place& p) {
  if (p.pc == 0) return;
  const source_line* at = &lines.before(p.pc);
  for (std::size_t i = 0; i < p.callers.size() && is_of_others(at->file); ++i)
    at = &lines.before(p.callers[i]);
  p.function = at->function;
  if (p.line != 0) return;
  p.file = at->file;
  p.line = at->line;
}

/// What a library does in a kernel of its own is done where the program calls it.
void move_to_call_of_library(finding& f) {
  constexpr std::string_view launches = "launches ";
  const auto by = std::find_if(f.places.begin(), f.places.end(),
                               [&](const place& p) { return !p.has_thread && p.what.starts_with(launches); });
  if (by == f.places.end()) return;
  for (place& p : f.places) {
    if (!p.has_thread || !is_of_device_language(p.file)) continue;
    p.file = by->file;
    p.line = by->line;
    p.function = by->what.substr(launches.size(), by->what.find("<<<") - launches.size());
  }
}

/// Gives an index that was out of an array's bounds, which is known by the place of its brackets alone, the
/// name of the array. g++ gives the place where the brackets close. clang++ gives that where the expression
/// begins, which is the same for all brackets in a row: how many follow says the axes that are left. Of
/// p[i].v[k] it is the same for both, and the longer is taken, since p is a pointer most often, whose indices
/// are not checked so.
void name_indexed_array(const std::vector<cuda_on_cpu::subscript>& subscripts, finding& f) {
  if (f.kind != finding_kind::out_of_bounds || !f.variable.empty() || f.places.empty()) return;
  const place& p = f.places.front();
  const auto is_at = [&](const cuda_on_cpu::text_place& at) {
    return at.line == p.line && at.column == p.column;
  };
  std::size_t in_a_row = 0;
  for (const cuda_on_cpu::subscript& s : subscripts) {
    if (s.file == p.file && is_at(s.first)) in_a_row = std::max(in_a_row, s.brackets);
  }
  for (const cuda_on_cpu::subscript& s : subscripts) {
    if (s.file != p.file || s.of.size() < f.variable.size()) continue;
    if (is_at(s.last) || (is_at(s.first) && s.brackets + f.lengths.size() == in_a_row + 1)) f.variable = s.of;
  }
  if (!f.variable.empty()) f.detail.clear();
}

bool is_between_launches(const finding& f) {
  for (const char* const why :
       {different_streams, different_devices, atomics_of_devices, different_nodes, launched_meanwhile}) {
    if (f.detail == why) return true;
  }
  return false;
}

/// What one mistake leads to is told once: races on a variable within a function that the same would order.
/// The first has the places of all.
std::vector<finding> one_of_each_cause(std::vector<finding> findings) {
  constexpr std::size_t most_places = 8;
  using cause = std::tuple<std::string, std::string, std::string, severity, race_facts::threads, bool, bool,
                           bool, bool>;
  std::map<cause, std::size_t> first;
  std::vector<finding> result;
  for (finding& f : findings) {
    const bool is_of_kernel = !f.places.empty() && f.places.front().has_thread;
    if (f.kind != finding_kind::data_race || !is_of_kernel || is_between_launches(f)) {
      result.push_back(std::move(f));
      continue;
    }
    const race_facts& race = f.race;
    const auto [at, is_new] =
        first.try_emplace({f.variable, f.member, f.places.front().function, f.level, race.apart,
                           race.is_one_atomic, race.is_scope_too_narrow, race.lacks_acquire, race.is_told},
                          result.size());
    if (is_new) {
      result.push_back(std::move(f));
      continue;
    }
    finding& known = result[at->second];
    known.count += f.count;
    for (place& p : f.places) {
      const auto is_same = [&](const place& other) {
        return other.file == p.file && other.line == p.line && other.what == p.what;
      };
      const auto end = std::find_if(known.places.begin(), known.places.end(),
                                    [](const place& other) { return !other.has_thread; });
      if (p.has_thread && end - known.places.begin() < static_cast<std::ptrdiff_t>(most_places) &&
          std::none_of(known.places.begin(), end, is_same))
        known.places.insert(end, std::move(p));
    }
  }
  return result;
}

std::vector<line_profile> profile_lines(module_lines& lines,
                                        const std::vector<instruction_profile>& instructions) {
  struct counted {
    line_profile line;
    bool has_code = false;  // rather than accesses alone, which not all lanes took part in
  };
  std::map<std::pair<std::string, std::size_t>, counted> known;
  for (const instruction_profile& one : instructions) {
    const source_line& at = lines.before(one.pc);
    if (at.line == 0) continue;
    counted& here = known[{at.file, at.line}];
    line_profile& line = here.line;
    line.file = at.file;
    line.line = at.line;
    line.function = at.function;
    line.global += one.global;
    line.shared += one.shared;
    if (one.idle == 0 || (here.has_code && !one.begins_code)) continue;
    if (one.begins_code && !here.has_code) {
      here.has_code = true;
      line.executions = line.lanes = line.idle = 0;
    }
    line.executions += one.executions;
    line.lanes += one.lanes;
    line.idle += one.idle;
  }
  std::vector<line_profile> result;
  for (auto& [place, one] : known) {
    const line_profile& line = one.line;
    if (line.global.requests + line.shared.requests + line.idle != 0) result.push_back(std::move(one.line));
  }
  return result;
}

}  // namespace

std::vector<line_profile> profile_lines(const module& compiled,
                                        const std::vector<instruction_profile>& instructions) {
  module_lines lines(compiled.path(), compiled.base());
  return profile_lines(lines, instructions);
}

void find_lines(const std::string& path, std::uintptr_t base, std::vector<launch_profile>& profiles) {
  module_lines lines(path, base);
  for (launch_profile& p : profiles) {
    find_line(lines, p.by);
    p.lines = profile_lines(lines, p.instructions);
  }
}

void find_lines(const cuda_on_cpu::compilation& compiled, std::uintptr_t base,
                std::vector<finding>& findings) {
  module_lines lines(compiled.library->path(), base);
  for (finding& f : findings) {
    for (place& p : f.places) find_line(lines, p);
    move_to_call_of_library(f);
    name_indexed_array(compiled.subscripts, f);
  }

  // One line may have become several instructions.
  using line = std::pair<std::string, std::size_t>;
  std::map<std::tuple<finding_kind, std::vector<line>, std::string, bool>, std::size_t> first;
  std::vector<finding> distinct;
  for (finding& f : findings) {
    std::vector<line> places;
    // One mistake of a kernel is the same wherever that was launched.
    const bool is_of_kernel = !f.places.empty() && f.places.front().has_thread;
    for (const place& p : f.places) {
      if (p.has_thread == is_of_kernel) places.emplace_back(p.file, p.line);
    }
    std::sort(places.begin(), places.end());
    const auto [at, is_new] =
        first.try_emplace({f.kind, std::move(places), f.variable, is_between_launches(f)}, distinct.size());
    if (is_new) {
      distinct.push_back(std::move(f));
      continue;
    }
    finding& known = distinct[at->second];
    const std::size_t count = known.count + f.count;
    race_facts race = known.race;
    race.join(f.race);
    if (f.race.apart > known.race.apart) known = std::move(f);
    known.count = count;
    known.race = race;
  }
  for (finding& f : distinct) {
    if (f.kind != finding_kind::data_race || !f.detail.empty()) continue;
    f.detail = race_hint(f);
    if (is_same_value(f.race) || f.race.is_before_exchange) f.level = severity::note;
  }
  findings = without_consequences(one_of_each_cause(std::move(distinct)));
  quote_sources(findings);
}

}  // namespace heddle::checker
