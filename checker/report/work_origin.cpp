#include "checker/report/work_origin.hpp"

#include <utility>

namespace heddle::checker {
namespace {

thread_local const work_origin* origin_of_thread = nullptr;

}  // namespace

const work_origin* work_origin::present() {
  return origin_of_thread;
}

origin_scope::origin_scope(const work_origin* of) : before_(std::exchange(origin_of_thread, of)) {}

origin_scope::~origin_scope() {
  origin_of_thread = before_;
}

}  // namespace heddle::checker
