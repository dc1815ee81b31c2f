#include "server.hpp"

#include "access.hpp"
#include "frame_compression.hpp"
#include "message.hpp"
#include "page_files.hpp"
#include <heddle/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <filesystem>
#include <iterator>
#include <map>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <libwebsockets.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace heddle::viewer {
namespace {

using clock = std::chrono::steady_clock;

constexpr std::size_t most_clients = 32;
/// Messages a second that a client may go on sending, and how many at once.
constexpr double messages_a_second = 400, most_messages_at_once = 800;
constexpr auto looks_for_stop_every = 100 * LWS_US_PER_MS;
/// A page that is loaded again leaves and comes back.
constexpr std::chrono::seconds time_to_come_back{3};
constexpr std::string_view socket_path = "/socket";
/// Connections, of clients and of browsers that load the page. Others wait until one is closed.
constexpr std::size_t most_connections = 256;
/// Descriptors that connections leave to the simulation's files.
constexpr std::size_t spare_descriptors = 8;
/// How long the server waits after the system has refused it a descriptor for a connection.
constexpr std::chrono::milliseconds time_without_descriptor{50};

/// The data that libwebsockets keeps beside a connection: an entry of state::connections, or 0.
struct connection_number {
  std::uint64_t number;
};

struct connection {
  lws* socket = nullptr;
  std::string received;
  double messages_left = most_messages_at_once;
  clock::time_point counted = clock::now();
  frame_compression compression;
  /// The frame that is sent and not drawn.
  struct {
    std::uint64_t number = 0;
    bool is_deflated = true;
    clock::time_point begun;
  } frame;
};

std::string name_of_machine() {
  std::array<char, 256> name{};
  return ::gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string header_of(lws* socket, lws_token_indexes which) {
  const int length = lws_hdr_total_length(socket, which);
  if (length <= 0) return "";
  std::string text(static_cast<std::size_t>(length) + 1, '\0');
  const int copied = lws_hdr_copy(socket, text.data(), static_cast<int>(text.size()), which);
  text.resize(copied > 0 ? static_cast<std::size_t>(copied) : 0);
  return text;
}

/// All parts of a query, after the question mark.
std::string query_of(lws* socket) {
  std::string query;
  std::array<char, 256> part{};
  for (int i = 0; lws_hdr_copy_fragment(socket, part.data(), static_cast<int>(part.size()),
                                        WSI_TOKEN_HTTP_URI_ARGS, i) > 0;
       ++i)
    query += (query.empty() ? "" : "&") + std::string(part.data());
  return query;
}

}  // namespace

struct server::state {
  options how;
  std::string own_name = name_of_machine(), token, address;
  std::uint16_t port = 0;
  lws_context* context = nullptr;
  session* shown = nullptr;
  const std::function<bool()>* is_stopped = nullptr;
  bool ends = false;
  std::atomic<bool> is_woken{false};
  std::map<std::uint64_t, connection> connections;
  std::uint64_t last_number = 0;
  bool has_had_clients = false;
  clock::time_point last_left{};
  bool lacks_descriptor = false;
  lws_sorted_usec_list_t timer{};
  std::exception_ptr failure;  // of is_stopped

  static state*& current() {
    static state* one = nullptr;
    return one;
  }

  bool is_own(lws* socket) const {
    return is_own_host(header_of(socket, WSI_TOKEN_HOST), how.host, port, own_name);
  }
  bool has_token(lws* socket) const {
    return token.empty() || is_same_token(token_in(query_of(socket)), token);
  }

  ~state();
  void listen();
  int answer(lws* socket, std::string_view path);
  int refuse(lws* socket, unsigned status, const char* why) const;
  int upgrade(lws* socket) const;
  int receive(lws* socket, connection& from, const char* bytes, std::size_t count);
  int send(lws* socket, std::uint64_t number, connection& to);
  int called(lws* socket, lws_callback_reasons why, connection_number* user, const char* bytes,
             std::size_t count);
  void look();

