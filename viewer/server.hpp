#pragma once

#include "session.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

namespace heddle::viewer {

/// Serves the page and its WebSocket. See docs/design/view.md#security.
class server {
 public:
  struct options {
    std::string host = "127.0.0.1";  ///< an address of this machine, or 0.0.0.0 or :: for all
    std::uint16_t port = 0;          ///< 0: one that is free
    bool once = false;               ///< ends some seconds after the last client has left
  };

  /// Listens. Throws heddle::error where it cannot, or where this build has no server.
  explicit server(const options& how);
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// Where a browser finds it, with a random token unless only this machine reaches it.
  const std::string& address() const noexcept;

  /// Serves a session until `is_stopped` says so, which is asked several times a second, or the last client
  /// has left.
  void run(session& shown, const std::function<bool()>& is_stopped);

  /// Sends what the session has for its clients: from any thread, as `ready` of a session.
  void wake() noexcept;

 private:
  struct state;
  std::unique_ptr<state> state_;
};

/// Whether this build has a server.
bool has_server() noexcept;

}  // namespace heddle::viewer
