#include "cuda_on_cpu/translate/communication.hpp"

#include <algorithm>

namespace heddle::cuda_on_cpu {
namespace {

bool lets_blocks_communicate(std::string_view w) {
  for (const std::string_view word : {"volatile", "cuda", "this_grid", "grid_group", "printf", "clock",
                                      "clock64", "globaltimer", "__nanosleep"}) {
    if (w == word) return true;
  }
  return w.starts_with("atomic") || w.starts_with("__threadfence");
}

bool lets_threads_communicate(std::string_view w) {
  for (const std::string_view begin :
       {"__sync", "__barrier_sync", "__shfl_", "__any_sync", "__all_sync", "__uni_sync", "__ballot_sync",
        "__match_", "__reduce_", "__activemask", "__mbarrier_", "__cluster"}) {
    if (w.starts_with(begin)) return true;
  }
  return w == "cooperative_groups" || w == "nvcuda" || lets_blocks_communicate(w);
}

}  // namespace

void communication::note_word_in(std::string_view function, std::string_view word) {
  function_facts& facts = functions_[function];
  facts.names.insert(word);
  facts.communicates |= lets_threads_communicate(word);
  blocks_communicate_ |= lets_blocks_communicate(word);
}

void communication::note_word_outside(std::string_view word) {
  communicates_outside_functions_ |= lets_threads_communicate(word);
  blocks_communicate_ |= lets_blocks_communicate(word);
}

/// Whether threads may do so in what a function names, and in what that names.
bool communication::may_communicate(std::string_view function, std::set<std::string_view>& seen) const {
  const auto found = functions_.find(function);
  if (found == functions_.end() || !seen.insert(function).second) return false;
  return found->second.communicates ||
         std::any_of(found->second.names.begin(), found->second.names.end(),
                     [&](std::string_view name) { return may_communicate(name, seen); });
}

void communication::describe(kernel_declaration& k) const {
  // Functions without a name may be called by any.
  std::set<std::string_view> of_unnamed, seen;
  const bool any_may = communicates_outside_functions_ || may_communicate(std::string_view(), of_unnamed);
  k.blocks_are_independent = !blocks_communicate_;
  k.threads_are_independent = !any_may && !may_communicate(k.name, seen);
}

}  // namespace heddle::cuda_on_cpu