  static int serve(lws* socket, lws_callback_reasons why, void* user, void* bytes, std::size_t count);
  static void keep_what_is_said(int level, const char* line);
  static void on_timer(lws_sorted_usec_list_t* timer);
};

namespace {

int close_with(lws* socket, lws_close_status status, std::string_view why) {
  // A close frame holds 123 bytes of reason, and no part of a character.
  std::size_t most = std::min<std::size_t>(why.size(), 123);
  while (most < why.size() && most > 0 && (static_cast<unsigned char>(why[most]) & 0xc0) == 0x80) --most;
  std::string text(why.substr(0, most));
  lws_close_reason(socket, status, reinterpret_cast<unsigned char*>(text.data()), text.size());
  return -1;
}

}  // namespace

int server::state::refuse(lws* socket, unsigned status, const char* why) const {
  if (lws_return_http_status(socket, status, why) != 0) return -1;
  return lws_http_transaction_completed(socket) != 0 ? -1 : 0;
}

int server::state::answer(lws* socket, std::string_view path) {
  if (!is_own(socket))
    return refuse(socket, HTTP_STATUS_FORBIDDEN, "another Host is asked for than this server's");
  if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) == 0 &&
      lws_hdr_total_length(socket, WSI_TOKEN_HEAD_URI) == 0)
    return refuse(socket, HTTP_STATUS_METHOD_NOT_ALLOWED, "only GET");
  if (path == "/" && !has_token(socket))
    return refuse(socket, HTTP_STATUS_FORBIDDEN,
                  "the address has another token than heddle view has printed");
  for (const page_file& file : page_files()) {
    if (file.path != path) continue;
    std::array<unsigned char, LWS_PRE + 2048> headers{};
    unsigned char* const begin = headers.data() + LWS_PRE;
    unsigned char* at = begin;
    unsigned char* const end = headers.data() + headers.size() - 1;
    const std::string host = header_of(socket, WSI_TOKEN_HOST);
    const std::pair<const char*, std::string> extra[] = {
        {"content-security-policy:",
         fmt::format(
             "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' blob: data:; "
             "connect-src 'self' ws://{}; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
             host)},
        {"x-content-type-options:", "nosniff"},
        {"referrer-policy:", "no-referrer"},
        {"cross-origin-resource-policy:", "same-origin"},
        {"cross-origin-opener-policy:", "same-origin"},
        {"cache-control:", "no-store"}};
    if (lws_add_http_common_headers(socket, HTTP_STATUS_OK, std::string(file.type).c_str(), file.bytes.size(),
                                    &at, end) != 0)
      return -1;
    for (const auto& [name, value] : extra) {
      if (lws_add_http_header_by_name(socket, reinterpret_cast<const unsigned char*>(name),
                                      reinterpret_cast<const unsigned char*>(value.data()),
                                      static_cast<int>(value.size()), &at, end) != 0)
        return -1;
    }
    if (lws_finalize_write_http_header(socket, begin, &at, end) != 0) return -1;
    if (lws_hdr_total_length(socket, WSI_TOKEN_GET_URI) > 0) {
      std::vector<unsigned char> body(LWS_PRE + file.bytes.size());
      std::copy(file.bytes.begin(), file.bytes.end(), body.begin() + LWS_PRE);
      if (lws_write(socket, body.data() + LWS_PRE, file.bytes.size(), LWS_WRITE_HTTP_FINAL) < 0) return -1;
    }
    return lws_http_transaction_completed(socket) != 0 ? -1 : 0;
  }
  return refuse(socket, HTTP_STATUS_NOT_FOUND, "there is no such file of the page");
}

