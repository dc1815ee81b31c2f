#include "view_kinds.hpp"

namespace heddle::cli {

std::vector<view_kind> view_kinds() {
  return {view_of_life()};
}

}  // namespace heddle::cli
