#include "server.hpp"
#include <heddle/error.hpp>

namespace heddle::viewer {

struct server::state {};

server::server(const options&) {
  fail(
      "view: this build of Heddle has no server: install libwebsockets-dev, which `make deps` does, and "
      "configure with -DHEDDLE_VIEW=ON");
}
server::~server() = default;
const std::string& server::address() const noexcept {
  static const std::string none;
  return none;
}
void server::run(session&, const std::function<bool()>&) {}
void server::wake() noexcept {}

bool has_server() noexcept {
  return false;
}

}  // namespace heddle::viewer