/// Positive where the answer has been sent: there is no upgrade then.
int server::state::upgrade(lws* socket) const {
  const auto refused = [&](unsigned status, const char* why) {
    return lws_return_http_status(socket, status, why) != 0 || lws_http_transaction_completed(socket) != 0
               ? -1
               : 1;
  };
  const std::string host = header_of(socket, WSI_TOKEN_HOST);
  if (header_of(socket, WSI_TOKEN_GET_URI) != socket_path)
    return refused(HTTP_STATUS_NOT_FOUND, "there is no such socket");
  if (!is_own(socket)) return refused(HTTP_STATUS_FORBIDDEN, "another Host is asked for than this server's");
  if (!is_own_origin(header_of(socket, WSI_TOKEN_ORIGIN), host))
    return refused(HTTP_STATUS_FORBIDDEN, "the Origin is not a page of this server");
  if (!has_token(socket))
    return refused(HTTP_STATUS_FORBIDDEN, "the address has another token than heddle view has printed");
  if (connections.size() >= most_clients)
    return refused(HTTP_STATUS_SERVICE_UNAVAILABLE, "32 browsers look already");
  return 0;
}

int server::state::receive(lws* socket, connection& from, const char* bytes, std::size_t count) {
  if (lws_frame_is_binary(socket) != 0)
    return close_with(socket, LWS_CLOSE_STATUS_UNACCEPTABLE_OPCODE, "messages are text");
  if (from.received.size() + count > most_bytes_of_message)
    return close_with(socket, LWS_CLOSE_STATUS_MESSAGE_TOO_LARGE,
                      fmt::format("a message has more than {} bytes", most_bytes_of_message));
  from.received.append(bytes, count);
  if (lws_is_final_fragment(socket) == 0 || lws_remaining_packet_payload(socket) > 0) return 0;
  const clock::time_point now = clock::now();
  from.messages_left = std::min(
      most_messages_at_once,
      from.messages_left + messages_a_second * std::chrono::duration<double>(now - from.counted).count());
  from.counted = now;
  from.messages_left -= 1;
  if (from.messages_left < 0)
    return close_with(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION,
                      fmt::format("more than {} messages a second", messages_a_second));
  const std::string text = std::exchange(from.received, {});
  try {
    const auto found = std::find_if(connections.begin(), connections.end(),
                                    [&](const auto& one) { return one.second.socket == socket; });
    message said = decode(text);
    if (said.what == request::drawn && said.number == from.frame.number) {
      from.compression.took(from.frame.is_deflated, now - from.frame.begun);
      from.frame.number = 0;
    }
    if (!shown->ask(found->first, std::move(said)))
      return close_with(socket, LWS_CLOSE_STATUS_POLICY_VIOLATION, "too many requests are not answered yet");
  } catch (const error& wrong) {
    return close_with(socket, LWS_CLOSE_STATUS_INVALID_PAYLOAD, wrong.what());
  }
  return 0;
}

int server::state::send(lws* socket, std::uint64_t number, connection& to) {
  const std::optional<outgoing_message> next = shown->next_message(number);
  if (!next) return 0;
  const bool is_frame = next->is_binary && next->header.contains("frame");
  const bool is_deflated = !is_frame || to.compression.deflates();
  if (is_frame) to.frame = {next->header.at("frame").get<std::uint64_t>(), is_deflated, clock::now()};
  std::vector<unsigned char> sending(LWS_PRE);
  if (next->is_binary) {
    sending = binary_message(next->header, next->content(), is_deflated, LWS_PRE);
  } else {
    const std::string text = text_of(next->header);
    sending.insert(sending.end(), text.begin(), text.end());
  }
  // libwebsockets keeps bytes that the system does not take now, and asks for no more before they are sent.
  if (lws_write(socket, sending.data() + LWS_PRE, sending.size() - LWS_PRE,
                next->is_binary ? LWS_WRITE_BINARY : LWS_WRITE_TEXT) < 0)
    return -1;
  lws_callback_on_writable(socket);
  return 0;
}

