#include "access.hpp"

#include <heddle/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/random.h>

namespace heddle::viewer {
namespace {

bool is_address(const std::string& host) noexcept {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  return ::inet_pton(AF_INET, host.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, host.c_str(), bytes.data()) == 1;
}

bool is_same_name(std::string_view a, std::string_view b) noexcept {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [&](char x, char y) { return lower(x) == lower(y); });
}

}  // namespace

bool is_loopback(std::string_view host) noexcept {
  const std::string text(host);
  in_addr four{};
  if (::inet_pton(AF_INET, text.c_str(), &four) == 1) return ntohl(four.s_addr) >> 24 == 127;
  return text == "::1" || text == "localhost";
}

bool is_own_host(std::string_view header, std::string_view host, std::uint16_t port,
                 std::string_view own_name) noexcept {
  const std::string behind = fmt::format(":{}", port);
  if (header.ends_with(behind)) {
    header.remove_suffix(behind.size());
  } else if (port != 80) {
    return false;
  }
  if (header.starts_with('[') && header.ends_with(']')) header = header.substr(1, header.size() - 2);
  if (is_same_name(header, "localhost") || is_same_name(header, host)) return true;
  if (is_loopback(host)) return is_loopback(header);
  return is_same_name(header, own_name) || is_address(std::string(header));
}

bool is_own_origin(std::string_view origin, std::string_view host_header) noexcept {
  constexpr std::string_view scheme = "http://";
  return origin.starts_with(scheme) && is_same_name(origin.substr(scheme.size()), host_header);
}

std::string random_token() {
  std::array<unsigned char, 16> bytes{};
  if (::getentropy(bytes.data(), bytes.size()) != 0) fail("view: the system gives no random bytes");
  return fmt::format("{:02x}", fmt::join(bytes, ""));
}

bool is_same_token(std::string_view a, std::string_view b) noexcept {
  if (a.size() != b.size()) return false;
  unsigned differing = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    differing |= static_cast<unsigned char>(a[i]) ^ static_cast<unsigned char>(b[i]);
  return differing == 0;
}

std::string_view token_in(std::string_view query) noexcept {
  constexpr std::string_view key = "token=";
  while (!query.empty()) {
    const std::string_view part = query.substr(0, query.find('&'));
    if (part.starts_with(key)) return part.substr(key.size());
    query.remove_prefix(std::min(query.size(), part.size() + 1));
  }
  return {};
}

}  // namespace heddle::viewer