int server::state::called(lws* socket, lws_callback_reasons why, connection_number* user, const char* bytes,
                          std::size_t count) {
  switch (why) {
    case LWS_CALLBACK_HTTP:
      return answer(socket, {bytes, count});
    case LWS_CALLBACK_HTTP_CONFIRM_UPGRADE:
      return upgrade(socket);
    case LWS_CALLBACK_ESTABLISHED:
      user->number = ++last_number;
      connections[user->number].socket = socket;
      has_had_clients = true;
      shown->join(user->number);
      return 0;
    case LWS_CALLBACK_CLOSED:
      shown->leave(user->number);
      connections.erase(user->number);
      last_left = clock::now();
      return 0;
    case LWS_CALLBACK_RECEIVE:
      return receive(socket, connections.at(user->number), bytes, count);
    case LWS_CALLBACK_SERVER_WRITEABLE:
      return send(socket, user->number, connections.at(user->number));
    case LWS_CALLBACK_EVENT_WAIT_CANCELLED:
      if (is_woken.exchange(false)) {
        for (auto& [number, one] : connections) lws_callback_on_writable(one.socket);
      }
      return 0;
    default:
      return 0;
  }
}

/// No exception passes through libwebsockets.
int server::state::serve(lws* socket, lws_callback_reasons why, void* user, void* bytes, std::size_t count) {
  state* const on = current();
  if (on == nullptr || on->shown == nullptr) return 0;
  try {
    return on->called(socket, why, static_cast<connection_number*>(user), static_cast<const char*>(bytes),
                      count);
  } catch (const std::exception& wrong) {
    const bool is_open = why == LWS_CALLBACK_RECEIVE || why == LWS_CALLBACK_SERVER_WRITEABLE;
    return is_open ? close_with(socket, LWS_CLOSE_STATUS_UNEXPECTED_CONDITION, wrong.what()) : -1;
  } catch (...) {
    return -1;
  }
}

void server::state::keep_what_is_said(int, const char* line) {
  state* const on = current();
  if (on == nullptr) return;
  if (std::string_view(line).starts_with("accept:")) on->lacks_descriptor = true;
}

void server::state::on_timer(lws_sorted_usec_list_t*) {
  try {
    current()->look();
  } catch (...) {
    current()->failure = std::current_exception();
    current()->ends = true;
  }
}

void server::state::look() {
  ends = ends || (*is_stopped)() ||
         (how.once && has_had_clients && connections.empty() && clock::now() - last_left > time_to_come_back);
  lws_sul_schedule(context, 0, &timer, on_timer, looks_for_stop_every);
}

namespace {

/// The descriptors that this process may still open.
std::size_t free_descriptors() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return SIZE_MAX;
  std::error_code unread;
  const auto open = std::filesystem::directory_iterator("/proc/self/fd", unread);
  const auto taken = static_cast<std::size_t>(std::distance(begin(open), end(open)));
  return limit.rlim_cur > taken ? limit.rlim_cur - taken : 0;
}

/// The listener, the pipe that wakes the server, and a place that libwebsockets leaves empty.
constexpr std::size_t own_descriptors = 3;

std::size_t connections_with_room() {
  const std::size_t free = free_descriptors(), others = own_descriptors + spare_descriptors;
  return std::clamp<std::size_t>(free - std::min(free, others), 1, most_connections);
}

/// Throws if the system gives no two sockets, one to listen and one for a client. libwebsockets listens to
/// nothing then, and reports no error.
void require_sockets(const std::string& host, int family) {
  const int listener = ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int client = listener < 0 ? -1 : ::socket(family, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const int reason = errno;
  for (const int one : {listener, client})
    if (one >= 0) ::close(one);
  if (client >= 0) return;
  const char* const remedy = reason == EMFILE ? ": raise the limit of open files (ulimit -n)" : "";
  fail(fmt::format("view: cannot listen on {}: no socket for {}: {}{}", host,
                   listener < 0 ? "the server" : "a browser", std::generic_category().message(reason),
                   remedy));
}

}  // namespace

/// Throws where the server cannot listen.
void server::state::listen() {
  static const lws_protocols protocols[] = {
      {"heddle-view", state::serve, sizeof(connection_number), 65536, 0, nullptr, 0},
      {nullptr, nullptr, 0, 0, 0, nullptr, 0}};
  // A browser that is gone without a word is noticed after two minutes.
  static const lws_retry_bo_t patience = {nullptr, 0, 0, 60, 120, 0};
  const bool is_any = how.host == "0.0.0.0" || how.host == "::";
  const std::string interface = how.host == "localhost" ? "127.0.0.1" : how.host;
  const bool is_ipv6 = how.host.find(':') != how.host.npos;
  lws_context_creation_info about = {};
  about.port = how.port;
  about.iface = is_any ? nullptr : interface.c_str();
  about.protocols = protocols;
  about.gid = static_cast<gid_t>(-1);
  about.uid = static_cast<uid_t>(-1);
  about.options = LWS_SERVER_OPTION_VALIDATE_UTF8 | LWS_SERVER_OPTION_FAIL_UPON_UNABLE_TO_BIND |
                  LWS_SERVER_OPTION_EXPLICIT_VHOSTS;
  if (!is_ipv6) about.options |= LWS_SERVER_OPTION_DISABLE_IPV6;
  about.timeout_secs = 10;
  about.keepalive_timeout = 10;
  about.retry_and_idle_policy = &patience;
  about.fd_limit_per_thread = static_cast<unsigned>(connections_with_room() + own_descriptors);
  require_sockets(how.host, is_ipv6 ? AF_INET6 : AF_INET);
  context = lws_create_context(&about);
  if (context != nullptr) require_sockets(how.host, is_ipv6 ? AF_INET6 : AF_INET);
  lws_vhost* const host = context != nullptr ? lws_create_vhost(context, &about) : nullptr;
  if (host == nullptr)
    fail(fmt::format(
        "view: cannot listen on {} port {}, which may be taken: give another --port, or an address "
        "of this machine as --host",
        how.host, how.port));
  port = static_cast<std::uint16_t>(lws_get_vhost_listen_port(host));
  const std::string name = is_any ? own_name : how.host;
  address = fmt::format("http://{}:{}/{}", name.find(':') == name.npos ? name : "[" + name + "]", port,
                        token.empty() ? "" : "?token=" + token);
}

server::state::~state() {
  if (context != nullptr) lws_context_destroy(context);
  current() = nullptr;
}

server::server(const options& how) : state_(std::make_unique<state>()) {
  state_->how = how;
  state::current() = state_.get();
  lws_set_log_level(LLL_ERR, state::keep_what_is_said);
  if (!is_loopback(how.host)) state_->token = random_token();
  state_->listen();
}

server::~server() {
  state_->shown = nullptr;
}

const std::string& server::address() const noexcept {
  return state_->address;
}

void server::run(session& shown, const std::function<bool()>& is_stopped) {
  state_->shown = &shown;
  state_->is_stopped = &is_stopped;
  state_->look();
  while (!state_->ends) {
    if (lws_service(state_->context, 0) < 0) break;
    // A connection waits that the system gives no descriptor for; without a pause the server would spin.
    if (std::exchange(state_->lacks_descriptor, false))
      ::poll(nullptr, 0, static_cast<int>(time_without_descriptor.count()));
  }
  lws_sul_schedule(state_->context, 0, &state_->timer, state::on_timer, LWS_SET_TIMER_USEC_CANCEL);
  // Clients leave while the session is still there.
  state_->shown = nullptr;
  if (state_->failure) std::rethrow_exception(std::exchange(state_->failure, nullptr));
}

void server::wake() noexcept {
  state_->is_woken = true;
  lws_cancel_service(state_->context);
}

bool has_server() noexcept {
  return true;
}

}  // namespace heddle::viewer
